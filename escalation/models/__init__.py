"""Rows of the people's ring."""

from escalation.models.sign_in_link import SignInLink
from escalation.models.user import User

__all__ = ["SignInLink", "User"]

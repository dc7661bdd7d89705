"""Rows of the people's ring."""

from escalation.models.record_repair import RecordRepair
from escalation.models.rehearsal import Rehearsal
from escalation.models.sign_in_link import SignInLink
from escalation.models.user import User

__all__ = ["RecordRepair", "Rehearsal", "SignInLink", "User"]

"""What people change about their own way in is on record too: a password, a second factor that came or went."""

from typing import Any, Final

from allauth.account.signals import password_changed, password_reset, password_set
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_removed
from django.utils import timezone

from escalation.access.changing import note
from escalation.models import User
from escalation.models.access_change import Change

_FACTORS: Final = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def factor_added(person: User) -> None:
    """Write down that somebody set up a second factor."""
    note(Change.FACTOR_ADDED, person, by=person, now=timezone.now())


def _password(*, user: User, **_: Any) -> None:
    note(Change.PASSWORD_SET, user, by=user, now=timezone.now())


def _factor_removed(*, user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type in _FACTORS:  # recovery codes end with the last of them
        note(Change.FACTOR_REMOVED, user, by=user, now=timezone.now())


def listen() -> None:
    """Hear of it from now on."""
    for signal in (password_set, password_changed, password_reset):
        signal.connect(_password, dispatch_uid="note_password")
    authenticator_removed.connect(_factor_removed, dispatch_uid="note_factor_removed")

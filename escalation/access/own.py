"""What people change about their own way in is on record too: a password, a second factor, an account elsewhere."""

from typing import Any, Final

from allauth.account.signals import password_changed, password_reset, password_set
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_removed
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.signals import social_account_added, social_account_removed
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


def _connected(*, sociallogin: SocialLogin, **_: Any) -> None:
    person = sociallogin.user
    note(Change.SINGLE_SIGN_ON_ADDED, person, by=person, now=timezone.now())


def _disconnected(*, socialaccount: SocialAccount, **_: Any) -> None:
    person = socialaccount.user
    note(Change.SINGLE_SIGN_ON_REMOVED, person, by=person, now=timezone.now())


def listen() -> None:
    """Hear of it from now on."""
    for signal in (password_set, password_changed, password_reset):
        signal.connect(_password, dispatch_uid="note_password")
    authenticator_removed.connect(_factor_removed, dispatch_uid="note_factor_removed")
    social_account_added.connect(_connected, dispatch_uid="note_connected")
    social_account_removed.connect(_disconnected, dispatch_uid="note_disconnected")

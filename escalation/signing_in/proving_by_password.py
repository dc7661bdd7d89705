"""A password that somebody sets or changes while they are signed in is proved by it: they just typed it, or chose it."""

from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.account.signals import password_changed, password_set
from django.http import HttpRequest

from escalation.models import User


def prove_by_password(*, request: HttpRequest, user: User, **_: Any) -> None:
    """Write down the proof in the session; setting a first one took a fresh proof itself."""
    record_authentication(request, user, "password")


def listen() -> None:
    """Hear of passwords from now on."""
    for signal in (password_set, password_changed):
        signal.connect(prove_by_password, dispatch_uid="prove_by_password")

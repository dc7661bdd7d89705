"""What a browser says of a passkey; whatever is no such thing is refused in words, and never an error of the desk."""

import struct
from collections.abc import Callable
from typing import Any, Final, TypeVar

from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django.core.exceptions import ValidationError

Read = TypeVar("Read")
# What the reader of passkeys raises for what a browser would not say; it was written for what one says.
_NONSENSE: Final = (LookupError, TypeError, ValueError, AttributeError, struct.error)


def _read(reader: Callable[[], Read]) -> Read:
    try:
        return reader()
    except _NONSENSE as nonsense:
        raise ValidationError("This is no passkey of this desk.") from nonsense


class AddPasskey(AddWebAuthnForm):
    """A passkey to keep."""

    def clean(self) -> dict[str, Any]:
        """Read it, or say that it is none."""
        return _read(super().clean)


class AskedPasskey(AuthenticateWebAuthnForm):
    """A passkey as the second factor of signing in."""

    def clean_credential(self) -> Any:
        """Read it, or say that it is none."""
        return _read(super().clean_credential)


class LonePasskey(LoginWebAuthnForm):
    """A passkey in place of user name and password."""

    def clean_credential(self) -> Any:
        """Read it, or say that it is none."""
        return _read(super().clean_credential)


class ProvingPasskey(ReauthenticateWebAuthnForm):
    """A passkey as a proof anew."""

    def clean_credential(self) -> Any:
        """Read it, or say that it is none."""
        return _read(super().clean_credential)

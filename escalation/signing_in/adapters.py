"""What this desk decides where django-allauth asks: nobody signs up, one rule of proof, one host, secrets enciphered."""

import base64
import hashlib
from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from escalation.models import User
from escalation.proof import SECOND_FACTORS, counting, proof_of, stale

_WRONG_CODE: Final = "This code is not right, or was used already."
_OTHERWISE: Final = {
    "reauthenticate": "Type your password",
    "mfa_reauthenticate": "Type a code of your authenticator app, or a recovery code",
    "mfa_reauthenticate:webauthn": "Use a passkey",
}


class Accounts(DefaultAccountAdapter):
    """Signing in, and proving anew who one is."""

    error_messages: Final = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": "You can't sign in any more.",
        "enter_current_password": "This is not your present password.",
        "incorrect_password": "This is not your password.",
        "too_many_login_attempts": "Tried too often. Wait five minutes.",
        "username_password_mismatch": "This user name and this password don't belong together.",
        "incorrect_code": _WRONG_CODE,
        "rate_limited": "Tried too often. Wait a minute.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Nobody makes themselves an account."""
        return False

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Ask for a proof by the same rule as the doors do."""
        request = context.request
        person = request.user
        return not isinstance(person, User) or stale(proof_of(request), person=person, now=timezone.now()) is not None

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """Offer a password only to whoever has no second factor, and a passkey first to whoever has no other."""
        methods = [{**one, "description": _OTHERWISE[one["id"]]} for one in super().get_reauthentication_methods(user)]
        if not isinstance(user, User) or counting(user) != SECOND_FACTORS:
            return methods
        app = Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).exists()
        factors = [method for method in methods if method["id"] != "reauthenticate"]
        return factors if app else factors[::-1]

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Lead back to where all of it stands."""
        return reverse("account")

    def is_safe_url(self, url: str | None) -> bool:
        """Lead to pages of this desk only."""
        request = context.request
        return url_has_allowed_host_and_scheme(
            url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )


class SecondFactors(DefaultMFAAdapter):
    """Authenticator apps, passkeys and recovery codes."""

    error_messages: Final = {
        **DefaultMFAAdapter.error_messages,
        "cannot_generate_recovery_codes": "Recovery codes stand in for a second factor; set one up first.",
        "incorrect_code": _WRONG_CODE,
    }

    def encrypt(self, text: str) -> str:
        """Encipher what the database keeps: a copy of the database alone makes no codes."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Give back what was enciphered."""
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def generate_authenticator_name(self, user: Any, type: Any) -> str:  # noqa: A002  # allauth's name for it
        """Name a key that its owner did not name."""
        return "Passkey"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Bind passkeys to the name that people open the desk by."""
        return {"id": context.request.get_host().partition(":")[0], "name": "Unresolved"}


def _cipher() -> Fernet:
    digest = hashlib.sha256(b"unresolved, second factors: " + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))


class SingleSignOn(DefaultSocialAccountAdapter):
    """Accounts at the provider of single sign-on; each was connected by the person who is signed in here."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Nobody makes themselves an account, there neither."""
        return False

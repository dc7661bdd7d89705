"""Links that sign one person in, once, for a short time. The database never holds what a link holds."""

import hashlib
import secrets
from datetime import datetime, timedelta

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from escalation.models import SignInLink, User

LASTS = timedelta(hours=1)


def make_sign_in_link(user: User, *, now: datetime) -> str:
    """The token of a new link for `user`; every earlier link of that person has ended."""
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        SignInLink.objects.filter(user=user, ended_at=None).update(ended_at=now)
        SignInLink.objects.create(user=user, digest=digest_of(token), made_at=now, expires_at=now + LASTS)
    return token


def link_holder(token: str, *, now: datetime) -> User | None:
    """Whom `token` would sign in at `now`; None for a link that is unknown, used, replaced or out of date."""
    link = SignInLink.objects.open_at(now).filter(digest=digest_of(token)).select_related("user").first()
    return link.user if link is not None and link.user.is_active else None


def spend_sign_in_link(token: str, *, now: datetime) -> User | None:
    """Whom `token` signs in. Of any number of simultaneous calls with one token, one gets the person, the others None."""
    user = link_holder(token, now=now)
    spent = SignInLink.objects.open_at(now).filter(digest=digest_of(token)).update(ended_at=now)
    return user if spent else None


def first_administrator() -> User | None:
    """The administrator that an empty desk starts with, made if need be; None once anybody has signed in."""
    if User.objects.exclude(last_login=None).exists():
        return None
    user, made = User.objects.get_or_create(username="administrator", defaults={"is_staff": True, "is_superuser": True})
    if made:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def forget(user: User, *, password: bool, second_factors: bool) -> bool:
    """End what a person lost; return whether an account of single sign-on ended with it.

    With a password end all their sessions, and the link leads to a new one. Their accounts at the provider end too:
    whoever had the password may have connected one of their own.
    """
    ended = 0
    with transaction.atomic():
        if second_factors:
            Authenticator.objects.filter(user=user).delete()
        if password:
            user.set_unusable_password()
            user.save(update_fields=["password"])
            ended, _ = SocialAccount.objects.filter(user=user).delete()
    return ended > 0


def digest_of(token: str) -> str:
    """SHA-256 in hexadecimal: tokens are 256 random bits, so a slow hash would protect nothing."""
    return hashlib.sha256(token.encode()).hexdigest()

"""Single sign-on proves who somebody is as of when the provider asked them, by its own word; without one it proves nothing.

A provider may answer for a person whom it asked this morning. With `max_age` asked for, it has to say when it asked
(OpenID Connect Core 1.0, 2 and 3.1.2.1: `auth_time`).
"""

from typing import Any

from allauth.account.internal.flows.login import AUTHENTICATION_METHODS_SESSION_KEY, get_authentication_records
from allauth.account.signals import user_logged_in
from allauth.socialaccount.models import SocialLogin
from django.http import HttpRequest

from escalation.models import User
from escalation.proof import ASKED_AT, AT_A_PROVIDER


def asked_at(sociallogin: SocialLogin) -> float | None:
    """Return when the provider says that it asked the person, in seconds since 1970; None where it does not say."""
    data = sociallogin.account.extra_data
    token = data.get("id_token") if isinstance(data, dict) else None
    said = token.get("auth_time") if isinstance(token, dict) else None
    return said if isinstance(said, int | float) and not isinstance(said, bool) else None


def date_by_provider(*, request: HttpRequest, user: User, sociallogin: SocialLogin | None = None, **_: Any) -> None:
    """Write beside the proof in the session when the provider asked."""
    if sociallogin is None:
        return
    at = asked_at(sociallogin)
    records = get_authentication_records(request, user)
    if at is None or not records or records[-1]["method"] != AT_A_PROVIDER:
        return
    request.session[AUTHENTICATION_METHODS_SESSION_KEY] = [*records[:-1], {**records[-1], ASKED_AT: at}]


def listen() -> None:
    """Hear of people who sign in from now on."""
    user_logged_in.connect(date_by_provider, dispatch_uid="date_by_provider")

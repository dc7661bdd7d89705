"""Your account: how you sign in, which second factors you hold, and where you are signed in."""

from datetime import timedelta
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.reauthentication import STATE_SESSION_KEY
from allauth.account.views import PasswordSetView, ReauthenticateView
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.views import ReauthenticateView as SecondFactorView
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, ReauthenticateWebAuthnView
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.openid_connect.views import login as provider_login
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.generic import FormView

from escalation.access.own import factor_added
from escalation.models import User
from escalation.proof import proof_of, stale


def _factors(person: User) -> dict[str, Any]:
    held = list(Authenticator.objects.filter(user=person).order_by("created_at"))
    codes = next((one for one in held if one.type == Authenticator.Type.RECOVERY_CODES), None)
    return {
        "app": next((one for one in held if one.type == Authenticator.Type.TOTP), None),
        "passkeys": [one.wrap() for one in held if one.type == Authenticator.Type.WEBAUTHN],
        "codes": codes,
        "codes_left": 0 if codes is None else len(codes.wrap().get_unused_codes()),
    }


def takes_passkeys(request: HttpRequest) -> bool:
    """Whether browsers make passkeys for the name by which this page was opened: not for the digits of an address."""
    host = request.get_host().partition(":")[0].strip("[]")
    return request.is_secure() or host == "localhost"


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; each change has a page of its own, and is asked for a fresh proof."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    person, now = request.user, timezone.now()
    shown = {
        **_factors(person),
        "proof": proof_of(request),
        "stale": stale(proof_of(request), person=person, now=now),
        "minutes": _minutes(),
        "sessions": sorted(UserSession.objects.purge_and_list(person), key=lambda one: one.created_at, reverse=True),
        "here": request.session.session_key,
        "single_sign_on": settings.SINGLE_SIGN_ON,
        "connected": SocialAccount.objects.filter(user=person),
        "takes_passkeys": takes_passkeys(request),
        "now": now,
    }
    return render(request, "account/page.html", shown)


@never_cache
@require_safe
def app_picture(request: HttpRequest) -> HttpResponse:
    """The picture that an authenticator app reads; only while somebody sets one up, and only to them."""
    secret = request.session.get(SECRET_SESSION_KEY)
    if not secret:
        raise Http404("No authenticator app is being set up.")
    adapter = get_adapter()
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    picture = adapter.build_totp_svg(adapter.build_totp_url(request.user, secret))
    return HttpResponse(picture, content_type="image/svg+xml")


def _minutes() -> int:
    return settings.PROOF_LASTS // timedelta(minutes=1)


@login_not_required
def at_the_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider of single sign-on, which is asked to ask the person: no address here may ask otherwise."""
    if request.GET.keys() & {"auth_params", "scope"}:
        raise Http404("No page has this address.")
    answer: HttpResponse = provider_login(request, provider_id=provider_id)
    return answer


class FirstPassword(PasswordSetView):
    """Set a password for the first time, while the proof by the link is fresh."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add how long the link counts."""
        return {**super().get_context_data(**more), "minutes": _minutes()}


class AppSetUp(ActivateTOTPView):
    """Set up an authenticator app; its first code is a proof already, and from now on nothing less is."""

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep it, and write down the proof."""
        answer: HttpResponse = super().form_valid(form)
        record_authentication(self.request, self.request.user, "mfa", type=Authenticator.Type.TOTP.value)
        factor_added(self.request.user)
        return answer


class PasskeyAdded(AddWebAuthnView):
    """Add a passkey; that it was made is a proof already, and from now on nothing less is."""

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep it, and write down the proof."""
        answer: HttpResponse = super().form_valid(form)
        record_authentication(self.request, self.request.user, "mfa", type=Authenticator.Type.WEBAUTHN.value)
        factor_added(self.request.user)
        return answer


class _ToProve(FormView):  # type: ignore[type-arg]  # of any form
    """What each page has on which a person proves anew who they are, and no way to act by it.

    django-allauth would go on with what it broke off to ask: send again what was posted, or connect the account with
    which a provider had answered. Here nobody acts by proving who they are: they come back to the page they were on,
    and confirm there.
    """

    def form_valid(self, form: Any) -> HttpResponse:
        """Forget whatever was broken off."""
        self.request.session.pop(STATE_SESSION_KEY, None)
        return super().form_valid(form)


class PasswordProof(_ToProve, ReauthenticateView):
    """By password."""


class CodeProof(_ToProve, SecondFactorView):
    """By a code of an authenticator app, or a recovery code."""


class PasskeyProof(_ToProve, ReauthenticateWebAuthnView):
    """By a passkey."""

    def form_invalid(self, form: Any) -> HttpResponse:
        """Say on the page itself what is wrong."""
        return self.render_to_response(self.get_context_data(form=form))

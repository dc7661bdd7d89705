"""Ways in: a password (django-allauth's page, which asks for a second factor where there is one), or a link that works once."""

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.account.views import login as sign_in
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.models import User
from escalation.proof import LINK
from escalation.sign_in_link import link_holder, spend_sign_in_link

__all__ = ["sign_in", "sign_in_by_link", "sign_out"]

# For strangers too: who gave a password and not yet the second factor begins again with it.
sign_out = login_not_required(LogoutView.as_view())


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link spends nothing (mail programs and chats look at links); pressing its button signs in once."""
    now = timezone.now()
    user = (spend_sign_in_link if request.method == "POST" else link_holder)(token, now=now)
    if user is None:
        return render(request, "sign_in/link_ended.html", status=410)
    if request.method == "POST":
        return _signed_in(request, user)
    return render(request, "sign_in/link.html", {"holder": user})


def _signed_in(request: HttpRequest, user: User) -> HttpResponse:
    """Sign in who held the link; a second factor is still asked for, and who has no password is led to set one."""
    if request.user.is_authenticated and request.user != user:
        request.session.flush()  # nothing of who sat here before
    record_authentication(request, user, LINK)
    leads_to = "queue" if user.has_usable_password() else "account_set_password"
    answer: HttpResponse = perform_login(request, user, redirect_url=reverse(leads_to))
    return answer

"""Ways in: a password, or a link that works once."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.sign_in_link import link_holder, spend_sign_in_link

BACKEND = "django.contrib.auth.backends.ModelBackend"

sign_in = LoginView.as_view(template_name="sign_in/page.html", redirect_authenticated_user=True)
sign_out = LogoutView.as_view()


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
        login(request, user, backend=BACKEND)
        return redirect("queue")
    return render(request, "sign_in/link.html", {"holder": user})

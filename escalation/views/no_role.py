"""What somebody reads who is signed in and holds no role: why there is nothing, and who could change that."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from escalation.policy import administrators
from escalation.views.seeing import NoRole


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Every 403 that no page answers for itself; it is the same page whatever address was asked for."""
    if not isinstance(exception, NoRole):
        return render(request, "403.html", status=403)
    answer = render(request, "no_role/page.html", {"administrators": administrators()}, status=403)
    answer["Cache-Control"] = "no-store"
    return answer

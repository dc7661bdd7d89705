"""The agents' door, described for people."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from operations.api.reference import endpoints, paragraphs
from operations.api.v1 import ABOUT


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Whoever is signed in may read it; it needs no script and nothing from elsewhere."""
    return render(request, "api_reference/page.html", {"about": paragraphs(ABOUT), "endpoints": endpoints()})

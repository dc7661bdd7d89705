"""The queue: what waits for a person."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Whoever is signed in sees what waits."""
    return render(request, "queue/page.html")

"""The decision record of one operation: a page to print, and the same as JSON. Decides nothing."""

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens.record import shown, whole
from escalation.views.seeing import seen_or_404


@never_cache
@require_safe
def record(request: HttpRequest, number: int) -> HttpResponse:
    """Whoever may read its recipient may read and print it."""
    sight = seen_or_404(request, number, now=timezone.now())
    return render(request, "record/page.html", shown(sight))


@never_cache
@require_safe
def record_json(request: HttpRequest, number: int) -> HttpResponse:
    """The same as JSON; keys stand in one fixed order."""
    sight = seen_or_404(request, number, now=timezone.now())
    text = json.dumps(whole(sight), indent=2, ensure_ascii=True)
    answer = HttpResponse(f"{text}\n", content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="record-{number}.json"'
    return answer

"""Results that are owed to agents, and the hand-over of one operation's. Reads; nothing here sends or tells anything."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens.handing_over import MOST_COUNTED, hand_over, lines
from escalation.screens.runs import facts
from escalation.views.seeing import reading, seen_or_404


@never_cache
@require_safe
def owed(request: HttpRequest) -> HttpResponse:
    """The results that are owed, those owed longest first."""
    found, count = lines(among=reading(request).ids)
    shown: dict[str, Any] = {
        "lines": found,
        "count": count,
        "most": MOST_COUNTED,
        "now": timezone.now(),
    }
    return render(request, "owed/page.html", shown)


@never_cache
@require_safe
def handover(request: HttpRequest, number: int) -> HttpResponse:
    """How far the results of one operation got, each fact with what evidences it."""
    sight = seen_or_404(request, number, now=timezone.now())
    found = hand_over(sight, among=reading(request).ids)
    shown: dict[str, Any] = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "owed": found.owed,
        "facts": found.facts,
        "steps": found.steps,
        "calls": [(one.call, facts(call)) for one, call in found.calls],
        "now": sight.now,
    }
    return render(request, "handover/page.html", shown)

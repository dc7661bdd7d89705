"""A contradiction: every statement side by side, the clause they break, and a report for the recipient. Decides nothing."""

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens.conflict import conflict as conflict_of
from escalation.screens.conflict_report import report
from escalation.screens.left import left_unresolved
from escalation.screens.reopened import reopened
from escalation.screens.request import bound_request
from escalation.views.seeing import seen_or_404
from operations.core.missing import missing


@never_cache
@require_safe
def conflict(request: HttpRequest, number: int) -> HttpResponse:
    """Whoever may read its recipient may read and print it; where there is no contradiction the page says so."""
    sight = seen_or_404(request, number, now=timezone.now())
    shown = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "document": sight.document,
        "now": sight.now,
        "conflict": conflict_of(sight),
        "left": left_unresolved(sight),
        "reopened": reopened(sight),
        "request_sent": bound_request(sight),
        "attempts": sight.attempts,
        "missing": missing(sight.standing),
        "head": bytes(sight.operation.head).hex(),
    }
    return render(request, "conflict/page.html", shown)


@never_cache
@require_safe
def conflict_report(request: HttpRequest, number: int) -> HttpResponse:
    """The same as JSON, to be sent to the recipient; keys stand in one fixed order."""
    sight = seen_or_404(request, number, now=timezone.now())
    found = conflict_of(sight)
    if found is None:
        raise Http404(f"No statements about operation {number} contradict each other.")
    text = json.dumps(report(sight, found), indent=2, ensure_ascii=True)
    answer = HttpResponse(f"{text}\n", content_type="application/json")
    answer["Content-Disposition"] = f'attachment; filename="conflict-{number}.json"'
    return answer

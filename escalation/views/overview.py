"""Figures about outcomes that needed people, narrowed in the address; each table as a file, too."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.forms.ranges import PRESETS, USUAL, NotARange, asked_of
from escalation.overview.ranges import Asked
from escalation.screens.audit_export import table
from escalation.screens.moment import one_moment
from escalation.screens.overview import Figures
from escalation.views.seeing import reading

_FIELDS: Final = ("from", "to", "recipient")
_LONGEST: Final = 100


def _typed(request: HttpRequest) -> dict[str, str]:
    return {field: request.GET.get(field, "")[:_LONGEST] for field in _FIELDS}


def _query(typed: Mapping[str, str], **other: str) -> str:
    written = urlencode({name: value for name, value in {**typed, **other}.items() if value})
    return f"?{written}" if written else ""


def _presets(typed: Mapping[str, str]) -> list[tuple[str, str, bool]]:
    """Name, address and whether it is the one that is shown; they end now."""
    chosen = "" if typed["to"] else typed["from"].strip() or USUAL
    return [
        (
            name.replace("h", " h").replace("d", " d"),
            _query({"recipient": typed["recipient"]}, **{"from": name}) or "?",
            name == chosen,
        )
        for name in PRESETS
    ]


def _field(at: datetime) -> str:
    """A time as the browser's field for times takes it."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M}"


def _frame(typed: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """What stands around the figures."""
    return {"typed": typed, "presets": _presets(typed), "query": _query(typed), "now": now}


def _shown(asked: Asked, typed: Mapping[str, str]) -> dict[str, Any]:
    figures = Figures(asked)
    with one_moment():  # so that the figures agree with each other, and with the queue
        return {
            "current": figures.now(),
            "past": figures.then(),
            "span": asked.span,
            "since": _field(asked.span.since),
            "until": _field(asked.span.until) if typed["to"] else "",
        }


@never_cache
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What is unresolved at the recipients that this person may read, and what came of it in a time."""
    now, typed = timezone.now(), _typed(request)
    try:
        asked = asked_of(typed, reads=reading(request), now=now)
    except NotARange as refused:
        return render(request, "overview/page.html", {**_frame(typed, now), "errors": refused.errors}, status=422)
    return render(request, "overview/page.html", {**_frame(typed, now), **_shown(asked, typed)})


@never_cache
@require_safe
def overview_csv(request: HttpRequest, figure: str) -> HttpResponse | StreamingHttpResponse:
    """The table of one figure as CSV, as the page shows it."""
    now = timezone.now()
    try:
        asked = asked_of(_typed(request), reads=reading(request), now=now)
    except NotARange as refused:
        return HttpResponse(f"{refused}\n", content_type="text/plain; charset=utf-8", status=422)
    with one_moment():
        sheet = Figures(asked).sheet(figure)
    if sheet is None:
        raise Http404(f"There is no figure {figure}.")
    answer = StreamingHttpResponse(table(sheet.columns, sheet.rows), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="overview-{sheet.key}.csv"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer

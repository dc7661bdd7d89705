"""Who did what: one list, narrowed in the address, and the same as files."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens import audit as screen
from escalation.screens.audit import Filters
from escalation.screens.audit_export import as_csv, as_json_lines
from escalation.views.seeing import reading


def _place(written: str) -> int | None:
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 38 else None


@never_cache
@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Who did what at the recipients that this person may read."""
    filters, before = Filters.of(request.GET), _place(request.GET.get("before", ""))
    found, following = screen.page(filters, reads=reading(request), before=before)
    shown = {
        "lines": found,
        "next": following and filters.query(before=str(following)),
        "first": filters.query() if before is not None else "",
        "filters": filters,
        "query": filters.query(),
        "choices": screen.choices(),
        "now": timezone.now(),
    }
    return render(request, "audit/page.html", shown)


def _file(lines: object, *, content_type: str, name: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type=content_type)  # type: ignore[arg-type]  # an iterator of text
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@never_cache
@require_safe
def audit_csv(request: HttpRequest) -> StreamingHttpResponse:
    """All that fits as CSV, streamed."""
    lines = as_csv(screen.every(Filters.of(request.GET), reads=reading(request)))
    return _file(lines, content_type="text/csv; charset=utf-8", name="audit.csv")


@never_cache
@require_safe
def audit_json_lines(request: HttpRequest) -> StreamingHttpResponse:
    """All that fits as JSON lines, streamed."""
    lines = as_json_lines(screen.every(Filters.of(request.GET), reads=reading(request)))
    return _file(lines, content_type="application/x-ndjson", name="audit.jsonl")

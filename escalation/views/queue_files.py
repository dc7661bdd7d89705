"""What the queue is narrowed to as files, streamed."""

from collections.abc import Iterator

from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens.queue_export import as_csv, as_json_lines
from escalation.views.queue import question


def _file(lines: Iterator[str], *, content_type: str, name: str) -> StreamingHttpResponse:
    answer = StreamingHttpResponse(lines, content_type=content_type)
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@never_cache
@require_safe
def queue_csv(request: HttpRequest) -> StreamingHttpResponse:
    """All that waits and fits as CSV, in the order of the queue."""
    lines = as_csv(question(request, timezone.now()))
    return _file(lines, content_type="text/csv; charset=utf-8", name="queue.csv")


@never_cache
@require_safe
def queue_json_lines(request: HttpRequest) -> StreamingHttpResponse:
    """All that waits and fits as JSON lines, in the order of the queue."""
    lines = as_json_lines(question(request, timezone.now()))
    return _file(lines, content_type="application/x-ndjson", name="queue.jsonl")

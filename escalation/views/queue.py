"""The queue: what needs a person, the most pressing first."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation import queue as asked
from escalation.models import User
from escalation.queue import Filters
from escalation.screens.moment import one_moment
from escalation.screens.rows import SITUATION, sections
from escalation.screens.second_signatures import waiting
from escalation.views.seeing import reading

LONGEST_SEARCH: Final = 200
NUL: Final = "\0"  # which PostgreSQL's text can't hold


def _filters(request: HttpRequest) -> Filters:
    """What the address narrows to; a situation that is none narrows to nothing."""
    situation = request.GET.get("situation", "")
    return Filters(
        recipient=request.GET.get("recipient", "").replace(NUL, "")[:LONGEST_SEARCH],
        situation=situation if situation in asked.SITUATIONS else "",
        text=request.GET.get("text", "").replace(NUL, "").strip()[:LONGEST_SEARCH],
    )


def _address(filters: Filters, **more: str) -> str:
    """The query string of the queue narrowed so."""
    parts = {"recipient": filters.recipient, "situation": filters.situation, "text": filters.text, **more}
    written = urlencode({name: value for name, value in parts.items() if value})
    return f"?{written}" if written else "?"


def _facets(filters: Filters, waiting: asked.Rows) -> dict[str, Any]:
    """The menu with its counts, each under all filters but its own."""
    situations = asked.by_situation(asked.narrowed(waiting, replace(filters, situation="")))
    recipients = asked.by_recipient(asked.narrowed(waiting, replace(filters, recipient="")))
    return {
        "situations": [
            (SITUATION[key], count, _address(replace(filters, situation=key)), key == filters.situation)
            for key, count in situations.items()
        ],
        "recipients": [
            (name, count, _address(replace(filters, recipient=key)), key == filters.recipient)
            for key, name, count in recipients
        ],
        "any_situation": _address(replace(filters, situation="")),
        "any_recipient": _address(replace(filters, recipient="")),
    }


def _token(rows: asked.Rows, now: datetime) -> str:
    return f"{asked.revision(rows)}-{int(now.timestamp()) // 60}"


def _shown(request: HttpRequest, now: datetime) -> dict[str, Any]:
    """What the page and its rows are made of."""
    filters, after = _filters(request), asked.place_of(request.GET.get("after", ""))
    waiting = asked.waiting(now, reads=reading(request))
    rows = asked.narrowed(waiting, filters)
    counts = asked.counted(rows)
    found, place = asked.page(rows, after=after)
    total = sum(counts.values()) - counts[asked.Group.LEFT_UNRESOLVED]  # those need nobody yet
    here = _address(filters, after=request.GET.get("after", "") if after else "")
    return {
        "now": now,
        "filters": filters,
        "narrowed": filters != Filters(),
        "waiting": waiting,
        "sections": sections(found, counts, now=now),
        "shown": len(found),
        "total": min(total, asked.MOST_COUNTED),
        "more": total > asked.MOST_COUNTED,
        "later_page": after is not None,
        "next": None if place is None else _address(filters, after=str(place)),
        "first": _address(filters),
        "here": here,
        "token": _token(rows, now),
    }


@never_cache
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Whoever asks sees what waits of the recipients that they may read."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    with one_moment():  # what comes in meanwhile would stand in a heading and not below it
        shown = _shown(request, timezone.now())
        unsigned = waiting(request.user, now=shown["now"], reads=reading(request)).yours
        facets = _facets(shown["filters"], shown["waiting"])
    return render(request, "queue/page.html", {**shown, **facets, "unsigned": len(unsigned)})


@never_cache
@require_safe
def queue_rows(request: HttpRequest) -> HttpResponse:
    """The rows of that page, byte for byte as the page has them."""
    with one_moment():
        shown = _shown(request, timezone.now())
    return render(request, "queue/_rows.html", shown)


@never_cache
@require_safe
def queue_revision(request: HttpRequest) -> HttpResponse:
    """204 where nothing changed since `seen`; else what the page has seen now, and the word to fetch the rows."""
    now, filters = timezone.now(), _filters(request)
    fresh = _token(asked.narrowed(asked.waiting(now, reads=reading(request)), filters), now)
    if request.GET.get("seen", "") == fresh:
        return HttpResponse(status=204)
    after = asked.place_of(request.GET.get("after", ""))
    here = _address(filters, after=str(after) if after else "")
    answer = render(request, "queue/_live.html", {"token": fresh, "here": here})
    answer["HX-Trigger"] = "revised"
    return answer

"""The queue: what needs a person, the most pressing first."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation import queue as asked
from escalation.models import User
from escalation.queue import Filters, Group, Question
from escalation.screens.incident import by_cause
from escalation.screens.menu import address, filters_of, menu
from escalation.screens.moment import one_moment
from escalation.screens.rows import sections
from escalation.screens.second_signatures import waiting
from escalation.views.queue_views import saved
from escalation.views.seeing import reading


def question(request: HttpRequest, now: datetime) -> Question:
    """What the address asks, for whoever asks."""
    return Question(now=now, reads=reading(request), person=request.user.pk, filters=filters_of(request.GET))


def _token(found: tuple[asked.Placed, ...], counts: dict[Group, int], now: datetime) -> str:
    return f"{asked.revision(found, counts)}-{int(now.timestamp()) // 60}"


def _of_group(facets: asked.Facets, group: Group | None) -> dict[Group, int]:
    """How many rows stand in each group that is shown."""
    return {one: rows if group in (None, one) else 0 for one, rows in facets.groups.items()}


def _shown(request: HttpRequest, question_: Question, counts: dict[Group, int]) -> dict[str, Any]:
    """What the page and its rows are made of."""
    now, after = question_.now, asked.place_of(request.GET.get("after", ""))
    found = asked.page(question_, after=after)
    waits = [count for group, count in counts.items() if group is not Group.LEFT_UNRESOLVED]  # those need nobody yet
    filters = question_.filters
    return {
        "now": now,
        "filters": filters,
        "narrowed": filters != Filters(),
        "sections": sections(zip(found.operations, found.places, strict=True), counts, now=now),
        "counts": counts,
        "shown": len(found.places),
        "total": sum([min(count, asked.MOST_COUNTED) for count in waits]),
        "more": any(count > asked.MOST_COUNTED for count in waits),
        "later_page": after is not None,
        "next": None if found.next is None else address(filters, after=str(found.next)),
        "first": address(filters),
        "here": address(filters, after=request.GET.get("after", "") if after else ""),
        "token": _token(found.places, counts, now),
    }


@never_cache
@require_safe
def queue(request: HttpRequest) -> HttpResponse:
    """Whoever asks sees what waits of the recipients that they may read."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    with one_moment():  # what comes in meanwhile would stand in a heading and not below it
        question_ = question(request, timezone.now()).looked_up()
        facets = asked.facets(question_)
        shown = _shown(request, question_, _of_group(facets, question_.filters.group))
        unsigned = waiting(request.user, now=question_.now, reads=question_.reads).yours
    beside = {"menu": menu(question_.filters, facets), "unsigned": len(unsigned), "views": saved(request.user)}
    return render(request, "queue/page.html", {**shown, **beside})


@never_cache
@require_safe
def queue_grouped(request: HttpRequest) -> HttpResponse:
    """What waits by recipient and by what is missing, so that one cause is seen to be one."""
    with one_moment():
        asked_ = question(request, timezone.now()).looked_up()
        lines = by_cause(asked_)
    shown = {"lines": lines, "now": asked_.now, "back": address(asked_.filters), "filters": asked_.filters}
    return render(request, "queue/grouped.html", shown)


@never_cache
@require_safe
def queue_rows(request: HttpRequest) -> HttpResponse:
    """The rows of that page, byte for byte as the page has them."""
    with one_moment():
        question_ = question(request, timezone.now()).looked_up()
        shown = _shown(request, question_, asked.counted(question_))
    return render(request, "queue/_rows.html", shown)


@never_cache
@require_safe
def queue_revision(request: HttpRequest) -> HttpResponse:
    """204 where nothing changed since `seen`; else what the page has seen now, and the word to fetch the rows."""
    now, after = timezone.now(), asked.place_of(request.GET.get("after", ""))
    with one_moment():
        question_ = question(request, now).looked_up()
        found, _ = asked.placed(question_, after=after, size=asked.PAGE)
        fresh = _token(tuple(found), asked.counted(question_), now)
    if request.GET.get("seen", "") == fresh:
        return HttpResponse(status=204)
    here = address(question_.filters, after=str(after) if after else "")
    answer = render(request, "queue/_live.html", {"token": fresh, "here": here})
    answer["HX-Trigger"] = "revised"
    return answer

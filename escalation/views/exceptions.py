"""Accepted risks, those that wait for a second person first; and the page on which that person accepts or declines one."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.decisions.approve_exception import ChangedSinceProposed, NotWaiting, approve, decline
from escalation.decisions.taking import Taker
from escalation.forms.doors import DoorForm
from escalation.forms.exceptions import JudgeForm
from escalation.models import User
from escalation.policy import May, above_limit, not_the_second
from escalation.screens import exceptions as screen
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, Refused, door
from escalation.views.seeing import reading
from operations.core.actions import Action


def _number(written: str) -> int | None:
    return int(written) if written.isascii() and written.isdigit() and len(written) < 19 else None


@never_cache
@require_safe
def exceptions(request: HttpRequest) -> HttpResponse:
    """Which risks were proposed, accepted and taken at the recipients that this person may read, and what became of them."""
    now, reads = timezone.now(), reading(request)
    filters = screen.Filters.of(request.GET)
    before = _number(request.GET.get("before", ""))
    rows, following = screen.page(filters, before=before, now=now, reads=reads)
    states, scores = screen.facets(filters, now=now, reads=reads)
    shown = {
        "rows": rows,
        "next": following and f"{filters.query()}&before={following}",
        "first": filters.query() if before is not None else "",
        "states": states,
        "scores": scores,
        "narrowed_to": filters,
        "any_recipient": filters.query(recipient=""),
        "totals": screen.totals(now=now, reads=reads),
        "now": now,
    }
    return render(request, "exceptions/page.html", shown)


def _form(_: Sight, *typed: Any, **more: Any) -> JudgeForm:
    return JudgeForm(*typed, **more)


def _shown(exception: int, request: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    found = _found(request, exception, now=sight.now)
    return {
        "risk": found,
        "waits": found.state == "waiting",
        "changed": screen.changed_since(found, sight),
        "not_you": not_the_second(request.user, first=found.row.proposed_by)
        or above_limit(request.user, recipient=sight.operation.recipient_id, exposure=found.row.money),
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
    }


def _found(request: HttpRequest, exception: int, *, now: datetime) -> screen.Shown:
    found = screen.one(exception, now=now, reads=reading(request))
    if found is None:
        raise Http404(f"There is no accepted risk {exception}.")
    return found


def _take(exception: int, _: Sight, form: DoorForm, taker: Taker) -> str:
    typed = form.cleaned_data
    judge = approve if typed["act"] == "approve" else decline
    try:
        row = judge(exception, taker, remark=typed["remark"])
    except (NotWaiting, ChangedSinceProposed) as refused:
        raise Refused(str(refused)) from None
    done = "accepted under your name" if row.approved_at else "declined"
    return f"Risk {row.pk} is {done}. It changes no fact, and nothing was sent."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def approve_exception(request: HttpRequest, exception: int) -> HttpResponse:
    """Looking decides nothing; a POST by a second person accepts or declines once, however often it is sent."""
    page = DoorPage(
        action=Action.EXCEPT,
        template="approve_exception/page.html",
        form=_form,
        shown=partial(_shown, exception),
        take=partial(_take, exception),
        may=May.APPROVE_EXCEPTION,
    )
    return door(request, _found(request, exception, now=timezone.now()).row.operation.number, page)

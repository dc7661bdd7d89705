"""One operation: what is known of it, what it rests on, and what may be done."""

from datetime import datetime
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.decisions.places import may_repeat
from escalation.models import RecordRepair, User
from escalation.policy import May
from escalation.queue import revision_of
from escalation.screens.cases import case_of
from escalation.screens.clauses import sources_of
from escalation.screens.closing import closed_by, closings_of, with_closing
from escalation.screens.doors import doors, first_step, name_of
from escalation.screens.exceptions import of_operation
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.inspections import waiting
from escalation.screens.lane import ENDS, lane
from escalation.screens.left import leavings, left_unresolved
from escalation.screens.panels import panels
from escalation.screens.receipts import our_record
from escalation.screens.reopened import reopened
from escalation.screens.repeating import progress
from escalation.screens.request import bound_request
from escalation.screens.schedule import schedule_of
from escalation.screens.second_signatures import waiting_at, with_two
from escalation.screens.seen import PAGE, attempts, page
from escalation.screens.sight import Sight
from escalation.screens.succession import predecessor, successors
from escalation.views.seeing import may_not, reading, seen_or_404
from operations.core.actions import Action
from operations.core.missing import missing
from operations.reading import NoSuchOperation, Wanted

# The parts of the page that htmx refreshes; each is the file that the page includes.
PARTS: Final = ("banner", "case", "panels", "doors", "picture", "asking", "observations")


# What somebody must be allowed to go through each door that has a page.
MAY: Final = {
    Action.RECORD: May.REPAIR_RECORD,
    Action.OBSERVE: May.ASK,
    Action.REPEAT: May.REPEAT,
    Action.PROPOSE_NEW: May.AUTHORISE_NEW,
    Action.LEAVE_UNRESOLVED: May.LEAVE_UNRESOLVED,
    Action.EXCEPT: May.PROPOSE_EXCEPTION,
}


def token(revision: int, now: datetime) -> str:
    """What a page has seen: the revision, and the minute in which its times were told."""
    return f"{revision}-{int(now.timestamp()) // 60}"


def _step(sight: Sight) -> dict[str, Any] | None:
    step = first_step(sight)
    if step is None:
        return None
    sent = bool(sight.standing.weighed.went.reached)
    return {"name": name_of(step.action, sight.standing.situation, sent=sent), "because": step.because.sentence}


def _person(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _may_not(request: HttpRequest, sight: Sight) -> dict[Action, str | None]:
    """Why whoever asks gets no further at each door: of what closes another, its repeat is asked for as the closing is."""
    mays = {**MAY, Action.REPEAT: may_repeat(sight.operation)}
    return {action: may_not(request, may, sight) for action, may in mays.items()}


def _before(request: HttpRequest) -> int | None:
    """The number below which the observations are shown; None: the newest are."""
    before = request.GET.get("before", "")
    return int(before) if before.isascii() and before.isdigit() and len(before) < 10 else None


def _shown(request: HttpRequest, number: int) -> dict[str, Any]:
    """What the page and every part of it are made of."""
    before = _before(request)
    sight = seen_or_404(request, number, now=timezone.now(), wanted=Wanted(last=PAGE + 1, before=before, ends=ENDS))
    seen = page(sight, before=before)
    return {
        "sight": sight,
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "document": sight.document,
        "now": sight.now,
        "token": token(sight.operation.revision, sight.now),
        "step": _step(sight),
        "case": case_of(sight.operation, person=_person(request), now=sight.now),
        "mind_not": may_not(request, May.MIND, sight),
        "left": left_unresolved(sight),
        "reopened": reopened(sight),
        "leavings": leavings(sight),
        "risks": of_operation(sight),
        "waiting": waiting_at(sight),
        "predecessor": predecessor(sight),
        "successors": successors(sight),
        "repeats": progress(sight.operation, now=sight.now),
        "missing": missing(sight.standing),
        "panels": panels(sight),
        "doors": with_two(
            with_closing(
                doors(sight, may_not=_may_not(request, sight)),
                sight,
                may_not=may_not(request, May.CLOSE_ORIGINAL, sight),
            ),
            sight,
        ),
        "closes": closed_by(sight),
        "closings": list(closings_of(sight)),
        "lane": lane(sight),
        "schedule": schedule_of(sight),
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
        "observed": seen,
        "before": str(before) if seen.later else "",
        "notes": seen.notes,
        "inspections": waiting(sight),
        "attempts": attempts(sight),
        "our_record": our_record(sight),
        "repairs": RecordRepair.objects.filter(operation=sight.operation).select_related("decided_by", "completion"),
        "request_sent": bound_request(sight),
        "sources": sources_of(sight),
    }


@never_cache
@require_safe
def operation(request: HttpRequest, number: int) -> HttpResponse:
    """Whoever may read its recipient may read one operation whole."""
    return render(request, "operation/page.html", _shown(request, number))


@never_cache
@require_safe
def operation_part(request: HttpRequest, number: int, part: str) -> HttpResponse:
    """One part of that page, byte for byte as the page has it."""
    if part not in PARTS:
        raise Http404("The page has no such part.")
    return render(request, f"operation/_{part}.html", _shown(request, number))


@never_cache
@require_safe
def operation_revision(request: HttpRequest, number: int) -> HttpResponse:
    """204 where nothing changed since `seen`; else what a page has seen now, and whether facts changed or time went on."""
    try:
        revision = revision_of(number, reads=reading(request))
    except NoSuchOperation:
        raise Http404(f"There is no operation {number}.") from None
    fresh, seen = token(revision, timezone.now()), request.GET.get("seen", "")
    if seen == fresh:
        return HttpResponse(status=204)
    answer = render(request, "operation/_live.html", {"operation": {"number": number}, "token": fresh})
    answer["HX-Trigger"] = "told" if seen.partition("-")[0] == str(revision) else "revised"
    return answer

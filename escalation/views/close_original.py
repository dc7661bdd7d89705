"""Close the original: what is sent, what it may do to what happened, who sends it, and a yes. Progress is read, not promised."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.decisions.close_original import close_original as decide
from escalation.decisions.taking import Taker
from escalation.forms.closing import CloseOriginalForm
from escalation.forms.doors import DoorForm
from escalation.models.protected_repeat import AGENT, DESK
from escalation.policy import May
from escalation.screens.closing import closing_page, closings_of
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, ForTheSecond, Refused, door
from escalation.views.seeing import seen_or_404
from operations.contracts.closing import CannotClose
from operations.core.closing import Closing
from operations.dispatch import CannotSend
from operations.recording.dispatching import UnderWay


def _form(sight: Sight, *typed: Any, **more: Any) -> CloseOriginalForm:
    page = closing_page(sight)
    here = [DESK] if page.going is not None else []
    return CloseOriginalForm(*typed, executors=[*here, AGENT], warned=page.warned, **more)


def _shown(_: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    page = closing_page(sight)
    return {
        "closing": page,
        "locked": page.door.why[0] if page.door.state == "locked" else None,
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
    }


def _take(sight: Sight, form: DoorForm, taker: Taker) -> str:
    executor = form.cleaned_data["executor"]
    try:
        made = decide(sight.operation.id, taker, executor=executor)
    except (CannotClose, CannotSend, UnderWay) as refused:
        raise Refused(str(refused)) from None
    who = "This desk sends it" if executor == DESK else "The agent may send it once"
    return f"Authorised as operation {made.closing.number}. {who}; below stands how far that has come."


PAGE: Final = DoorPage(
    action=Closing.CLOSE_ORIGINAL,
    template="close_original/page.html",
    form=_form,
    shown=_shown,
    take=_take,
    may=May.CLOSE_ORIGINAL,
    leads_to="close_original",
    second=ForTheSecond(
        parts=("close_original/_follows.html", "close_original/_bytes.html", "close_original/_executors.html"),
        styles=("protected_repeat.css", "close_original.css"),
    ),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def close_original(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST with an executor and a yes writes one decision, however often it is sent."""
    return door(request, number, PAGE)


@never_cache
@require_safe
def closing_progress(request: HttpRequest, number: int) -> HttpResponse:
    """How far the requests that close an operation have come, byte for byte as the page has it."""
    sight = seen_or_404(request, number, now=timezone.now())
    shown = {"operation": sight.operation, "now": sight.now, "closings": list(closings_of(sight))}
    return render(request, "close_original/_progress.html", shown)

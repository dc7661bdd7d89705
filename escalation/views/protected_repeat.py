"""Repeat the same request: its exact bytes, the time that is left, who sends it, and a yes. Progress is read, not promised."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.decisions.protected_repeat import TooLate
from escalation.decisions.protected_repeat import protected_repeat as decide
from escalation.decisions.taking import Taker
from escalation.forms.doors import DoorForm, ProtectedRepeatForm
from escalation.models.protected_repeat import AGENT, DESK
from escalation.policy import May
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.repeating import progress, repeating
from escalation.screens.request import bound_request
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, ForTheSecond, Refused, door
from escalation.views.seeing import seen_or_404
from operations.core.actions import Action
from operations.dispatch import CannotSend
from operations.reading import closings
from operations.recording.dispatching import UnderWay


def _form(sight: Sight, *typed: Any, **more: Any) -> ProtectedRepeatForm:
    page = repeating(sight)
    here = [DESK] if page.going is not None else []
    return ProtectedRepeatForm(*typed, executors=[*here, AGENT], warned=page.warned, **more)


def _shown(_: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    found = progress(sight.operation, now=sight.now)
    return {
        "repeating": repeating(sight),
        "request_sent": bound_request(sight),
        "progress": found,
        "under_way": any(one.open and one.executor == DESK for one in found),
        "granted": any(one.open and one.executor == AGENT for one in found),
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
    }


def _take(sight: Sight, form: DoorForm, taker: Taker) -> str:
    executor = form.cleaned_data["executor"]
    try:
        decide(sight.operation.id, taker, executor=executor)
    except (TooLate, UnderWay, CannotSend) as refused:
        raise Refused(str(refused)) from None
    who = "This desk sends it" if executor == DESK else "The agent may send it once"
    return f"Authorised. {who}; below stands how far that has come."


PAGE: Final = DoorPage(
    action=Action.REPEAT,
    template="protected_repeat/page.html",
    form=_form,
    shown=_shown,
    take=_take,
    may=May.REPEAT,
    leads_to="protected_repeat",
    second=ForTheSecond(
        parts=("protected_repeat/_window.html", "protected_repeat/_bytes.html", "protected_repeat/_executors.html"),
        styles=("protected_repeat.css",),
    ),
)

# What closes another operation is sent again by whoever may have that one closed.
OF_A_CLOSING: Final = replace(PAGE, may=May.CLOSE_ORIGINAL)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def protected_repeat(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST with an executor and a yes writes one decision, however often it is sent."""
    return door(request, number, OF_A_CLOSING if closings.closes_another(number) else PAGE)


@never_cache
@require_safe
def repeat_progress(request: HttpRequest, number: int) -> HttpResponse:
    """How far the repeats of an operation have come, byte for byte as the page has it."""
    sight = seen_or_404(request, number, now=timezone.now())
    shown = {
        "operation": sight.operation,
        "now": sight.now,
        "progress": progress(sight.operation, now=sight.now),
    }
    return render(request, "protected_repeat/_progress.html", shown)

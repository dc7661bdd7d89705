"""Authorise a new operation: the original beside the proposal, two statements apart, and what was checked. Sends nothing."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions.business_exception import NotUsable, usable
from escalation.decisions.new_operation import NoExcuse, authorise_new, established
from escalation.decisions.proposing import WrongProposal
from escalation.decisions.stake import at_stake
from escalation.decisions.taking import Taker
from escalation.forms.doors import DoorForm
from escalation.policy import May, second_person_needed
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.proposal import compared
from escalation.screens.request import bound_request
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, ForTheSecond, Refused, door, looked_at_again
from escalation.views.new_operation_form import NewOperationForm, ProposalForm
from escalation.views.seeing import seen_or_404
from operations.core.actions import Action
from operations.core.representation import Representation

COMPARE: Final = "compare"
# What a second person reads of this page.
PARTS: Final = ("original", "proposal", "differences", "authority", "confirm")


def _form(sight: Sight, *typed: Any, **more: Any) -> NewOperationForm:
    return NewOperationForm(*typed, sight=sight, **more)


def _proposal(request: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    """Return how what was typed differs from the original, or what is wrong with it; nothing where nothing was typed."""
    if request.method != "POST":
        return {}
    form = ProposalForm(request.POST, sight=sight)
    if not form.is_valid():
        return {"faults": [str(error) for errors in form.errors.values() for error in errors]}
    try:
        return _compared(sight, form.request())
    except WrongProposal as wrong:
        return {"faults": [str(wrong)]}


def _compared(sight: Sight, request: Representation) -> Mapping[str, Any]:
    """Return how a request differs from the original, and whether the amount that it names takes two people."""
    amount, here = at_stake(sight.operation, request), sight.operation.recipient_id
    return {
        "compared": compared(sight, request),
        "two": second_person_needed(May.AUTHORISE_NEW, recipient=here, amount=amount),
    }


def _beside(sight: Sight, form: DoorForm) -> Mapping[str, Any]:
    return {"compared": compared(sight, form.cleaned_data["request"])}


def _shown(request: HttpRequest, sight: Sight, *, by_exception: bool) -> Mapping[str, Any]:
    return {
        "established": established(sight.standing),
        "excuse": usable(sight.operation.id, sight.now) if by_exception else None,
        "request_sent": bound_request(sight),
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
        **_proposal(request, sight),
    }


def _take(sight: Sight, form: DoorForm, taker: Taker, *, by_exception: bool) -> str:
    assert isinstance(form, NewOperationForm)  # noqa: S101  # it is the form this page makes
    try:
        row = authorise_new(
            sight.operation.id,
            taker,
            request=form.cleaned_data["request"],
            authority=form.stated(),
            by_exception=by_exception,
        )
    except (WrongProposal, NoExcuse, NotUsable) as refused:
        raise Refused(str(refused)) from None
    return f"Authorised as operation {row.successor.number}. Nothing was sent; the agent may send it once."


PAGE: Final = DoorPage(
    action=Action.PROPOSE_NEW,
    template="new_operation/page.html",
    form=_form,
    shown=partial(_shown, by_exception=False),
    take=partial(_take, by_exception=False),
    may=May.AUTHORISE_NEW,
    second=ForTheSecond(
        parts=tuple([f"new_operation/_{part}.html" for part in PARTS]), styles=("new_operation.css",), beside=_beside
    ),
)
BY_EXCEPTION: Final = replace(
    PAGE,
    action=Action.EXCEPT,
    shown=partial(_shown, by_exception=True),
    take=partial(_take, by_exception=True),
)


def _page(sight: Sight) -> DoorPage:
    """Return the page by which a new operation is authorised here: the core's leave, else an accepted risk."""
    if sight.verdict[Action.PROPOSE_NEW] is None or usable(sight.operation.id, sight.now) is None:
        return PAGE
    return BY_EXCEPTION


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_operation(request: HttpRequest, number: int) -> HttpResponse:
    """Looking and comparing decide nothing; a POST of what was compared writes one decision, however often it is sent."""
    page = _page(seen_or_404(request, number, now=timezone.now()))
    if request.method == "POST" and COMPARE in request.POST:
        return looked_at_again(request, number, page)
    return door(request, number, page)

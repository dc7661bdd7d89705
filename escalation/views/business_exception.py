"""Accept a risk: what may be true, what is at stake, why, who bears it, and its review. Proposes; a second person accepts."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions.business_exception import AcceptedAlready, NotLater, named, propose
from escalation.decisions.taking import Taker
from escalation.forms.doors import DoorForm
from escalation.forms.exceptions import LONGEST_REVIEW, LONGEST_USE, OFFERED, BusinessExceptionForm
from escalation.policy import May, second_person_needed
from escalation.screens.exceptions import of_operation
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, Refused, door
from operations.core.actions import Action


def _form(sight: Sight, *typed: Any, **more: Any) -> BusinessExceptionForm:
    return BusinessExceptionForm(*typed, now=sight.now, **more)


def _shown(_: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    here = sight.operation.recipient_id
    return {
        "histories": [one["sentence"] for one in named(sight.standing)],
        "offered": [(key, excuses, loss) for key, (excuses, loss) in OFFERED.items()],
        "two": second_person_needed(May.PROPOSE_EXCEPTION, recipient=here, amount=None),
        "risks": of_operation(sight),
        "first_review": f"{sight.now + timedelta(days=1):%Y-%m-%d}",
        "last_review": f"{sight.now + LONGEST_REVIEW:%Y-%m-%d}",
        "earliest": f"{sight.now:%Y-%m-%dT%H:%M}",
        "latest": f"{sight.now + LONGEST_USE:%Y-%m-%dT%H:%M}",
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
    }


def _take(sight: Sight, form: DoorForm, taker: Taker) -> str:
    assert isinstance(form, BusinessExceptionForm)  # noqa: S101  # it is the form this page makes
    try:
        row = propose(sight.operation.id, taker, risk=form.risk())
    except (NotLater, AcceptedAlready) as refused:
        raise Refused(str(refused)) from None
    return f"Proposed as risk {row.pk}. It waits for a second person, and excuses nothing yet. Nothing was sent."


PAGE: Final = DoorPage(
    action=Action.EXCEPT,
    template="business_exception/page.html",
    form=_form,
    shown=_shown,
    take=_take,
    may=May.PROPOSE_EXCEPTION,
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def business_exception(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST that states the risk writes one proposal, however often it is sent."""
    return door(request, number, PAGE)

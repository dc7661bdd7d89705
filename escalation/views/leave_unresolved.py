"""Stop here, outcome unknown: the missing fact, who was told, when to look again. Sends nothing, establishes nothing."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions.leave_unresolved import NotLater, NotMissing
from escalation.decisions.leave_unresolved import leave_unresolved as decide
from escalation.decisions.taking import Taker
from escalation.forms.doors import LONGEST_LEFT, DoorForm, LeaveUnresolvedForm
from escalation.policy import May
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.left import ends, gaps, left_unresolved
from escalation.screens.sight import Sight
from escalation.screens.times import clock
from escalation.views.door import DoorPage, ForTheSecond, Refused, door
from operations.core.actions import Action
from operations.decided import FACTS


def _form(sight: Sight, *typed: Any, **more: Any) -> LeaveUnresolvedForm:
    return LeaveUnresolvedForm(*typed, facts=[gap.value for gap in gaps(sight)], now=sight.now, **more)


def _shown(_: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    return {
        "left": left_unresolved(sight),
        "gaps": gaps(sight),
        "ends": list(ends(sight)),
        "earliest": f"{sight.now:%Y-%m-%dT%H:%M}",
        "latest": f"{sight.now + LONGEST_LEFT:%Y-%m-%dT%H:%M}",
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
    }


def _take(sight: Sight, form: DoorForm, taker: Taker) -> str:
    assert isinstance(form, LeaveUnresolvedForm)  # noqa: S101  # it is the form this page makes
    typed = form.cleaned_data
    try:
        decide(
            sight.operation.id,
            taker,
            fact=FACTS[typed["fact"]],
            told=typed["told"],
            look_again_at=typed["look_again_at"],
            remark=typed["remark"],
        )
    except (NotMissing, NotLater) as refused:
        raise Refused(str(refused)) from None
    until = clock(typed["look_again_at"], now=taker.now)
    return f"Left unresolved until {until}. The outcome is still unknown; nothing was sent."


PAGE: Final = DoorPage(
    action=Action.LEAVE_UNRESOLVED,
    template="leave_unresolved/page.html",
    form=_form,
    shown=_shown,
    take=_take,
    may=May.LEAVE_UNRESOLVED,
    second=ForTheSecond(
        parts=("leave_unresolved/_missing.html", "leave_unresolved/_confirm.html"), styles=("leave_unresolved.css",)
    ),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave_unresolved(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST that names what is missing writes one decision, however often it is sent."""
    return door(request, number, PAGE)

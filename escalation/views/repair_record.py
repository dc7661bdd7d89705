"""Repair the record: the receipt compared line by line, our record before and after, and a yes. Sends nothing."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions.record_repair import repair_record as decide
from escalation.decisions.taking import Taker
from escalation.forms.doors import STANDING_ALONE, DoorForm, RecordRepairForm
from escalation.policy import May
from escalation.screens.asking import finders
from escalation.screens.receipts import Repair, repair
from escalation.screens.sight import Sight
from escalation.views.door import DoorPage, ForTheSecond, door
from escalation.views.seeing import may_not
from operations.core.actions import Action


def _offered(found: Repair) -> list[str]:
    return [str(receipt.id) for receipt in found.receipts] or ([STANDING_ALONE] if found.alone else [])


def _form(sight: Sight, *typed: Any, **more: Any) -> RecordRepairForm:
    return RecordRepairForm(*typed, offered=_offered(repair(sight)), **more)


def _shown(request: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    return {
        "repair": repair(sight),
        "recorded": sight.recorded,
        "finders": finders(sight),
        "may_not_ask": may_not(request, May.ASK, sight),
        "standing_alone": STANDING_ALONE,
    }


def _take(sight: Sight, form: DoorForm, taker: Taker) -> str:
    assert isinstance(form, RecordRepairForm)  # noqa: S101  # it is the form this page makes
    decide(
        sight.operation.id,
        taker,
        receipt=form.receipt_id(),
        remark=form.cleaned_data["remark"],
    )
    return "Our record is repaired. Nothing was sent."


PAGE: Final = DoorPage(
    action=Action.RECORD,
    template="repair_record/page.html",
    form=_form,
    shown=_shown,
    take=_take,
    may=May.REPAIR_RECORD,
    second=ForTheSecond(parts=("repair_record/_receipts.html", "repair_record/_confirm.html")),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def repair_record(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST with a receipt and a yes writes one decision, however often it is sent."""
    return door(request, number, PAGE)

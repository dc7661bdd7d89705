"""Repair the record: the receipt compared line by line, our record before and after, and a yes. Sends nothing."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.record_repair import repair_record as decide
from escalation.forms import STANDING_ALONE, RecordRepairForm
from escalation.models import User
from escalation.screens.asking import finders
from escalation.screens.panels import panels
from escalation.screens.receipts import Repair, repair
from escalation.screens.sight import Sight
from escalation.views.operation import seen_or_404, why_not_ask, why_not_repair
from operations import recording
from operations.core.actions import Action

CHANGED = "This operation changed while you were reading. Nothing was written; look at it again before you confirm."


def _offered(found: Repair) -> list[str]:
    return [str(receipt.id) for receipt in found.receipts] or ([STANDING_ALONE] if found.alone else [])


def _page(
    request: HttpRequest, sight: Sight, form: RecordRepairForm, found: Repair, *, refused: str = "", status: int = 200
) -> HttpResponse:
    locked = sight.verdict[Action.RECORD]
    shown = {
        "operation": sight.operation,
        "document": sight.document,
        "now": sight.now,
        "panels": panels(sight),
        "repair": found,
        "recorded": sight.recorded,
        "locked": None if locked is None else locked.sentence,
        "may_not": why_not_repair(request.user),
        "recipient": sight.operation.recipient,
        "finders": finders(sight),
        "may_not_ask": why_not_ask(request.user),
        "form": form,
        "refused": refused,
        "standing_alone": STANDING_ALONE,
    }
    return render(request, "repair_record/page.html", shown, status=status)


def _kept(request: HttpRequest, number: int, sentence: str, *, status: int) -> HttpResponse:
    """The page as it stands now, with what the person chose and typed; the yes has to be said again."""
    sight = seen_or_404(number, now=timezone.now())
    found = repair(sight)
    typed: dict[str, Any] = {name: request.POST.get(name, "") for name in ("receipt", "remark")}
    form = RecordRepairForm(initial={**typed, "revision": sight.operation.revision}, offered=_offered(found))
    return _page(request, sight, form, found, refused=sentence, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def repair_record(request: HttpRequest, number: int) -> HttpResponse:
    """Looking decides nothing; a POST with a receipt and a yes writes one decision, however often it is sent."""
    sight = seen_or_404(number, now=timezone.now())
    found = repair(sight)
    if request.method != "POST":
        form = RecordRepairForm(initial={"revision": sight.operation.revision}, offered=_offered(found))
        return _page(request, sight, form, found)
    form = RecordRepairForm(request.POST, offered=_offered(found))
    if form.is_valid():
        return _decided(request, sight, form)
    if form.cleaned_data.get("revision") != sight.operation.revision:
        return _kept(request, number, CHANGED, status=409)
    return _page(request, sight, form, found, status=422)


def _decided(request: HttpRequest, sight: Sight, form: RecordRepairForm) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    number = sight.operation.number
    try:
        decide(
            sight.operation.id,
            person=request.user,
            revision=form.cleaned_data["revision"],
            receipt=form.receipt_id(),
            remark=form.cleaned_data["remark"],
            now=timezone.now(),
        )
    except NotAllowed as refused:
        return _kept(request, number, str(refused), status=403)
    except StaleView:
        return _kept(request, number, CHANGED, status=409)
    except (recording.NotPermitted, recording.NotAReceipt) as refused:
        return _kept(request, number, f"Nothing was written. {refused}", status=409)
    messages.success(request, "Our record is repaired. Nothing was sent.")
    return redirect("operation", number=number)

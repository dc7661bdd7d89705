"""What waits for a second signature, and the page on which another person signs or declines what one proposed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.decisions.second_signature import decline, withdraw
from escalation.decisions.taking import Taker
from escalation.forms.doors import DoorForm, SignForm
from escalation.models import SecondSignature, User
from escalation.policy import not_the_signer
from escalation.screens import second_signatures as screen
from escalation.screens.following import ASSUMPTIONS, follows
from escalation.screens.sight import Sight
from escalation.views import close_original, leave_unresolved, new_operation, protected_repeat, repair_record
from escalation.views.door import DoorPage, Refused, door
from escalation.views.seeing import reading

# Every door that takes a second signature; at any other nothing can be proposed, and a rule shuts it.
PAGES: Final = (
    repair_record.PAGE,
    leave_unresolved.PAGE,
    protected_repeat.PAGE,
    protected_repeat.OF_A_CLOSING,
    close_original.PAGE,
    new_operation.PAGE,
    new_operation.BY_EXCEPTION,
)


@never_cache
@require_safe
def second_signatures(request: HttpRequest) -> HttpResponse:
    """What waits for a second signature at the recipients that this person may read, and what became of what did."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    now, reads = timezone.now(), reading(request)
    shown = {
        "waiting": screen.waiting(request.user, now=now, reads=reads),
        "ended": screen.ended(now=now, reads=reads),
        "most": screen.MOST_ENDED,
        "now": now,
    }
    return render(request, "second_signatures/page.html", shown)


def _of(row: SecondSignature) -> DoorPage:
    """Return the page of the door that would decide it."""
    return next(page for page in PAGES if (page.may, page.action) == (row.may, row.action))


def _filled(row: SecondSignature, sight: Sight, *, revision: int, once: object) -> DoorForm:
    """Return the door's form as it was proposed, held against the operation as it stands now."""
    form = _of(row).form(sight, {**row.typed, "revision": revision, "once": str(once)})
    form.is_valid()
    return form


def _form(_: Sight, *typed: Any, **more: Any) -> SignForm:
    return SignForm(*typed, **more)


def _shown(number: int, request: HttpRequest, sight: Sight) -> Mapping[str, Any]:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    found = _found(request, number, now=sight.now)
    page = _of(found.row)
    filled = _filled(found.row, sight, revision=sight.operation.revision, once=found.row.once)
    assert page.second is not None  # noqa: S101  # those of PAGES have it
    beside = page.second.beside(sight, filled) if filled.is_valid() else {}
    return {
        "follows": follows(sight),
        "assumptions": ASSUMPTIONS,
        **page.shown(request, sight),
        **beside,
        "signing": True,
        "opened": screen.opened(found, sight),
        "filled": filled,
        "parts": page.second.parts,
        "door_styles": page.second.styles,
        "not_you": not_the_signer(request.user, first=found.row.proposed_by),
    }


def _found(request: HttpRequest, number: int, *, now: datetime) -> screen.Shown:
    found = screen.one(number, now=now, reads=reading(request))
    if found is None:
        raise Http404(f"Nothing was proposed under the number {number}.")
    return found


def _sign(row: SecondSignature, sight: Sight, taker: Taker) -> str:
    filled = _filled(row, sight, revision=taker.revision, once=taker.once)
    for errors in filled.errors.values():
        raise Refused(f"What was proposed can't be decided any more. {errors[0]}")
    return f"Signed. {_of(row).take(sight, filled, replace(taker, signs=row.pk, filled_in=row.once))}"


def _take(row: SecondSignature, sight: Sight, form: DoorForm, taker: Taker) -> str:
    typed = form.cleaned_data
    if typed["act"] == "sign":
        return _sign(row, sight, taker)
    end = decline if typed["act"] == "decline" else withdraw
    end(row.pk, person=taker.person, reason=typed["reason"], now=taker.now)
    done = "Declined" if typed["act"] == "decline" else "Taken back"
    return f"{done}. Nothing was decided by it, and nothing was sent."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second_signature(request: HttpRequest, signature: int) -> HttpResponse:
    """Looking decides nothing; a POST by another person signs or declines once, however often it is sent."""
    row = _found(request, signature, now=timezone.now()).row
    of = _of(row)
    page = DoorPage(
        action=of.action,
        template="second_signature/page.html",
        form=_form,
        shown=partial(_shown, signature),
        take=partial(_take, row),
        may=of.may,
        leads_to=of.leads_to,
        signs=True,
    )
    return door(request, row.operation.number, page)

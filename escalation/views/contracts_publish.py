"""A contract is published by somebody who saw what it would change; what can't be used is not, and says why."""

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.contract_draft import publish_contract as decide
from escalation.policy import May
from escalation.proof import NotFresh, proof_of
from escalation.screens.contracts.impact import Changed, changed
from escalation.views.contracts_place import Place, none_being_written, person, revision
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from operations import reading
from operations.contracts.loading import ContractRefused, Draft, document_of, selectable
from operations.impact import Impact, impact
from operations.recording.publishing import NoSuchDraft

if TYPE_CHECKING:
    from operations.models import Contract


def _after(request: HttpRequest) -> UUID | None:
    try:
        return UUID(request.GET.get("after", ""))
    except ValueError:
        return None


def _looked_ahead(place: Place, after: UUID | None) -> tuple[Impact | None, tuple[str, ...]]:
    """What publishing would change, and why it can't be published; nothing is looked at where it is no contract."""
    assert place.contract is not None  # noqa: S101  # asked by the caller
    text, now = place.contract.document, timezone.now()
    try:
        document = document_of(text)
    except ContractRefused as refused:
        return None, tuple([str(fault) for fault in refused.faults])
    found = impact(place.recipient.id, text=text, now=now, after=after)
    try:
        selectable(document)
    except Draft as draft:
        return found, draft.reasons
    return found, ()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def publish_contract(request: HttpRequest, recipient: str) -> HttpResponse:
    """What publishing the draft would change, and then a yes; what can't be used says why and is not published."""
    place = Place(request, recipient)
    if place.contract is None:
        return none_being_written(request, place)
    if request.method == "POST":
        return _published(request, place)
    typed_before(request)  # there is only a yes, which is asked for again
    return _publish_page(request, place)


def _changes(found: Impact | None, *, now: datetime) -> list[Changed]:
    """What would change on this page of operations, by their numbers."""
    changes = [] if found is None else [changed(change, now=now) for change in found.changes]
    return sorted(changes, key=lambda change: change.number)


def _publish_page(request: HttpRequest, place: Place, *, refused: str = "", status: int = 200) -> HttpResponse:
    after, now = _after(request), timezone.now()
    found, why_not = _looked_ahead(place, after)
    shown = place.shown(
        impact=found,
        changes=_changes(found, now=now),
        why_not=why_not,
        later_page=after is not None,
        current=reading.contract_in_force(place.recipient.id),
        refused=refused,
        to_prove=to_prove(request, May.EDIT_CONTRACT),
        where_to_prove=where_to_prove(request),
    )
    return render(request, "publish_contract/page.html", shown, status=status)


def _decided(request: HttpRequest, contract: int) -> "Contract":
    seen, proof = revision(request), proof_of(request)
    return decide(contract, revision=seen, person=person(request), now=timezone.now(), proof=proof)


def _published(request: HttpRequest, place: Place) -> HttpResponse:
    assert place.contract is not None  # noqa: S101  # asked by the caller
    if not request.POST.get("looked"):
        sentence = "Say that you looked at what it changes. Nothing was published."
        return _publish_page(request, place, refused=sentence, status=422)
    try:
        row = _decided(request, place.contract.id)
    except NotAllowed as refused:
        return _publish_page(request, place, refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _publish_page(request, place, refused=str(refused), status=403)
    except (StaleView, NoSuchDraft):
        return _changed(request, place)
    except ContractRefused:
        return _publish_page(request, place, refused="It was not published: it is no contract.", status=409)
    except Draft:
        sentence = "It was not published: it rests on invented answers alone."
        return _publish_page(request, place, refused=sentence, status=409)
    messages.success(request, f"Version {row.version} is in force. Open operations are read by it from now on.")
    return redirect("contract", recipient=place.recipient.key, version=row.version)


def _changed(request: HttpRequest, place: Place) -> HttpResponse:
    now = Place(request, place.recipient.key)
    if now.contract is None:
        return none_being_written(request, now)
    sentence = "This draft changed after you looked at it. Nothing was published; this is what it would change now."
    return _publish_page(request, now, refused=sentence, status=409)

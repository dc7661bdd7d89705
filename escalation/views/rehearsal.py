"""A contract's rehearsals: the newest, or one by its number; whoever may edit the contract may have it rehearsed."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect
from kombu.exceptions import OperationalError

from escalation.models import Rehearsal, User
from escalation.policy import May, why_not
from escalation.rehearsing.keeping import being_rehearsed, last_number, no_desk
from escalation.rehearsing.result import STATEMENT
from escalation.rehearsing.tasks import rehearse
from escalation.screens.rehearsed import cautions, faults, scenes
from escalation.views.contracts import version_or_404
from operations.contracts.loading import ContractRefused, document_of

NOT_STARTED = "The rehearsal was not started: the task queue does not answer. Nothing was rehearsed; try again later."
NOT_NEXT = "That is not the next rehearsal of this version. Nothing was started; look at the page as it is now."


def _whole_number(told: str | None) -> int | None:
    return int(told) if told is not None and told.isascii() and told.isdecimal() and len(told) < 10 else None


def _may_not(request: HttpRequest, recipient_id: int) -> str | None:
    if not isinstance(request.user, User):
        return "Sign in first."
    return why_not(request.user, May.EDIT_CONTRACT, recipient=recipient_id)


def _unfit(text: str) -> str | None:
    """None, or why a document can't be rehearsed: a draft may still be anything."""
    try:
        document_of(text)
    except ContractRefused as refused:
        return f"This version can't be rehearsed yet: {refused.faults[0]}."
    return None


class _Place:
    """What the address names: a contract version, and which of its rehearsals is looked at or waited for."""

    def __init__(self, request: HttpRequest, recipient: str, version: int) -> None:
        self.contract = version_or_404(request, recipient, version)
        self.last = last_number(self.contract.id)
        self.address = reverse("rehearsal", args=[recipient, version])
        self.may_not = _may_not(request, self.contract.recipient_id)
        self.cannot = no_desk() or _unfit(self.contract.document)
        asked = _whole_number(request.GET.get("awaited"))
        self.awaited = asked if asked == self.last + 1 else None

    def running(self) -> bool:
        """Whether somebody rehearses this version at this moment."""
        return being_rehearsed(self.contract.id)

    def chosen(self, request: HttpRequest) -> Rehearsal | None:
        """The rehearsal by its number, else the newest; None where there is none yet."""
        if not self.last:
            return None
        number = _whole_number(request.GET.get("number", str(self.last)))
        found = Rehearsal.objects.filter(contract=self.contract, number=number or 0).select_related("ran_by").first()
        if found is None:
            raise Http404("There is no rehearsal of this number.")
        return found


def _page(request: HttpRequest, place: _Place, *, refused: str = "", status: int = 200) -> HttpResponse:
    kept = place.chosen(request)
    told = () if kept is None else scenes(kept)
    shown: dict[str, Any] = {
        "contract": place.contract,
        "now": timezone.now(),
        "rehearsal": kept,
        "statement": STATEMENT if kept is None else kept.statement,
        "scenes": told,
        "faults": () if kept is None else faults(kept, told),
        "cautions": () if kept is None else cautions(kept),
        "others": Rehearsal.objects.filter(contract=place.contract)
        .order_by("-number")
        .only("number", "ran_at", "passed"),
        "changed": kept is not None and kept.digest != place.contract.digest,
        "next": place.last + 1,
        "awaited": place.awaited,
        "running": place.running(),
        "may_not": place.may_not or place.cannot,
        "refused": refused,
    }
    return render(request, "rehearsal/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rehearsal(request: HttpRequest, recipient: str, version: int) -> HttpResponse:
    """Looking starts nothing; a POST asks the worker for one rehearsal, however often it is sent."""
    place = _Place(request, recipient, version)
    if request.method == "POST":
        return _asked_for(request, place)
    if getattr(request, "htmx", False) and "awaited" in request.GET:
        return _awaited(request, place)
    return _page(request, place)


def _awaited(request: HttpRequest, place: _Place) -> HttpResponse:
    """What stands while a rehearsal is awaited; once it is kept, the page with it."""
    if place.awaited is None:
        return HttpResponseClientRedirect(place.address)
    shown = {"contract": place.contract, "awaited": place.awaited, "running": place.running()}
    return render(request, "rehearsal/_awaited.html", shown)


def _asked_for(request: HttpRequest, place: _Place) -> HttpResponse:
    if place.may_not is not None:
        return _page(request, place, refused=place.may_not, status=403)
    if place.cannot is not None:
        return _page(request, place, refused=place.cannot, status=409)
    number = _whole_number(request.POST.get("number"))
    if not number or number > place.last + 1:
        return _page(request, place, refused=NOT_NEXT, status=409)
    if number <= place.last:
        return redirect(f"{place.address}?number={number}")  # this form was sent before, or somebody else was first
    return _sent_to_the_worker(request, place, number)


def _sent_to_the_worker(request: HttpRequest, place: _Place, number: int) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    try:
        rehearse.delay(place.contract.recipient.key, place.contract.version, number, request.user.id)
    except OperationalError:
        return _page(request, place, refused=NOT_STARTED, status=503)
    return redirect(f"{place.address}?awaited={number}")

"""Messages that belong to no operation yet: read by whoever may read their recipient, placed or put aside by who may inspect."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages as notices
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.forms.doors import DismissForm, LinkForm
from escalation.models import User
from escalation.policy import May, why_not
from escalation.queue import called
from escalation.screens.orphans import Orphan, orphan_of, page, refusals
from escalation.views.seeing import reading
from operations import listening
from operations.reading import NoSuchOperation
from operations.recording import messages

LINKED_MEANWHILE: Final = "This message belongs to an operation by now; nothing was written."
BUSY: Final = "Something else is being written to it at this moment. Nothing was written; send it again."
ELSEWHERE: Final = "That operation is at another recipient than the one that sent the message."


def _id(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None


@never_cache
@require_safe
def orphans(request: HttpRequest) -> HttpResponse:
    """The messages that nobody put aside, or those that somebody did; and what was refused."""
    dismissed = request.GET.get("dismissed") == "1"
    among = reading(request).ids
    found, following = page(dismissed=dismissed, before=_id(request.GET.get("before", "")), among=among)
    shown = {
        "orphans": found,
        "next": following,
        "dismissed": dismissed,
        "refusals": refusals(among=among),
        "now": timezone.now(),
    }
    return render(request, "orphans/page.html", shown)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def orphan(request: HttpRequest, message: str) -> HttpResponse:
    """One message whole; a POST gives it to an operation, or puts it aside with a remark."""
    try:
        found = orphan_of(messages.orphan(_id(message) or UUID(int=0), among=reading(request).ids))
    except messages.NoSuchMessage:
        raise Http404("There is no such message.") from None
    except messages.AlreadyLinked:
        notices.info(request, LINKED_MEANWHILE)
        return redirect("orphans")
    if request.method != "POST":
        return _page(request, found)
    refused = _may_not(request, found)
    if refused is not None:
        return _page(request, found, refused=refused, status=403)
    return _dismissed(request, found) if request.POST.get("act") == "dismiss" else _linked(request, found)


def _may_not(request: HttpRequest, found: Orphan) -> str | None:
    if not isinstance(request.user, User):
        return "Sign in first."
    return why_not(request.user, May.INSPECT, recipient=found.row.recipient_id)


def _page(request: HttpRequest, found: Orphan, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    shown = {
        "orphan": found,
        "recipient": found.row.recipient,
        "may_not": _may_not(request, found),
        "refused": refused,
        "now": timezone.now(),
        "link_form": LinkForm(),
        "dismiss_form": DismissForm(),
        **forms,
    }
    return render(request, "orphan/page.html", shown, status=status)


def _linked(request: HttpRequest, found: Orphan) -> HttpResponse:
    form = LinkForm(request.POST)
    if not form.is_valid():
        return _page(request, found, link_form=form, status=422)
    number = form.cleaned_data["number"]
    try:
        listening.link(found.row.id, called(number, reads=reading(request)), by=str(request.user), now=timezone.now())
    except NoSuchOperation:
        return _page(request, found, link_form=form, refused=f"There is no operation {number}.", status=422)
    except listening.AnotherRecipient:
        return _page(request, found, link_form=form, refused=ELSEWHERE, status=422)
    except listening.Busy:
        return _page(request, found, link_form=form, refused=BUSY, status=409)
    except listening.AlreadyLinked:
        notices.info(request, LINKED_MEANWHILE)
        return redirect("orphans")
    notices.success(request, "The message is kept with this operation. What it settles, the contract says.")
    return redirect("operation", number=number)


def _dismissed(request: HttpRequest, found: Orphan) -> HttpResponse:
    form = DismissForm(request.POST)
    if not form.is_valid():
        return _page(request, found, dismiss_form=form, status=422)
    try:
        listening.dismiss(found.row.id, by=str(request.user), remark=form.cleaned_data["remark"], now=timezone.now())
    except listening.Busy:
        return _page(request, found, dismiss_form=form, refused=BUSY, status=409)
    except listening.AlreadyLinked:
        notices.info(request, LINKED_MEANWHILE)
        return redirect("orphans")
    notices.success(request, "The message is put aside. An operation that it names still gets it.")
    return redirect("orphans")

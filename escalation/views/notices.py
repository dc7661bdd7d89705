"""What was told to whom, how it was answered and what waits; and where teams and chains are told."""

from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.access import NotChanged
from escalation.access.addresses import add_shared, ask_for_test, end_shared
from escalation.access.confirming import ask
from escalation.decisions import NotAllowed
from escalation.forms.notices import SharedAddressForm
from escalation.models import NoticeAddress, Team
from escalation.models.notice_address import Way
from escalation.policy import May, why_not
from escalation.proof import NotFresh
from escalation.screens import notices as screen
from escalation.views.people import by, reader
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove

ADDED: Final = (
    "A link is on its way there. Nothing else is sent there before somebody opens it, signs in and presses its button."
)
ASKED: Final = "Another link is on its way there."
TESTED: Final = "A test is sent within a few seconds; what came of it stands here then."


def ahead() -> dict[str, Any]:
    """What the pages of quiet hours say of how long it takes to act, in minutes, and whether that differs by recipient."""
    minutes = settings.NOTICES["ahead"].total_seconds() / 60
    return {"ahead": f"{minutes:g}", "ahead_differs": bool(settings.NOTICES["ahead_for"])}


@never_cache
@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """The log, newest first; looking changes nothing."""
    who, now = reader(request), timezone.now()
    after = _after(request.GET.get("after", ""))
    lines, following = screen.log(who.person, after=after, reads=who.reads, administers=who.administers)
    shown = {
        "lines": lines,
        "next": "" if following is None else f"?{urlencode({'after': f'{following[0].isoformat()}_{following[1]}'})}",
        "first": reverse("notices") if after is not None else "",
        "waiting": []
        if after is not None
        else screen.waiting(who.person, reads=who.reads, administers=who.administers),
        "untold": []
        if after is not None
        else screen.untold(who.person, reads=who.reads, administers=who.administers, now=now),
        "no_mail": not settings.MAIL_IS_SENT,
        "now": now,
    }
    return render(request, "notices/page.html", shown)


def _after(written: str) -> tuple[datetime, UUID] | None:
    at, _, pk = written.partition("_")
    try:
        found = datetime.fromisoformat(at), UUID(pk)
    except ValueError:
        return None
    return found if found[0].tzinfo is not None else None


def number(request: HttpRequest, name: str) -> int:
    """A row id that a form carries; 0, which is none's, where it can't be one."""
    written = request.POST.get(name, "")
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 19 else 0


def _page(
    request: HttpRequest, *, form: SharedAddressForm | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    who = reader(request)
    shown: dict[str, Any] = {
        "addresses": screen.shared(),
        "ways": list(Way),
        "teams": Team.objects.filter(ended_at=None).order_by("name").values_list("name", flat=True),
        "form": form or SharedAddressForm(),
        "may_not": why_not(who.person, May.ADMINISTER, recipient=None),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": timezone.now(),
    }
    return render(request, "notice_addresses/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def notice_addresses(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator adds, removes or tests one address."""
    if request.method != "POST":
        typed = typed_before(request)
        return _page(request, form=None if typed is None else SharedAddressForm(initial=typed.dict()))
    may_not = why_not(reader(request).person, May.ADMINISTER, recipient=None)
    if may_not is not None:
        return _page(request, refused=may_not, status=403)
    form = SharedAddressForm(request.POST) if request.POST.get("act") == "add" else None
    if form is not None and not form.is_valid():
        return _page(request, form=form, status=422)
    try:
        said = _done(request, form)
    except NotAllowed as refused:
        return _page(request, refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _page(request, form=form, refused=f"Nothing was changed. {refused}", status=403)
    except NotChanged as refused:
        return _page(request, form=form, refused=f"Nothing was changed. {refused}", status=409)
    messages.success(request, said)
    return redirect("notice_addresses")


def _done(request: HttpRequest, form: SharedAddressForm | None) -> str:
    if form is not None:
        add_shared(form.cleaned_data["team"], way=form.chosen, to=form.cleaned_data["to"], by=by(request))
        return ADDED if form.chosen is Way.MAIL else "The address is in use from now on."
    if request.POST.get("act") == "remove":
        end_shared(number(request, "address"), by=by(request))
        return "The address is used no more. It stays on record."
    address = NoticeAddress.objects.filter(pk=number(request, "address"), person=None, ended_at=None).first()
    if address is None or request.POST.get("act") not in ("test", "ask"):
        raise NotChanged("There is no such act or address.")
    if request.POST.get("act") == "ask":
        ask(address, now=timezone.now())
        return ASKED
    ask_for_test(address, now=timezone.now())
    return TESTED

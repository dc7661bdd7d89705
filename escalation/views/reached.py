"""How you are reached: your own addresses and quiet hours, and a test of each; nobody sets them for you."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access import By, NotChanged
from escalation.access.addresses import add_own, ask_for_test, end_own, end_quiet, set_quiet
from escalation.access.confirming import CONFIRMED, OTHERS, address_of, ask, confirm
from escalation.forms.notices import AddressForm, QuietForm
from escalation.models import NoticeAddress, QuietHours, User
from escalation.models.notice_address import Way
from escalation.proof import NotFresh, proof_of, stale
from escalation.screens.notices import own
from escalation.views.notices import ADDED, ASKED, TESTED, ahead, number
from escalation.views.proving import prove_first, typed_before, where_to_prove


def _page(request: HttpRequest, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    person = _person(request)
    hours = QuietHours.objects.filter(person=person, ended_at=None).first()
    shown = {
        "addresses": own(person),
        "hours": hours,
        "ways": list(Way),
        "no_mail": not settings.MAIL_IS_SENT,
        **ahead(),
        "to_prove": stale(proof_of(request), person=person, now=timezone.now()),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": timezone.now(),
        "form": AddressForm(),
        "quiet_form": QuietForm(),
        **forms,
    }
    return render(request, "reached/page.html", shown, status=status)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    return request.user


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reached(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST adds, removes or tests one of your own addresses, or sets your quiet hours."""
    if request.method != "POST":
        typed = typed_before(request)
        return _page(request) if typed is None else _page(request, form=AddressForm(initial=typed.dict()))
    act = request.POST.get("act", "")
    form, quiet_form = AddressForm(request.POST), QuietForm(request.POST)
    if act == "add" and not form.is_valid():
        return _page(request, form=form, status=422)
    if act == "quiet" and not quiet_form.is_valid():
        return _page(request, quiet_form=quiet_form, status=422)
    try:
        said = _done(request, act, form, quiet_form)
    except NotFresh as refused:
        return prove_first(request) or _page(request, form=form, refused=f"Nothing was changed. {refused}", status=403)
    except NotChanged as refused:
        return _page(request, form=form if act == "add" else AddressForm(), refused=str(refused), status=409)
    messages.success(request, said)
    return redirect("reached")


def _done(request: HttpRequest, act: str, form: AddressForm, quiet_form: QuietForm) -> str:
    person, now = _person(request), timezone.now()
    if act == "add":
        add_own(By(person=person, now=now, proof=proof_of(request)), way=form.chosen, to=form.cleaned_data["to"])
        return (
            ADDED
            if form.chosen is Way.MAIL
            else "You are reached there from now on. Send a test to see that it arrives."
        )
    if act == "remove":
        end_own(number(request, "address"), person=person, now=now)
        return "You are reached there no more."
    if act == "quiet":
        typed = quiet_form.cleaned_data
        set_quiet(person, zone=typed["zone"], begins=typed["begins"], ends=typed["ends"], now=now)
        return "Your quiet hours hold from now on."
    if act == "no_quiet":
        end_quiet(person, now=now)
        return "You have no quiet hours any more."
    return _tested(request, act, person)


def _tested(request: HttpRequest, act: str, person: User) -> str:
    address = NoticeAddress.objects.filter(pk=number(request, "address"), person=person, ended_at=None).first()
    if act not in ("test", "ask") or address is None:
        raise NotChanged("There is no such act or address.")
    if act == "ask":
        ask(address, now=timezone.now())
        return ASKED
    ask_for_test(address, now=timezone.now())
    return TESTED


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link confirms nothing (mail programs look at links); pressing its button does, once."""
    person, now = _person(request), timezone.now()
    try:
        address = (confirm if request.method == "POST" else address_of)(token, person=person, now=now)
    except NotChanged as refused:
        status = {OTHERS: 403, CONFIRMED: 409}.get(str(refused), 410)
        return render(request, "reached/confirm.html", {"refused": str(refused)}, status=status)
    if request.method != "POST":
        return render(request, "reached/confirm.html", {"address": address})
    whom = "You are" if address.team is None else f"The team {address.team.name} is"
    messages.success(request, f"The address is confirmed. {whom} told there from now on.")
    return redirect("reached") if address.team is None else redirect("team", address.team_id)

"""The one way of every door's page: looking decides nothing; a POST with what was seen takes one decision and leads on.

What is wrong with a form is said on the form (422); what changed meanwhile is said with what was typed (409); who may
not is told so (403). Nothing is written then, and nothing is sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.places import why_two
from escalation.decisions.second_signature import propose
from escalation.decisions.signing import NotSignable
from escalation.decisions.stake import at_stake
from escalation.decisions.taking import SecondNeeded, Taker
from escalation.forms.doors import DoorForm
from escalation.models import User
from escalation.policy import May
from escalation.proof import NotFresh, proof_of
from escalation.screens.doors import way_out_of
from escalation.screens.panels import panels
from escalation.screens.second_signatures import waiting_at
from escalation.screens.sight import Sight
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from escalation.views.seeing import may_not, seen_or_404
from operations import recording
from operations.core.actions import Action
from operations.core.closing import Closing

CHANGED: Final = (
    "This operation changed while you were reading. Nothing was written; look at it again before you confirm."
)
# What the form itself carries, beside what people type: what was looked at, and the form's own name.
CARRIED: Final = ("revision", "once")
# What the button says that proposes, where a rule asks for two people.
PROPOSE: Final = "propose"


class Refused(Exception):
    """The decision can't be taken as it was typed; the message is a sentence, and nothing was written."""


def _nothing(_: Sight, __: DoorForm) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForTheSecond:
    """What a second person is shown of a door's page: the `parts` of its templates that the first one filled in.

    `beside` adds what they need besides, told from the form as it was proposed; `styles` are their own.
    """

    parts: tuple[str, ...]
    styles: tuple[str, ...] = ()
    beside: Callable[[Sight, DoorForm], Mapping[str, Any]] = _nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorPage:
    """One door's page. `form` makes its form for what is seen, `shown` adds what its template needs beside.

    `take` writes the decision and returns the sentence that the person reads then; `leads_to` is the name of the address
    of the operation's page that comes next. `second` is what a second person is shown, at a door that takes one's signature;
    `signs` is the page on which they sign.
    """

    action: Action | Closing
    template: str
    form: Callable[..., DoorForm]
    shown: Callable[[HttpRequest, Sight], Mapping[str, Any]]
    take: Callable[[Sight, DoorForm, Taker], str]
    may: May
    leads_to: str = "operation"
    second: ForTheSecond | None = None
    signs: bool = False


def _render(
    request: HttpRequest, page: DoorPage, sight: Sight, form: DoorForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    locked = sight.verdict[page.action]
    shown = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "document": sight.document,
        "sight": sight,
        "now": sight.now,
        "panels": panels(sight),
        "locked": None if locked is None else locked.sentence,
        "way_out": way_out_of(sight, page.action),
        "may_not": may_not(request, page.may, sight),
        "to_prove": to_prove(request, page.may, second=page.signs),
        "where_to_prove": where_to_prove(request),
        "form": form,
        "refused": refused,
        **_two(page, sight),
        **page.shown(request, sight),
    }
    return render(request, page.template, shown, status=status)


def _two(page: DoorPage, sight: Sight) -> Mapping[str, Any]:
    """Return by which rule it takes two people here, and what was proposed already."""
    if page.second is None:
        return {}
    return {
        "two": why_two(page.may, sight.operation, amount=at_stake(sight.operation)),
        "waiting": waiting_at(sight, may=page.may),
    }


def _fresh(page: DoorPage, sight: Sight, **typed: Any) -> DoorForm:
    return page.form(sight, initial={**typed, "revision": sight.operation.revision, "once": uuid4()})


def _kept(
    request: HttpRequest, page: DoorPage, number: int, sentence: str, *, status: int, before: QueryDict | None = None
) -> HttpResponse:
    """The page as it stands now, with what the person chose and typed; whatever needs a yes has to be said again."""
    sight = seen_or_404(request, number, now=timezone.now())
    names = [
        name
        for name, field in _fresh(page, sight).fields.items()
        if name not in CARRIED and not isinstance(field, forms.BooleanField)
    ]
    given = request.POST if before is None else before
    typed = {name: given[name] for name in names if name in given}
    return _render(request, page, sight, _fresh(page, sight, **typed), refused=sentence, status=status)


def looked_at_again(request: HttpRequest, number: int, page: DoorPage) -> HttpResponse:
    """Answer with the page and what was typed on it; nothing is decided."""
    return _kept(request, page, number, "", status=200)


def door(request: HttpRequest, number: int, page: DoorPage) -> HttpResponse:
    """Answer for one door's page of one operation."""
    sight = seen_or_404(request, number, now=timezone.now())
    if request.method != "POST":
        before = typed_before(request)
        if before is not None:
            return _kept(request, page, number, "", status=200, before=before)
        return _render(request, page, sight, _fresh(page, sight))
    form = page.form(sight, request.POST)
    if form.is_valid():
        return _taken(request, page, sight, form)
    if form.cleaned_data.get("revision") != sight.operation.revision:
        return _kept(request, page, number, CHANGED, status=409)
    locked = sight.verdict[page.action]
    if locked is not None:  # there is nothing to choose from then, so that no form could be right
        return _kept(request, page, number, f"Nothing was written. {locked.sentence}", status=409)
    return _render(request, page, sight, form, status=422)


def _proposed(page: DoorPage, sight: Sight, form: DoorForm, taker: Taker) -> str:
    """Propose what the form would decide, word for word as it was sent; return the sentence that is read then."""
    typed = {name: form.data[name] for name in form.fields if name in form.data and name not in CARRIED}
    propose(sight.operation.id, taker, typed=typed, decide=lambda tries: page.take(sight, form, tries))
    return "Proposed. It waits for a second person to sign it; nothing is decided, and nothing was sent."


def _taken(request: HttpRequest, page: DoorPage, sight: Sight, form: DoorForm) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    number = sight.operation.number
    taker = Taker(
        person=request.user,
        revision=form.cleaned_data["revision"],
        once=form.cleaned_data["once"],
        now=timezone.now(),
        proof=proof_of(request),
    )
    proposes = page.second is not None and PROPOSE in request.POST
    try:
        said = _proposed(page, sight, form, taker) if proposes else page.take(sight, form, taker)
    except NotAllowed as refused:
        return _kept(request, page, number, str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _kept(request, page, number, f"Nothing was written. {refused}", status=403)
    except StaleView:
        return _kept(request, page, number, CHANGED, status=409)
    except (recording.NotPermitted, recording.NotAReceipt, SecondNeeded, NotSignable, Refused) as refused:
        return _kept(request, page, number, f"Nothing was written. {refused}", status=409)
    messages.success(request, said)
    return redirect(page.leads_to, number=number)

"""Who looks after an operation: the page of its case, and what people do about it. It changes nothing that is known.

What is wrong with a form is said on it (422); what changed meanwhile is said with what was typed (409); who may not is
told so (403).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from escalation.cases import minding
from escalation.cases.minding import CantBe, Minder, NoCase
from escalation.decisions import NotAllowed, StaleView
from escalation.forms.cases import CaseForm, HandOverForm, NoteForm, PutOffForm
from escalation.models import User
from escalation.policy import May, who_may
from escalation.screens.cases import case_of
from escalation.screens.sight import Sight
from escalation.views.seeing import may_not, seen_or_404

CHANGED: Final = "The case changed while you were reading. Nothing was done; look at it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One thing that people do about a case: its form, what it does, and what the person reads then."""

    form: Callable[..., CaseForm]
    does: Callable[[Sight, Minder, CaseForm], object]
    said: str


def _people(sight: Sight) -> list[User]:
    return who_may(May.MIND, recipient=sight.operation.recipient_id)


def _hand_over(sight: Sight, minder: Minder, form: CaseForm) -> object:
    assert isinstance(form, HandOverForm)  # noqa: S101  # its own
    return minding.hand_over(sight.operation.id, minder, to=form.person(), note=form.cleaned_data["note"])


def _put_off(sight: Sight, minder: Minder, form: CaseForm) -> object:
    given = form.cleaned_data
    return minding.put_off(sight.operation.id, minder, until=given["until"], note=given["note"])


VERBS: Final[Mapping[str, Verb]] = {
    "take": Verb(
        form=CaseForm, does=lambda sight, minder, _: minding.take(sight.operation.id, minder), said="You look after it."
    ),
    "give-back": Verb(
        form=CaseForm,
        does=lambda sight, minder, _: minding.give_back(sight.operation.id, minder),
        said="Nobody looks after it now.",
    ),
    "seen": Verb(
        form=CaseForm,
        does=lambda sight, minder, _: minding.acknowledge(sight.operation.id, minder),
        said="Others see for half an hour that you have seen it.",
    ),
    "hand-over": Verb(form=HandOverForm, does=_hand_over, said="It is handed over."),
    "put-off": Verb(form=PutOffForm, does=_put_off, said="It waits until then, or until something changes."),
    "note": Verb(
        form=NoteForm,
        does=lambda sight, minder, form: minding.note(sight.operation.id, minder, text=form.cleaned_data["note"]),
        said="Your note stands in its history. It is not evidence.",
    ),
}


@dataclass(frozen=True, slots=True)
class _Page:
    """The page of one case, with the form that was sent where one was."""

    request: HttpRequest
    sight: Sight
    sent: Mapping[str, forms.Form] = field(default_factory=dict)

    def answer(self, *, refused: str = "", status: int = 200) -> HttpResponse:
        sight = self.sight
        shown = case_of(sight.operation, person=_person(self.request), now=sight.now)
        seen = {"seen": 0 if shown is None else shown.case.revision}
        people = _people(sight)
        fresh: dict[str, forms.Form] = {
            "hand_over": HandOverForm(initial=seen, people=people),
            "put_off": PutOffForm(initial=seen),
            "note": NoteForm(initial=seen),
        }
        values: dict[str, Any] = {
            "operation": sight.operation,
            "recipient": sight.operation.recipient,
            "shown": shown,
            "now": sight.now,
            "people": people,
            "may_not": may_not(self.request, May.MIND, sight),
            "refused": refused,
            "forms": {**fresh, **self.sent},
            "seen": seen["seen"],
        }
        return render(self.request, "case/page.html", values, status=status)


def _person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    return request.user


@never_cache
@require_safe
def case(request: HttpRequest, number: int) -> HttpResponse:
    """Whoever may read the operation may read who looks after it."""
    return _Page(request, seen_or_404(request, number, now=timezone.now())).answer()


@require_POST
def mind(request: HttpRequest, number: int, verb: str) -> HttpResponse:
    """Do one thing about the open case, as it was seen."""
    sight, asked = seen_or_404(request, number, now=timezone.now()), VERBS[verb]
    more = {"people": _people(sight)} if asked.form is HandOverForm else {}
    form = asked.form(request.POST, **more)
    page = _Page(request, sight, {verb.replace("-", "_"): form})
    if not form.is_valid():
        return page.answer(status=422)
    minder = Minder(person=_person(request), seen=form.cleaned_data["seen"], now=sight.now)
    try:
        asked.does(sight, minder, form)
    except CantBe as refused:
        if not refused.field:
            return page.answer(refused=str(refused), status=422)
        form.add_error(refused.field, str(refused))
        return page.answer(status=422)
    except NotAllowed as refused:
        return page.answer(refused=str(refused), status=403)
    except (StaleView, NoCase) as refused:
        return page.answer(refused=str(refused) if isinstance(refused, NoCase) else CHANGED, status=409)
    messages.success(request, asked.said)
    return redirect("operation" if request.POST.get("back") == "operation" else "case", number)

"""One safe thing is done about many rows: those that were ticked, or all that the queue is narrowed to.

The page that answers says of each row what became of it. What is wrong with the form is said on it (422).
"""

from collections import Counter
from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from escalation.cases.many import End, Ended, Words, each
from escalation.forms.queue import MOST_ROWS, AllForm, ManyForm, rows_of
from escalation.models import User
from escalation.policy import May, who_may_somewhere
from escalation.queue import MOST_COUNTED, Chosen, all_of, chosen, counted
from escalation.screens.menu import address, filters_of
from escalation.views.queue import question
from escalation.views.seeing import reading

SAID: Final = {
    "take": "You look after them",
    "hand_over": "They are handed over",
    "put_off": "They wait",
    "note": "Your note stands in their histories",
    "ask": "The desk asks about them next, as fast as each recipient's contract allows",
}


def _back(request: HttpRequest) -> str:
    """The queue as it was narrowed."""
    return address(filters_of(request.GET))


def _did(request: HttpRequest, rows: list[Chosen], form: forms.Form, gone: list[int]) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    given, now = form.cleaned_data, timezone.now()
    words = Words(until=given["until"], to=given["to"], note=given["note"])
    ended = each(rows, given["act"], words, person=request.user, now=now)
    return render(request, "queue/did.html", _told(ended, gone, SAID[given["act"]], back=_back(request)))


def _told(ended: list[Ended], gone: list[int], said: str, *, back: str) -> dict[str, Any]:
    counts = Counter(one.end for one in ended)
    return {
        "ended": ended,
        "gone": gone,
        "said": said,
        "counts": [(end.sentence, counts[end]) for end in End if counts[end]],
        "done": counts[End.DONE],
        "back": back,
    }


def _refused(request: HttpRequest, form: forms.Form | None, sentence: str = "") -> HttpResponse:
    said = [sentence] if form is None else [str(error) for errors in form.errors.values() for error in errors]
    return render(request, "queue/refused.html", {"said": said, "back": _back(request)}, status=422)


@never_cache
@require_POST
def queue_many(request: HttpRequest) -> HttpResponse:
    """Do one thing about the rows that were ticked, each as it was seen."""
    reads, ticked = reading(request), rows_of(request.POST.getlist("row"))
    if not ticked:
        return _refused(request, None, "Tick the rows that you mean first.")
    form = ManyForm(request.POST)
    if not form.is_valid():
        return _refused(request, form)
    rows = chosen(ticked, reads=reads)
    gone = sorted(set(ticked) - {row.number for row in rows})
    return _did(request, rows, form, gone)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def queue_all(request: HttpRequest) -> HttpResponse:
    """Looking does nothing; a POST does one thing about all that the queue is narrowed to, if their number was typed."""
    asked = question(request, timezone.now())
    there_are = sum(counted(asked).values())
    too_many = there_are > MOST_ROWS
    form = AllForm(request.POST if request.method == "POST" else None, there_are=there_are)
    if request.method == "POST" and not too_many and form.is_valid():
        return _did(request, all_of(asked, most=there_are), form, [])
    shown = {
        "form": form,
        "there_are": min(there_are, MOST_COUNTED),
        "too_many": too_many,
        "most": MOST_ROWS,
        "filters": asked.filters,
        "back": _back(request),
        "people": who_may_somewhere(May.MIND, among=asked.reads),
    }
    return render(request, "queue/all.html", shown, status=422 if request.method == "POST" else 200)


@never_cache
@require_safe
def queue_people(request: HttpRequest) -> HttpResponse:
    """The names of those who may look after something that whoever asks may read, to choose from."""
    people = who_may_somewhere(May.MIND, among=reading(request))
    return render(request, "queue/_people.html", {"people": people})

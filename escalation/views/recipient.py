"""One recipient as it is asked: where, how fast, whether it is paused and why; a person pauses, resumes, or names its address."""

from collections.abc import Callable, Mapping
from dataclasses import astuple, fields
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.cases.many import End, Words, each
from escalation.decisions.taking import require_proof
from escalation.forms.cases import LONGEST_NOTE
from escalation.forms.queue import MOST_ROWS
from escalation.models import User
from escalation.policy import May, why_not
from escalation.proof import NotFresh, proof_of
from escalation.queue import Filters, Question, all_of
from escalation.screens import incident
from escalation.views.contracts import recipient_or_404
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from escalation.views.seeing import reading
from operations.polling.seen import Seen, seen
from operations.recording import outlook, pacing
from operations.recording.addressing import AddressRefused, set_address

_WAITING: Final = {
    "due": "Due now",
    "being_asked": "Being asked now",
    "later": "Asked later",
    "stopped": "No longer asked",
    "call_a_person": "A person is needed",
}


class _Refused(Exception):
    """Nothing was changed; the message is the sentence that the person reads, `status` the answer's."""

    def __init__(self, sentence: str, *, status: int) -> None:
        super().__init__(sentence)
        self.status = status


def _found(request: HttpRequest, key: str) -> Seen:
    return seen(recipient_or_404(request, key).key, now=timezone.now())


def _may_not(request: HttpRequest, what: May, found: Seen) -> str | None:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    return why_not(request.user, what, recipient=found.recipient.id)


def _page(request: HttpRequest, found: Seen, *, refused: str = "", status: int = 200) -> HttpResponse:
    typed, now = typed_before(request) or request.POST, timezone.now()
    numbers = zip(fields(found.counts), astuple(found.counts), strict=True)
    shown = {
        "found": found,
        "recipient": found.recipient,
        "pace": found.pace,
        "pacing": found.pacing,
        "counts": [(_WAITING[field.name], number, number > outlook.MOST_COUNTED) for field, number in numbers],
        "most": outlook.MOST_COUNTED,
        "may_not_pace": _may_not(request, May.PACE, found),
        "may_not_address": _may_not(request, May.ADMINISTER, found),
        "typed_address": typed.get("address", found.recipient.address),
        "typed_because": typed.get("because", ""),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "now": now,
        "refused": refused,
        "incident": incident.shown(found.recipient.key, reads=reading(request), person=request.user.pk, now=now),
        "may_not_mind": _may_not(request, May.MIND, found),
        "typed_note": typed.get("note", ""),
    }
    return render(request, "recipient/page.html", shown, status=status)


def _pause(request: HttpRequest, found: Seen) -> str:
    because = request.POST.get("because", "").strip()
    if not because:
        raise _Refused("Say why asking is paused.", status=422)
    pacing.pause(found.recipient.id, because=because, by=str(request.user), now=timezone.now())
    return f"Nobody asks {found.recipient.name} by itself until a person resumes it."


def _reset(request: HttpRequest, found: Seen) -> str:
    pacing.reset(found.recipient.id, by=str(request.user), now=timezone.now())
    return f"{found.recipient.name} is asked again."


def _address(request: HttpRequest, found: Seen) -> str:
    try:
        set_address(found.recipient.key, address=request.POST.get("address", "").strip())
    except AddressRefused as refused:
        raise _Refused(f"The address is not kept. {refused}", status=422) from refused
    return f"The address of {found.recipient.name} is kept."


def _note(request: HttpRequest, found: Seen) -> str:
    """Write one line into every open case of the recipient; each is written on its own."""
    note, now = request.POST.get("note", "").replace("\0", "").strip()[:LONGEST_NOTE], timezone.now()
    if not note:
        raise _Refused("Write what others should know.", status=422)
    question = Question(now=now, reads=reading(request), filters=Filters(recipient=found.recipient.key))
    rows = [one for one in all_of(question, most=MOST_ROWS + 1) if one.seen]
    if len(rows) > MOST_ROWS:
        raise _Refused(f"More than {MOST_ROWS} cases are open here. Narrow the queue, and write to some.", status=422)
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    ended = each(rows, "note", Words(note=note), person=request.user, now=now)
    done = sum(one.end is End.DONE for one in ended)
    return f"Your note stands in {done} of {len(rows)} open cases. It is not evidence."


_ACTS: Final[Mapping[str, tuple[May, Callable[[HttpRequest, Seen], str]]]] = {
    "pause": (May.PACE, _pause),
    "reset": (May.PACE, _reset),
    "address": (May.ADMINISTER, _address),
    "note": (May.MIND, _note),
}


def _done(request: HttpRequest, found: Seen) -> str:
    """Do what was asked for, and return the sentence that says so; raises `_Refused`, and proof's `NotFresh`."""
    act: Any = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise _Refused("Choose what to do.", status=422)
    may_not = _may_not(request, act[0], found)
    if may_not is not None:
        raise _Refused(may_not, status=403)
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    require_proof(request.user, act[0], proof=proof_of(request), now=timezone.now())
    return str(act[1](request, found))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def recipient(request: HttpRequest, key: str) -> HttpResponse:
    """Looking changes nothing; a POST pauses or resumes the asking, or keeps an address, if this person may."""
    found = _found(request, key)
    if request.method != "POST":
        return _page(request, found)
    try:
        said = _done(request, found)
    except _Refused as refused:
        return _page(request, found, refused=str(refused), status=refused.status)
    except NotFresh as refused:
        return prove_first(request) or _page(request, found, refused=f"Nothing was changed. {refused}", status=403)
    messages.success(request, said)
    return redirect("recipient", key=key)

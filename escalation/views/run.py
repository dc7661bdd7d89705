"""One run, and one call of it: what its records show, and which operation a person says it belongs to. Sends nothing."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.forms.runs import BindForm, OpenForm
from escalation.policy import May, why_not
from escalation.queue import called
from escalation.screens.links import same_calls
from escalation.screens.runs import CALLS, DROPPED, FORMATS, SHOWN, call_line, chips, facts, outputs
from escalation.screens.runs_opening import Place, place_at
from escalation.views.runs import number_in, person_of
from escalation.views.seeing import reading
from operations import reading as operations
from operations import runs as bringing
from operations import versions
from operations.imports import Call as Shown
from operations.reading import runs as read
from operations.recording import links
from operations.recording import runs as recording
from operations.runs import opening

if TYPE_CHECKING:
    from operations.models import Call, Run

MOST_RECIPIENTS: Final = 100
NOT_PROBABLE: Final = "Nothing on record makes it probable that this is the same call."
LINKED: Final = "One of the two is the same as another call by somebody's word. End that first."
TAKEN: Final = "The call belongs to another operation by now. End that first."


def run_of(request: HttpRequest, number: int) -> "Run":
    """Return a run that whoever asks may read; there is no other."""
    try:
        return read.run(number, among=reading(request).ids)
    except read.NoSuchRun:
        raise Http404(f"There is no run {number}.") from None


@never_cache
@require_safe
def run(request: HttpRequest, run: int) -> HttpResponse:
    """The calls of a run that are unresolved, or all of them, and the records that it was read from."""
    found = run_of(request, run)
    everything = request.GET.get("all") == "1"
    after = number_in(request.GET.get("after", ""))
    calls = read.calls(found, unresolved=not everything, after=after, limit=CALLS + 1)
    count, unresolved = read.counts([found.pk]).get(found.pk, (0, 0))
    transcripts = read.transcripts(found)
    choices = bringing.choices(transcripts)
    shown: dict[str, Any] = {
        "run": found,
        "calls": [call_line(row) for row in calls[:CALLS]],
        "next": calls[CALLS - 1].place if len(calls) > CALLS else None,
        "everything": everything,
        "checkable": bool(choices.states and choices.requests),
        "count": count,
        "unresolved": unresolved,
        "transcripts": [
            (row, FORMATS[row.format], [(place, DROPPED[rule]) for place, rule in row.dropped]) for row in transcripts
        ],
        "now": timezone.now(),
    }
    return render(request, "run/page.html", shown)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def run_call(request: HttpRequest, run: int, call: int) -> HttpResponse:
    """One call with its facts; a POST binds it to an operation, ends that, or opens an operation for it."""
    found = run_of(request, run)
    try:
        row = read.call(found, call)
    except read.NoSuchRun:
        raise Http404(f"There is no call {call} in this run.") from None
    if request.method != "POST":
        return _page(request, found, row)
    acts: Mapping[str, Any] = {"bind": _bind, "unbind": _unbind, "open": _open, "same": _same, "other": _other}
    act = acts.get(request.POST.get("act", ""))
    refused = why_not(person_of(request), May.MIND, recipient=found.recipient_id)
    if refused is not None:
        return _page(request, found, row, refused=refused, status=403)
    return _page(request, found, row, status=422) if act is None else act(request, found, row)


def _page(
    request: HttpRequest, found: "Run", row: "Call", *, refused: str = "", status: int = 200, **forms: Any
) -> HttpResponse:
    call = bringing.shown_call(found, row)
    reads = reading(request)
    bindings = [one for one in row.bindings.all() if one.operation.recipient_id in reads]
    arguments = call.arguments if isinstance(call.arguments, str) else ""
    shown: dict[str, Any] = {
        "run": found,
        "row": row,
        "call": call,
        "chips": chips(row.reasons),
        "listed": read.is_listed(row),
        "facts": facts(call),
        "outputs": outputs(call),
        "arguments": arguments[:SHOWN],
        "cut": len(arguments) > SHOWN,
        "bound": next((one for one in bindings if one.ended_at is None), None),
        "hidden": any(one.ended_at is None and one not in bindings for one in row.bindings.all()),
        "earlier": [one for one in bindings if one.ended_at is not None],
        "transcripts": list(enumerate(read.transcripts(found), start=1)),
        "same": same_calls(found, row),
        "may_not": why_not(person_of(request), May.MIND, recipient=found.recipient_id),
        "bind_form": BindForm(),
        "recipients": versions.recipients(after="", limit=MOST_RECIPIENTS, among=reads.ids),
        "place": _chosen(request, call),
        "open_form": OpenForm(),
        "refused": refused,
        "now": timezone.now(),
        **forms,
    }
    return render(request, "run_call/page.html", shown, status=status)


def _chosen(request: HttpRequest, call: Shown) -> Place | None:
    """Return the recipient at which an operation is to be opened, with what its contract needs; None while none is chosen."""
    key = request.POST.get("recipient", request.GET.get("recipient", "")).replace("\0", "")
    return place_at(key, call, among=reading(request).ids) if key else None


def _bind(request: HttpRequest, found: "Run", row: "Call") -> HttpResponse:
    form = BindForm(request.POST)
    if not form.is_valid():
        return _page(request, found, row, bind_form=form, status=422)
    number = form.cleaned_data["number"]
    try:
        operation = operations.operation(called(number, reads=reading(request))).operation
    except operations.NoSuchOperation:
        return _page(request, found, row, bind_form=form, refused=f"There is no operation {number}.", status=422)
    refused = why_not(person_of(request), May.MIND, recipient=operation.recipient_id)
    if refused is not None:
        return _page(request, found, row, bind_form=form, refused=refused, status=403)
    try:
        bringing.bind(row, operation.id, by=person_of(request).username, now=timezone.now())
    except recording.AlreadyBound:
        return _page(request, found, row, bind_form=form, refused=TAKEN, status=409)
    messages.success(request, f"The call belongs to operation {number}. That settles nothing of the operation.")
    return redirect("run_call", run=found.pk, call=row.pk)


def _unbind(request: HttpRequest, found: "Run", row: "Call") -> HttpResponse:
    ended = recording.unbind(row, by=person_of(request).username, now=timezone.now())
    messages.info(request, "The call belongs to no operation any more." if ended else "It belonged to none already.")
    return redirect("run_call", run=found.pk, call=row.pk)


def _same(request: HttpRequest, found: "Run", row: "Call") -> HttpResponse:
    other = number_in(request.POST.get("other", ""))
    try:
        bringing.confirm(found, row, other or 0, by=person_of(request).username, now=timezone.now())
    except bringing.NotProbable:
        return _page(request, found, row, refused=NOT_PROBABLE, status=422)
    except links.AlreadyLinked:
        return _page(request, found, row, refused=LINKED, status=409)
    messages.success(request, "The two are one call, by your word. That settles nothing of what it did.")
    return redirect("run_call", run=found.pk, call=row.pk)


def _other(request: HttpRequest, found: "Run", row: "Call") -> HttpResponse:
    ended = links.unlink(row, by=person_of(request).username, now=timezone.now())
    messages.info(request, "They are two calls again." if ended else "It was not the same as another already.")
    return redirect("run_call", run=found.pk, call=row.pk)


def _open(request: HttpRequest, found: "Run", row: "Call") -> HttpResponse:
    now, form = timezone.now(), OpenForm(request.POST)
    call = bringing.shown_call(found, row)
    place = _chosen(request, call)
    if not form.is_valid() or place is None:
        return _page(request, found, row, open_form=form, status=422)
    given = form.cleaned_data
    refused = why_not(person_of(request), May.INSPECT, recipient=place.recipient.pk)
    if refused is not None:
        return _page(request, found, row, open_form=form, refused=refused, status=403)
    if given["begun_at"] > now:
        form.add_error("begun_at", "That time is still to come. Times are in UTC.")
        return _page(request, found, row, open_form=form, status=422)
    try:
        asked = place.request(call, run_id=found.pk, given=given)
        opened = opening.open_operation(
            place.contract, row, call, asked, begun_at=given["begun_at"], by=person_of(request).username, now=now
        )
    except place.WRONG as wrong:
        return _page(request, found, row, open_form=form, refused=f"Nothing was opened. {place.why(wrong)}", status=422)
    except opening.OnRecord as there:
        return _page(request, found, row, open_form=form, refused=_on_record(request, there), status=409)
    except recording.AlreadyBound:
        return _page(request, found, row, open_form=form, refused=TAKEN, status=409)
    number = operations.operation(opened).operation.number
    messages.success(
        request, f"Operation {number} is open. Its record is not complete: other copies may have been sent."
    )
    return redirect("operation", number=number)


def _on_record(request: HttpRequest, there: opening.OnRecord) -> str:
    row = operations.operation(there.operation_id).operation
    if row.recipient_id not in reading(request):
        return "Nothing was opened. An operation is on record for this already."
    return f"Nothing was opened. Operation {row.number} is on record for this: bind the call to that one if it is the same."

"""Whether a resumed run's next input holds exactly one output for every call that is owed one.

The acceptance check for a resume (docs/imports.md, Checking a resume): the state before it, and the request or the log
of requests that followed. It says nothing of what the outputs claim. Files and records on record are checked alike.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from operations.core.strict_json import Json
from operations.imports import run_state
from operations.imports.call import Call
from operations.imports.document import ImportRefused, items, member, read
from operations.imports.items import decision_in, output_in
from operations.imports.requests import rows_of
from operations.imports.words import Delivered, Gate

ABSENT: Final = "absent"
TWICE: Final = "twice"
UNDECIDED: Final = "undecided"
UNTOLD: Final = "untold"
_SENTENCES: Final = {
    ABSENT: "is owed an output, and no request carries one",
    TWICE: "has its output more than once",
    UNTOLD: "was decided, and no request carries the decision",
    UNDECIDED: "still waited for a person's decision when the request was made",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One call whose output is not there exactly once: which, and what is wrong (`absent`, `twice`, `undecided`, `untold`)."""

    call_id: str
    name: str | None
    what: str

    def __str__(self) -> str:
        named = f" ({self.name})" if self.name else ""
        return f"{self.call_id}{named} {_SENTENCES[self.what]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """The outputs by request, in the order sent; `chained`: the server keeps what was sent before."""

    requests: tuple[Counter[str], ...]
    chained: bool
    log: bool


def faults(state: bytes, request: bytes) -> list[Fault]:
    """Return what is wrong with the input that followed a state, in the order of its calls; empty: nothing.

    `request` is one request (`input`, or the list of its items) or a log of requests. Raises `ImportRefused`.
    """
    return faults_of(read(state).value, read(request).value)


def faults_of(state: Json, request: Json) -> list[Fault]:
    """Return the same of what was read already; raises `ImportRefused`."""
    if not isinstance(state, dict) or not isinstance(state.get("model_responses"), list):
        raise ImportRefused("state", "format", "must be a state of the Agents SDK")
    sent = _sent(request)
    return [fault for call in run_state.calls_of(state, None) for fault in _of(call, sent)]


def _of(call: Call, sent: _Sent) -> Iterator[Fault]:
    if call.delivered is Delivered.PROVIDER_SIDE or call.scope is not None:
        return
    times = sum(one[call.call_id] for one in sent.requests)
    if not times:
        what = None if _was_sent_before(call, sent) else _lacking(call)
        yield from [] if what is None else [Fault(call_id=call.call_id, name=call.name, what=what)]
    elif (sent.chained and times > 1) or any(one[call.call_id] > 1 for one in sent.requests):
        yield Fault(call_id=call.call_id, name=call.name, what=TWICE)


def _lacking(call: Call) -> str | None:
    """Return what is wrong where no request carries anything for a call; a decided asking that is over needs nothing."""
    if call.gate is Gate.WAITING:
        return UNDECIDED
    if call.asks_first:
        return None if call.gate is Gate.NONE else UNTOLD
    return ABSENT


def _was_sent_before(call: Call, sent: _Sent) -> bool:
    """Say whether an output may have gone out with a request before this one, which the server keeps."""
    return call.delivered is Delivered.INFERRED_ONLY and not sent.log


def _sent(value: Json) -> _Sent:
    rows = rows_of(value)
    if rows is not None:
        halves = [row.get("request", row) for row in rows[0]]
        return _Sent(requests=tuple([_outputs(half) for half in halves]), chained=any(map(_chained, halves)), log=True)
    if isinstance(value, list):
        return _Sent(requests=(_outputs({"input": value}),), chained=False, log=False)
    if isinstance(member(value, "input"), list | str):
        return _Sent(requests=(_outputs(value),), chained=_chained(value), log=False)
    raise ImportRefused("request", "format", "must be a request with its input, a list of items, or a log of requests")


def _outputs(request: Json) -> Counter[str]:
    """Count the outputs and the decisions of a request by the id that each is for."""
    sent = [item for _, item in items(request, "input")]
    found = [output_in(item) for item in sent]
    decided = [decision_in(item) for item in sent]
    return Counter([*[one[0] for one in found if one is not None], *[one for one in decided if one is not None]])


def _chained(request: Json) -> bool:
    return any(member(request, name) for name in ("conversation", "conversation_id", "previous_response_id"))

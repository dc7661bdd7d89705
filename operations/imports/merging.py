"""Several records of one run are read as one: a later record adds and never erases, a second source fills gaps.

The order in which records came says nothing of the order in which they were made, so what holds follows from what they
show, not from which came last: what was waited for and has an output is waited for no more, and a request that was
answered outweighs a snapshot from before it was sent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from operations.imports.call import Call
from operations.imports.words import Delivered, Gate, OutputClass, Reason, Started


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The calls of one record. `label` tells its pointers apart; `exact`: a log of requests says what was sent."""

    label: str
    calls: Sequence[Call]
    exact: bool = False


# What outweighs what; the first that any record shows holds. A log that shows no request with the output outweighs a
# guess from a state, and both outweigh a snapshot that was made before it could be sent.
_WEIGHT: Final = (
    (Delivered.REQUEST_ANSWERED, False),
    (Delivered.PROVIDER_SIDE, False),
    (Delivered.REPLAYED_HISTORY, False),
    (Delivered.SENT_NO_REPLY, False),
    (Delivered.NOT_SENT, True),
    (Delivered.INFERRED_ONLY, False),
    (Delivered.UNKNOWN, False),
    (Delivered.NOT_SENT, False),
)
_GATES: Final = (Gate.REJECTED, Gate.APPROVED, Gate.WAITING, Gate.TASK, Gate.NONE)
_FIRST_KNOWN: Final = (
    "response",
    "at",
    "t",
    "sdk_fingerprint",
    "identity_from",
    "rounds",
    "error_write",
    "model_call",
    "decision",
    "decision_delivered",
    "decision_consumed",
)


def merged(records: Iterable[Shown]) -> list[Call]:
    """Return the calls that these records show together, in their order; not judged yet."""
    reading = _Reading()
    for record in records:
        reading.add(record)
    return reading.calls()


@dataclass(slots=True)
class _Reading:
    parts: dict[tuple[str | None, str], list[tuple[Call, Shown]]] = field(default_factory=dict)
    turns: dict[tuple[str | None, str], int] = field(default_factory=dict)

    def add(self, record: Shown) -> None:
        """Place the calls of a record: those that are known give the others their places."""
        last = max(self.turns.values(), default=-1)
        own = [self.turns[_key(call)] - call.turn for call in record.calls if _key(call) in self.turns]
        shift = own[0] if own else last + 1 - min([call.turn for call in record.calls], default=0)
        for call in record.calls:
            key = _key(call)
            shift = self.turns[key] - call.turn if key in self.turns else shift
            self.turns.setdefault(key, call.turn + shift)
            self.parts.setdefault(key, []).append((call, record))

    def calls(self) -> list[Call]:
        found = [_merged(parts, turn=self.turns[key]) for key, parts in self.parts.items()]
        return sorted(found, key=lambda call: call.turn)


def _key(call: Call) -> tuple[str | None, str]:
    return call.scope, call.call_id


def _merged(parts: Sequence[tuple[Call, Shown]], *, turn: int) -> Call:
    calls = [call for call, _ in parts]
    named = next((call for call in calls if call.name is not None), calls[0])
    found = Call(call_id=calls[0].call_id, scope=calls[0].scope, turn=turn, name=named.name, arguments=named.arguments)
    for call, record in parts:
        _add(found, call, label=record.label)
    for name in _FIRST_KNOWN:
        setattr(found, name, next((one for call in calls if (one := getattr(call, name)) is not None), None))
    found.sent_count = max([call.sent_count for call in calls if call.sent_count is not None], default=None)
    managed = [call.server_managed for call in calls if call.server_managed is not None]
    found.server_managed = any(managed) if managed else None
    found.waits_nested = any(call.waits_nested for call in calls) and not found.outputs
    found.task_open = all(call.task_open for call in calls)
    found.asks_first = any(call.asks_first for call in calls)
    found.started = _started(found, calls)
    found.gate = _gate(found, calls)
    _deliver(found, parts)
    return found


def _add(found: Call, call: Call, *, label: str) -> None:
    """Add what one record shows of a call."""
    for output in call.outputs:
        found.add(output)
    for place in call.persisted:
        if place not in found.persisted:
            found.persisted.append(place)
    for fact, places in call.pointers.items():
        for place in places:
            found.point(fact, f"{label} {place}")
    _find(found, call)


def _find(found: Call, call: Call) -> None:
    """Add why one record leaves a call open; that a half of the pair is missing holds only as long as it is."""
    for reason in call.found:
        lost_half = reason is Reason.OUTPUT_WITHOUT_CALL and found.name is not None
        if reason not in found.found and not lost_half:
            found.found.append(reason)


def _started(found: Call, calls: Sequence[Call]) -> Started:
    said = {call.started for call in calls}
    if Started.YES in said:
        return Started.YES
    refused = bool(found.outputs) and all(output.kind is OutputClass.NOT_ATTEMPTED for output in found.outputs)
    return Started.NO if Started.NO in said and (refused or not found.outputs) else Started.UNKNOWN


def _gate(found: Call, calls: Sequence[Call]) -> Gate:
    """Return the decision that stands, or that is waited for; what ran, or has an output, waits for nobody any more."""
    said = next(gate for gate in _GATES if any(call.gate is gate for call in calls))
    over = bool(found.outputs) or found.started is Started.YES
    return Gate.NONE if over and said in (Gate.WAITING, Gate.APPROVED) else said


def _deliver(found: Call, parts: Sequence[tuple[Call, Shown]]) -> None:
    for delivered, exact in _WEIGHT:
        of_it = [call for call, record in parts if call.delivered is delivered and (record.exact or not exact)]
        if of_it:
            found.deliver(delivered)
            said = {call.consumed for call in of_it}
            found.consumed = found.consumed if found.consumed in said else of_it[0].consumed
            return

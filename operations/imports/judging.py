"""Why a call is not done with, told from its facts alone, the same for every format (docs/imports.md, Reasons)."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from operations.imports.call import Call
from operations.imports.words import Delivered, Gate, OutputClass, Reason

_DELIVERY = {
    Delivered.UNKNOWN: Reason.DELIVERY_UNKNOWN,
    Delivered.SENT_NO_REPLY: Reason.DELIVERY_UNKNOWN,
    Delivered.NOT_SENT: Reason.OUTPUT_NOT_DELIVERED,
    Delivered.INFERRED_ONLY: Reason.DELIVERY_INFERRED_ONLY,
}
_EFFECT = {
    "unknown": Reason.EFFECT_UNKNOWN,
    "pending": Reason.EFFECT_PENDING,
    "conflict": Reason.EFFECT_CONFLICT,
}


def judge(calls: Sequence[Call]) -> None:
    """Write into every call its reasons, in the order of the calls."""
    open_calls: dict[tuple[str | None, str], _Open] = {}
    for call in calls:
        call.reasons = [*_own(call), *_after(call, open_calls), *_delivery(call)]
        if call.name is not None and call.open:
            open_calls.setdefault((call.scope, call.name), _Open()).add(call)


@dataclass(slots=True)
class _Open:
    """The open calls of one tool that can still be the newest before some turn: their turns rise."""

    turns: list[int] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def add(self, call: Call) -> None:
        while self.turns and self.turns[-1] >= call.turn:
            self.turns.pop()
            self.calls.pop()
        self.turns.append(call.turn)
        self.calls.append(call)

    def before(self, turn: int) -> Call | None:
        """Return the newest open call of an earlier turn; those of one turn were asked for together."""
        at = bisect_left(self.turns, turn)
        return self.calls[at - 1] if at else None


def _own(call: Call) -> Iterator[str]:
    yield from call.found
    if not call.outputs:
        yield from _without_output(call)
    if len(call.standing) > 1:
        yield Reason.CONFLICTING_OUTPUTS
    if any(output.taken_for is OutputClass.INCONCLUSIVE for output in call.outputs):
        yield Reason.OUTPUT_INCONCLUSIVE
    effects = [output.matched for output in call.standing if output.kind is OutputClass.ENVELOPE]
    yield from [_EFFECT[effect] for effect in effects if effect in _EFFECT]


def _without_output(call: Call) -> Iterator[str]:
    if call.gate is Gate.WAITING:
        yield Reason.AWAITING_DECISION
    elif call.gate in (Gate.APPROVED, Gate.REJECTED):
        yield Reason.DECIDED_NOT_EXECUTED
    elif call.waits_nested:
        yield Reason.NESTED_RUN_WAITING
    elif call.task_open:
        yield Reason.TASK_OPEN
    else:
        yield Reason.NO_OUTPUT
        if call.name is None:
            yield Reason.IDENTITY_ONLY


def _after(call: Call, open_calls: dict[tuple[str | None, str], _Open]) -> Iterator[str]:
    """Yield the newest open call of the same tool that this one came after: a second effect, or another proposal."""
    known = None if call.name is None else open_calls.get((call.scope, call.name))
    other = None if known is None else known.before(call.turn)
    if other is not None:
        same = other.fingerprint == call.fingerprint
        word = Reason.SAME_ARGUMENTS_AGAIN_AFTER if same else Reason.CHANGED_ARGUMENTS_AFTER
        yield f"{word}:{other.call_id}"


def _delivery(call: Call) -> Iterator[str]:
    if call.server_managed and (call.sent_count or 0) > 1:
        yield Reason.OUTPUT_SENT_MORE_THAN_ONCE
    if call.outputs and call.delivered in _DELIVERY:
        yield _DELIVERY[call.delivered]

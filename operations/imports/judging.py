"""Why a call is not done with, told from its facts alone, the same for every format (docs/imports.md, Reasons)."""

from collections.abc import Iterator, Sequence

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
    for index, call in enumerate(calls):
        call.reasons = [*_own(call), *_after(call, calls[:index]), *_delivery(call)]


def _own(call: Call) -> Iterator[str]:
    yield from call.found
    if not call.outputs:
        yield from _without_output(call)
    if len(call.outputs) > 1:
        yield Reason.CONFLICTING_OUTPUTS
    if any(output.kind is OutputClass.INCONCLUSIVE for output in call.outputs):
        yield Reason.OUTPUT_INCONCLUSIVE
    effects = [output.matched for output in call.outputs if output.kind is OutputClass.ENVELOPE]
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


def _after(call: Call, earlier: Sequence[Call]) -> Iterator[str]:
    """Yield the newest open call of the same tool that this one came after: a second effect, or another proposal."""
    for other in reversed(earlier):
        if call.name is None or other.name != call.name or other.scope != call.scope:
            continue
        if other.turn < call.turn and other.open:
            same = other.fingerprint == call.fingerprint
            word = Reason.SAME_ARGUMENTS_AGAIN_AFTER if same else Reason.CHANGED_ARGUMENTS_AFTER
            yield f"{word}:{other.call_id}"
            return


def _delivery(call: Call) -> Iterator[str]:
    if call.server_managed and (call.sent_count or 0) > 1:
        yield Reason.OUTPUT_SENT_MORE_THAN_ONCE
    if call.outputs and call.delivered in _DELIVERY:
        yield _DELIVERY[call.delivered]

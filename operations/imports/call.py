"""One tool call as a record shows it: facts, each with pointers into the record, and never more than the record says."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from operations.core.strict_json import Json, NumberText, StrictJsonError, parse, written
from operations.imports.outputs import Output, operation_in
from operations.imports.words import Consumed, Delivered, Gate, OutputClass, Reason, Started

DIGITS = 12  # of a fingerprint, which tells calls of one record apart and is no proof of anything


def canonical(value: Json) -> str:
    """Return JSON text that is the same for the same value: members sorted, no blanks, numbers as written."""
    if isinstance(value, dict):
        return "{" + ",".join([f"{written(name)}:{canonical(value[name])}" for name in sorted(value)]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([canonical(child) for child in value]) + "]"
    return str(value) if isinstance(value, NumberText) else written(value)


def fingerprint(name: str, arguments: Json) -> str:
    """Return what is the same for one tool asked with the same arguments: `arguments` is a value, or JSON as text.

    Text that is not JSON is taken as it stands.
    """
    if isinstance(arguments, str):
        try:
            arguments = parse(arguments)
        except StrictJsonError:
            return sha256(f"{name}\0{arguments}".encode()).hexdigest()[:DIGITS]
    return sha256(f"{name}\0{canonical(arguments)}".encode()).hexdigest()[:DIGITS]


@dataclass(slots=True, kw_only=True)
class Call:
    """One call. `turn` orders calls: those of one turn were asked for together. `found` are reasons of its format.

    `pointers` say, by fact, where in the record it stands (RFC 6901; in a log of lines `line N`). `at` is the message or
    checkpoint of the call, `t` its time in the log (seconds), `scope` the run it is nested in. `asks_first`: the
    provider asks before it calls, and is owed a decision in place of an output. `model_call`: the id of the model's call that
    the host wrote beside a call on the wire. `decision`: of an approval, which, and whether the agent got it and used it.
    """

    call_id: str
    turn: int = 0
    name: str | None = None
    arguments: Json = None
    gate: Gate = Gate.NONE
    started: Started = Started.UNKNOWN
    outputs: list[Output] = field(default_factory=list)
    persisted: list[str] = field(default_factory=list)
    delivered: Delivered | None = None
    consumed: Consumed | None = None
    response: str | None = None
    at: int | str | None = None
    t: float | None = None
    scope: str | None = None
    sent_count: int | None = None
    server_managed: bool | None = None
    sdk_fingerprint: str | None = None
    identity_from: str | None = None
    rounds: int | None = None
    error_write: str | None = None
    model_call: str | None = None
    decision: str | None = None
    decision_delivered: str | None = None
    decision_consumed: str | None = None
    waits_nested: bool = False
    task_open: bool = False
    asks_first: bool = False
    found: list[Reason] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    pointers: dict[str, list[str]] = field(default_factory=dict)
    _pointed: set[tuple[str, str]] = field(default_factory=set, init=False, repr=False)
    _texts: set[str] = field(default_factory=set, init=False, repr=False)

    @property
    def produced(self) -> bool:
        """Whether the record holds an output."""
        return bool(self.outputs)

    @property
    def fingerprint(self) -> str | None:
        """The same for the same tool and arguments; None where the record does not keep what was asked."""
        return None if self.name is None else fingerprint(self.name, self.arguments)

    @property
    def open(self) -> bool:
        """Whether the record leaves open what became of the call, so that the same again could be a second effect."""
        if not self.outputs:
            return self.gate is Gate.NONE and self.started is not Started.NO
        return any(
            output.taken_for is OutputClass.INCONCLUSIVE
            or (output.kind is OutputClass.ENVELOPE and output.matched in {"unknown", "pending", "conflict"})
            for output in self.standing
        )

    @property
    def standing(self) -> list[Output]:
        """The outputs that hold: what this desk answered while nobody knew gives way to what it answered of that operation later.

        The same word of it about the same operation is one answer, whatever else the two say.
        """
        if len(self.outputs) < 2:
            return self.outputs
        answers = {_answer(one): one for one in self.outputs if one.kind is OutputClass.ENVELOPE}
        ended = {operation for operation, word in answers if word in _ENDED}
        held = [one for (operation, word), one in answers.items() if not (operation in ended and word in _NOT_YET)]
        return [one for one in self.outputs if one.kind is not OutputClass.ENVELOPE or one in held]

    def point(self, fact: str, pointer: str) -> None:
        """Note where in the record a fact stands."""
        if (fact, pointer) not in self._pointed:
            self._pointed.add((fact, pointer))
            self.pointers.setdefault(fact, []).append(pointer)

    def add(self, output: Output, *, pointer: str | None = None) -> None:
        """Add an output, unless the same text is there already; without a pointer it stands where the call does."""
        if pointer is not None:
            self.point("output", pointer)
        if output.text not in self._texts:
            self._texts.add(output.text)
            self.outputs.append(output)

    def deliver(self, delivered: Delivered) -> None:
        """Say how the output reached the model, and what follows of its being consumed."""
        self.delivered = delivered
        self.consumed = _CONSUMED[delivered]

    def shown(self) -> dict[str, Any]:
        """Return the facts as JSON; what the record can't show is left out."""
        always = {"call_id": self.call_id, "gate": self.gate.value, "started": self.started.value}
        optional = {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "outputs": [[output.kind.value, output.matched] for output in self.outputs] or None,
            "ruled": [[one.ruled.kind.value, one.ruled.by] for one in self.outputs if one.ruled is not None] or None,
            "persisted": self.persisted or None,
            "delivered": self.delivered and self.delivered.value,
            "consumed": self.consumed and self.consumed.value,
            "reasons": self.reasons or None,
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
        }
        return {**always, "produced": self.produced, **{name: one for name, one in optional.items() if one is not None}}


def _answer(output: Output) -> tuple[str | None, str]:
    return operation_in(output.text), output.matched


def list_call(calls: dict[str, Call], call: Call, number: int) -> None:
    """List a call; one whose id an earlier call has is another, named by its message (and place in it) as well."""
    if call.call_id in calls:
        again = f"{call.call_id}@{call.at}"
        call.call_id = again if again not in calls else f"{again}.{number}"
    while call.call_id in calls:
        call.call_id += "+"
    calls[call.call_id] = call


# What an answer of this desk says of the effect, at last and before.
_ENDED = frozenset({"applied", "not_applied"})
_NOT_YET = frozenset({"unknown", "pending"})
_AS_THEY_ARE = (
    "response",
    "at",
    "t",
    "scope",
    "sent_count",
    "server_managed",
    "sdk_fingerprint",
    "identity_from",
    "rounds",
    "error_write",
    "model_call",
    "decision",
    "decision_delivered",
    "decision_consumed",
)
_CONSUMED = {
    Delivered.NOT_SENT: Consumed.NO,
    Delivered.SENT_NO_REPLY: Consumed.UNKNOWN,
    Delivered.REQUEST_ANSWERED: Consumed.YES,
    Delivered.REPLAYED_HISTORY: Consumed.REPLAYED_HISTORY,
    Delivered.INFERRED_ONLY: Consumed.INFERRED_ONLY,
    Delivered.PROVIDER_SIDE: Consumed.PROVIDER_SIDE,
    Delivered.UNKNOWN: Consumed.UNKNOWN,
}

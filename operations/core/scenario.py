"""A scenario becomes facts whole, or the error names the field and the rule; nothing is guessed or left out.

Reads the scenario format of semantics.md from parsed JSON, and writes the answer of that document.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

from operations.core.closing import permitted_to
from operations.core.facts import (
    After,
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    Event,
    FactError,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Seconds,
    Sends,
    Successor,
    SuccessorState,
)
from operations.core.missing import missing
from operations.core.permitted import Refusal
from operations.core.standing import Standing, infer

_Words: TypeAlias = Mapping[str, StrEnum]


class _Shape(NamedTuple):
    """The keys of one object: which are words of a list, which must be there, and the value they make."""

    makes: Any
    keys: Mapping[str, _Words | None]
    required: tuple[str, ...] = ()


def _words(kind: type[StrEnum]) -> _Words:
    return {member.value: member for member in kind}


_GUARANTEED_FOR: Final = "guaranteed_for"  # a number, or one of the words
_PROTECTION: Final = _Shape(
    ProtectionTerms,
    {
        "mechanism": _words(Mechanism),
        _GUARANTEED_FOR: _words(Guarantee),
        "margin": None,
        "after": _words(After),
        "covers": _words(Covers),
        "concurrent_use": _words(ConcurrentUse),
        "repeat_while_pending": None,
        "pending_fresh_for": None,
        "min_interval": None,
    },
)
_CLOSURE: Final = _Shape(Closure, {"covers": _words(ClosureCovers)})
_CHANNEL: Final = _Shape(
    Channel,
    {"authority": _words(Authority), "reads": _words(Reads), "positive_is_conclusive": None, "pollable": None},
)
_OPERATION: Final = _Shape(Operation, {"attempts_complete": None, "identity_known": None, "repeat_scope": None})
_EVENTS: Final[Mapping[str, _Shape]] = {
    "attempt": _Shape(Attempt, {"at": None, "id": None, "sends": _words(Sends), "scope": None}, ("at", "id")),
    "observation": _Shape(
        Observation,
        {
            "at": None,
            "channel": None,
            "says": None,
            "attempt": None,
            "as_of": None,
            "authentic": None,
            "correlation": _words(Correlation),
            "effect_ref": None,
            "covers_copies": None,
            "until": None,
        },
        ("at", "channel", "says"),
    ),
    "successor": _Shape(Successor, {"at": None, "id": None, "state": _words(SuccessorState)}, ("at", "id", "state")),
}


def _object(raw: object, place: str = "") -> dict[str, object]:
    if type(raw) is not dict:
        raise FactError(place, "object", "must be an object")
    return raw


def _unknown_key(key: str, known: Mapping[str, object]) -> FactError:
    return FactError(key, "unknown_key", f"is not a key of this object; its keys are {', '.join(known)}")


def _word(key: str, value: object, words: _Words) -> object:
    member = words.get(value) if type(value) is str else None
    if member is not None:
        return member
    if key == _GUARANTEED_FOR and type(value) is not str:
        return value  # a number, or for the value to refuse
    raise FactError(key, "one_of", f"must be one of {', '.join(words)}")


def _make(shape: _Shape, raw: dict[str, object]) -> Any:
    keys = shape.keys
    values: dict[str, object] = {}
    for key, value in raw.items():
        if key not in keys:
            raise _unknown_key(key, keys)
        words = keys[key]
        values[key] = value if words is None else _word(key, value, words)
    for key in shape.required:
        if key not in values:
            raise FactError(key, "required", "is required")
    return shape.makes(**values)


def _part(raw: dict[str, object], key: str, shape: _Shape) -> Any:
    try:
        return _make(shape, _object(raw.get(key, {})))
    except FactError as error:
        raise error.below(key) from None


def _channels(raw: object) -> dict[str, Channel]:
    channels: dict[str, Channel] = {}
    for name, channel in _object(raw).items():
        try:
            channels[name] = _make(_CHANNEL, _object(channel))
        except FactError as error:
            raise error.below(name) from None
    return channels


def _contract(raw: object) -> Contract:
    keys = ("protection", "closure", "channels")
    found = _object(raw)
    for key in found:
        if key not in keys:
            raise _unknown_key(key, dict.fromkeys(keys))
    protection = _part(found, "protection", _PROTECTION)
    closure = _part(found, "closure", _CLOSURE)
    try:
        channels = _channels(found.get("channels", {}))
    except FactError as error:
        raise error.below("channels") from None
    return Contract(protection=protection, closure=closure, channels=channels)


def _event(raw: object) -> Event:
    found = dict(_object(raw))
    if "type" not in found:
        raise FactError("type", "required", "is required")
    kind = found.pop("type")
    shape = _EVENTS.get(kind) if type(kind) is str else None
    if shape is None:
        raise FactError("type", "one_of", f"must be one of {', '.join(_EVENTS)}")
    event: Event = _make(shape, found)
    return event


def _events(raw: object) -> tuple[Event, ...]:
    if type(raw) is not list:
        raise FactError("events", "list", "must be a list")
    events: list[Event] = []
    for index, event in enumerate(raw):
        try:
            events.append(_event(event))
        except FactError as error:
            raise error.below(f"events[{index}]") from None
    return tuple(events)


_SCENARIO: Final = {"contract": None, "operation": None, "events": None, "now": None}


def _now(raw: dict[str, object]) -> Seconds:
    now = raw["now"]
    try:
        Attempt(at=now, id="now")  # type: ignore[arg-type]  # a time is refused by the rule every time is refused by
    except FactError as error:
        raise FactError("now", error.rule, error.message) from None
    return now  # type: ignore[return-value]  # a number by the line above


def read_scenario(raw: object) -> tuple[Facts, Seconds]:
    """Return the facts of one parsed scenario and its `now` (seconds).

    Raises `FactError` with the place of the field (`events[3].at`). `events` and `now` must be there: a record that is
    left out must not read as a record that is empty.
    """
    found = _object(raw)
    for key in found:
        if key not in _SCENARIO:
            raise _unknown_key(key, _SCENARIO)
    for key in ("events", "now"):
        if key not in found:
            raise FactError(key, "required", "is required")
    try:
        contract = _contract(found.get("contract", {}))
    except FactError as error:
        raise error.below("contract") from None
    operation = _part(found, "operation", _OPERATION)
    return Facts(contract=contract, operation=operation, events=_events(found["events"])), _now(found)


def _refusal(refusal: Refusal) -> dict[str, object]:
    history = refusal.witness
    return {
        "kind": refusal.kind,
        "reason": refusal.sentence,
        "history": None if history is None else [fate._asdict() for fate in history],
    }


def answer(standing: Standing, *, original: Standing | None = None) -> dict[str, object]:
    """Return the answer of semantics.md (Scenario format) for one standing, ready for JSON.

    `original` is what is known of the operation that this one closes, where it closes one.
    """
    verdict = permitted_to(standing, original=original)
    return {
        "evidence": standing.evidence,
        "finality": standing.finality,
        "protection": standing.protection,
        "protection_until": standing.protection_until,
        "protection_reason": standing.protection_reason,
        "conflict": standing.conflict is not None,
        "conflict_kind": standing.conflict,
        "duplicate_effect": standing.duplicate_effect,
        "further_effect": standing.further_effect,
        "permitted": sorted([action for action, refusal in verdict.items() if refusal is None]),
        "refusals": {action: _refusal(refusal) for action, refusal in verdict.items() if refusal is not None},
        "not_counted": [{"index": index, "reason": why.sentence} for index, why in standing.not_counted],
        "missing": [{"fact": gap.fact.sentence, "channels": list(gap.channels)} for gap in missing(standing)],
    }


def answer_of(facts: Facts, *, now: Seconds) -> dict[str, object]:
    """Return the answer for `facts` at `now` (seconds)."""
    return answer(infer(facts, now=now))

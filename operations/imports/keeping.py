"""A call as it is kept, and read back to the same: facts with pointers, as JSON that a database can hold."""

from dataclasses import fields
from typing import Any, Final

from operations.core.strict_json import NumberText, written
from operations.imports.call import Call, canonical
from operations.imports.document import Document
from operations.imports.outputs import Output
from operations.imports.words import Consumed, Delivered, Gate, OutputClass, Reason, Started

# A database holds no text with this character; whoever reads sees that one stood there.
_NUL: Final = ("\0", "\u2400")
# What follows from the rest, or is a call's own scratch paper.
_DERIVED: Final = frozenset({"reasons", "outputs", "arguments", "_pointed", "_texts"})
_WORDS: Final[dict[str, Any]] = {"gate": Gate, "started": Started, "delivered": Delivered, "consumed": Consumed}


def text_of(record: Document) -> str:
    """Return a record as text that `document.read` reads back to the same; lines keep their numbers."""
    if not record.lines:
        return written(record.value)
    texts: list[str] = []
    for number, line in record.lines:
        texts += [""] * (number - 1 - len(texts))
        texts.append(written(line))
    return "\n".join(texts)


def facts_of(call: Call, *, hint: str = "") -> dict[str, Any]:
    """Return what a record shows of a call; what follows from it (`reasons`) is left out, and so is what isn't known."""
    found = {one.name: getattr(call, one.name) for one in fields(call) if one.name not in _DERIVED}
    arguments = call.arguments
    if arguments is not None:
        found["arguments"] = arguments if isinstance(arguments, str) else canonical(arguments)
    found["outputs"] = [[one.text, one.kind.value, one.matched] for one in call.outputs]
    found["hint"] = hint
    return {name: storable(one) for name, one in found.items() if not _is_nothing(one)}


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | dict) and not value)


def storable(value: Any) -> Any:
    """Return JSON without the one character that a database can't hold."""
    if isinstance(value, str):
        return str(value).replace(*_NUL)
    if isinstance(value, list):
        return [storable(one) for one in value]
    if isinstance(value, dict):
        return {storable(name): storable(one) for name, one in value.items()}
    return str(value) if isinstance(value, NumberText) else value


def call_from(facts: dict[str, Any]) -> Call:
    """Return the call of kept facts."""
    known = {one.name for one in fields(Call)} - _DERIVED
    values = {name: one for name, one in facts.items() if name in known}
    values |= {name: words(values[name]) for name, words in _WORDS.items() if name in values}
    values["found"] = [Reason(one) for one in values.get("found", [])]
    call = Call(**{name: one for name, one in values.items() if name != "pointers"})
    call.arguments = facts.get("arguments")
    for text, kind, matched in facts.get("outputs", []):
        call.add(Output(text=text, kind=OutputClass(kind), matched=matched))
    for fact, places in facts.get("pointers", {}).items():
        for place in places:
            call.point(fact, place)
    return call

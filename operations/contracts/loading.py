"""A contract is loaded whole or refused with every place that is wrong; only a checked document is ever read by."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from pydantic import ValidationError

from operations.contracts.document import Document
from operations.contracts.refusals import Fault, refusals
from operations.contracts.specimen import misread, rests_on_invention
from operations.contracts.terms import terms
from operations.contracts.yaml_text import Written, YamlRefused, read
from operations.core.facts import Contract
from operations.core.strict_json import PlainJson, pointer

MOST_FAULTS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A fault with the line in which its place was written."""

    line: int
    fault: Fault

    def __str__(self) -> str:
        place = self.fault.place or "the document"
        return f"line {self.line}: {place}: {self.fault.message} ({self.fault.rule})"


class ContractRefused(ValueError):
    """A text that is no usable contract; `faults` are all that was found, in the order of the text."""

    def __init__(self, faults: tuple[Refused, ...]) -> None:
        super().__init__("\n".join([str(fault) for fault in faults]))
        self.faults = faults


class Draft(ValueError):
    """A contract that may be kept and not be used; `reasons` say why."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def load(text: str) -> Document:
    """Return the checked document; raises ContractRefused."""
    try:
        told = read(text)
    except YamlRefused as error:
        fault = Fault(place="", rule=error.rule, message=error.message)
        raise ContractRefused((Refused(line=error.line, fault=fault),)) from None
    document = _document(told)
    _raise_if(told, list(refusals(document)))
    _raise_if(told, [Fault(place=one.place, rule="misread", message=one.message) for one in misread(document)])
    return document


def _raise_if(told: Written, faults: list[Fault]) -> None:
    if faults:
        found = [Refused(line=told.line(fault.place), fault=fault) for fault in faults[:MOST_FAULTS]]
        raise ContractRefused(tuple(sorted(found, key=lambda one: one.line)))


def _document(told: Written) -> Document:
    try:
        # Read as JSON, strictly: words become enumerations and dates, and nothing else is converted.
        return Document.model_validate_json(json.dumps(told.value))
    except ValidationError as error:
        faults = [_fault(told.value, detail) for detail in error.errors(include_url=False, include_input=False)]
        _raise_if(told, faults)
        raise


def _fault(value: PlainJson, detail: Mapping[str, object]) -> Fault:
    way = detail["loc"]
    place = _place(value, way if isinstance(way, tuple) else ())
    message = str(detail["msg"]).removeprefix("Value error, ")
    return Fault(place=place, rule=str(detail["type"]), message=message[:1].lower() + message[1:])


def _place(value: PlainJson, way: tuple[str | int, ...]) -> str:
    """Return the pointer to where a fault lies; pydantic's way also names the alternatives that it tried."""
    parts: list[str | int] = []
    node = value
    for step in way:
        if isinstance(node, dict) and step in node:
            node = node[str(step)]
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[step]
        elif step != way[-1] or not isinstance(node, dict):
            continue
        parts.append(step)
    return pointer(parts)


def draft_reasons(document: Document) -> tuple[str, ...]:
    """Return why a contract is a draft; empty if it can be selected.

    What settles or opens something needs an answer that the recipient documented or that was recorded.
    """
    return tuple(
        [f"what it reads as {claim} rests on invented answers alone" for claim in rests_on_invention(document)]
    )


def selectable(document: Document) -> Document:
    """Return the document if it can be used for operations; raises Draft."""
    reasons = draft_reasons(document)
    if reasons:
        raise Draft(reasons)
    return document


def terms_of(text: str) -> Contract:
    """Return what a contract's text promises, as the core's terms; raises ContractRefused."""
    return terms(document_of(text))


@lru_cache(maxsize=256)
def document_of(text: str) -> Document:
    """Return the checked document of a text that is read again and again; raises ContractRefused."""
    return load(text)


_LIBRARY: Final = files("operations.contracts") / "library"


def library() -> Iterator[str]:
    """Yield the names of the contracts that come with the product, in order of the alphabet."""
    yield from sorted(one.name.removesuffix(".yaml") for one in _LIBRARY.iterdir() if one.name.endswith(".yaml"))


def library_text(name: str) -> str:
    """Return the text of a contract of the library; raises KeyError for a name that it doesn't have."""
    if name not in library():
        raise KeyError(name)
    return (_LIBRARY / f"{name}.yaml").read_text(encoding="utf-8")

"""What somebody typed for a new operation becomes an exact request, or is refused with the field that is wrong.

Whatever was not changed keeps the original's bytes; what was, is read as strict JSON (operations.core.strict_json).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from operations import reading
from operations.binding import NotOfThisContract, binding_of
from operations.contracts.loading import document_of
from operations.core.facts import FactError
from operations.core.representation import Headers, Representation
from operations.core.strict_json import StrictJsonError, parse
from operations.recording import Binding, Origin

if TYPE_CHECKING:
    from operations.models import Contract, Operation

_HEADER: Final = "/headers/"


class WrongProposal(Exception):
    """What was typed is no request that can be authorised; `field` is one of `Typed`."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What may differ from the original; a text of None keeps the original's bytes."""

    identity: str
    target: str
    scope: str
    body: str | None = None
    arguments: str | None = None


def editable(raw: bytes | memoryview | None) -> str | None:
    """Return bytes as text that can be edited, None where they are no strict JSON: those stay as they are."""
    if raw is None:
        return None
    try:
        parse(bytes(raw))
        return bytes(raw).decode()
    except (StrictJsonError, UnicodeDecodeError):
        return None


def one_text(row: Operation) -> bool:
    """Whether body and arguments are the same bytes, so that one text stands for both."""
    return row.body is not None and row.arguments is not None and bytes(row.body) == bytes(row.arguments)


def _lines(text: str) -> str:
    """Return a text as it was before a browser sent it: every line of a form ends with CR LF."""
    return text.replace("\r\n", "\n")


def _bytes(field: str, text: str | None, *, original: bytes | memoryview | None) -> bytes | None:
    before = None if original is None else bytes(original)
    shown = editable(before)
    if text is None or shown is None or _lines(text) == _lines(shown):
        return before
    changed = _lines(text).encode()
    try:
        parse(changed)
    except StrictJsonError as wrong:
        raise WrongProposal(field, f"It is no strict JSON: {wrong}") from None
    return changed


def _carrying(row: Operation, identity: str, *, contract: Contract) -> Headers:
    """Return the original's header lines, with the new identity where the contract says that a header carries it."""
    carrier = document_of(contract.document).identity.carrier
    name = carrier.at.removeprefix(_HEADER) if carrier is not None and carrier.at.startswith(_HEADER) else None
    return tuple([(line, identity if line.lower() == name else value) for line, value in row.headers])


def proposed(row: Operation, typed: Typed) -> Representation:
    """Return the exact request that was typed against an original; raises `WrongProposal`."""
    if typed.identity == row.identity:
        raise WrongProposal("identity", "This is the original's request number; another request needs another one.")
    body = _bytes("body", typed.body, original=row.body)
    same = one_text(row)
    try:
        return Representation(
            method=row.method,
            target=typed.target,
            headers=_carrying(row, typed.identity, contract=reading.in_force(row)),
            body=body,
            arguments=body if same else _bytes("arguments", typed.arguments, original=row.arguments),
            scope=typed.scope,
            identity=typed.identity,
        )
    except FactError as wrong:
        raise WrongProposal(_field(wrong.field), f"{wrong}") from None


def bound(row: Operation, request: Representation, *, authority: str) -> Binding:
    """Return what the new operation is bound to, by the contract in force; raises `WrongProposal`."""
    origin = Origin(agent=row.agent, run=row.run, call=row.call, tool=row.tool)
    try:
        return binding_of(reading.in_force(row), request, origin=origin, authorised_by=authority, deadline=row.deadline)
    except NotOfThisContract as wrong:
        raise WrongProposal(_field(wrong.field), f"The contract is not about this request: {wrong}.") from None


def _field(named: str) -> str:
    """Return the typed field that a refusal is about; what nobody types here comes with the request number."""
    found = named.partition("/")[0].partition("[")[0]
    return found if found in Typed.__dataclass_fields__ else "identity"

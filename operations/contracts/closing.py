"""The request that closes an original, built from the original's own stored request; nothing in it is anybody's to type.

It is an operation of its own, under a contract of its own: that one says what protects it and what its answers say of it.
What its answers say of the original is read by the original's contract, through the channels that `heard_on` names.
"""

from typing import Final

from operations.contracts.asked import DOTS, REFERENCE, Unaskable, carried_values, filled, papers_of, target_of
from operations.contracts.document import ClosingRequest, Document
from operations.core.facts import FactError
from operations.core.representation import Representation
from operations.core.strict_json import written

OWN_NUMBER: Final = "closing"
_JSON: Final = ("content-type", "application/json")


class CannotClose(Exception):
    """The closing request can't be put together; the message is a sentence, with the way out where there is one."""


def names_reference(closing: ClosingRequest) -> bool:
    """Say whether the closing request names the operation by the recipient's own reference."""
    return any(f"{{{REFERENCE}}}" in text for text in _texts(closing))


def _texts(closing: ClosingRequest) -> list[str]:
    return [closing.target, *closing.headers.values(), *(closing.body or {}).values()]


def closing_representation(
    document: Document, original: Representation, *, number: str, reference: str | None
) -> Representation:
    """Return the exact request that closes an original, in the original's scope, under its own request `number`.

    `reference` is the recipient's own to the original, where one is known. Raises `CannotClose`.
    """
    closing = document.closing_request
    if isinstance(closing, str):
        raise CannotClose("The contract documents no request that closes.")
    try:
        values = carried_values(closing.carried_by, papers_of(document, original))
        values |= {OWN_NUMBER: number} | ({} if reference in (None, *DOTS) else {REFERENCE: str(reference)})
        body = None
        if closing.body is not None:
            body = written({name: filled(text, values) for name, text in closing.body.items()}).encode()
        lines = [(name, filled(text, values)) for name, text in closing.headers.items()]
        return Representation(
            method=closing.method,
            target=target_of(closing.target, values),
            headers=tuple(lines if body is None else [*lines, _JSON]),
            body=body,
            arguments=None,
            scope=original.scope,
            identity=number,
        )
    except Unaskable:
        raise CannotClose(_lacks(document, closing)) from None
    except FactError as wrong:
        raise CannotClose(f"What the stored request carries makes no request that closes: {wrong}.") from None


def _lacks(document: Document, closing: ClosingRequest) -> str:
    if names_reference(closing):
        return f"The {document.effect.reference} is not known, and the closing request names it. Find a receipt first."
    return "The stored request lacks what the closing request would name it by."

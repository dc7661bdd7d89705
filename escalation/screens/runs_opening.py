"""At whom an operation is opened from a call, and what its contract needs for that."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from operations import versions
from operations.binding import NotOfThisContract
from operations.contracts.loading import document_of
from operations.core.checked import FactError
from operations.core.representation import Representation
from operations.core.strict_json import StrictJsonError, parse
from operations.imports import Call
from operations.reading import contract_in_force
from operations.runs import opening

if TYPE_CHECKING:
    from operations.models import Contract, Recipient

_PART: Final = re.compile(r"\{\+?([a-z][a-z0-9_]*)\}")
NOT_SHOWN: Final = (
    "This request number stands nowhere in the call's arguments or outputs, so the record does not show it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A recipient with its contract in force; `target` is where the request will have gone, as far as the call shows it."""

    recipient: "Recipient"
    contract: "Contract"
    template: str
    method: str
    target: str

    WRONG: ClassVar = (opening.NotShown, NotOfThisContract, FactError)

    def request(self, call: Call, *, run_id: int, given: Mapping[str, Any]) -> Representation:
        """Return the request that was typed; raises one of `WRONG`."""
        return opening.request_of(
            self.contract,
            call,
            run_id=run_id,
            target=given["target"],
            scope=given["scope"],
            identity=given["identity"],
        )

    def why(self, wrong: Exception) -> str:
        """Return what would be right, as a sentence."""
        return NOT_SHOWN if isinstance(wrong, opening.NotShown) else f"{wrong}."


def place_at(key: str, call: Call, *, among: Collection[int] | None) -> Place | None:
    """Return the recipient of this key with its contract in force; None where there is none that may be read."""
    try:
        found = versions.recipient(key, among=among)
    except versions.NoSuchRecipient:
        return None
    contract = contract_in_force(found.pk)
    if contract is None:
        return None
    asked = document_of(contract.document).request
    return Place(
        recipient=found,
        contract=contract,
        template=asked.target,
        method=asked.method,
        target=_filled(asked.target, call),
    )


def _filled(template: str, call: Call) -> str:
    """Return a target with those of its parts filled in that the call's arguments name; the others stay as they are."""
    try:
        given = parse(call.arguments) if isinstance(call.arguments, str) else None
    except StrictJsonError:
        given = None
    values = given if isinstance(given, dict) else {}
    return _PART.sub(lambda part: str(values.get(part[1], part[0])), template)

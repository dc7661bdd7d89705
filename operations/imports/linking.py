"""A call on the wire and a call of the model may be one and the same: the ids differ, so a person has to say so.

An id that the host wrote beside the call names the other. Without, the same tool with the same arguments, and times that
do not contradict it, make a link probable; it is never a fact (docs/imports.md, The same call on the wire).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from operations.imports.call import Call

WINDOW: Final = 600.0  # seconds that a host may take between the model's asking and the wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One call of the other side that may be the same. `named`: the host wrote its id beside the call.

    `apart` are the seconds between them, None where a record keeps no time.
    """

    other: Call
    named: bool
    apart: float | None


def links(call: Call, others: Iterable[Call]) -> list[Link]:
    """Return which calls of the other side may be this one; those that are named alone, where one is."""
    found = list(_links(call, others))
    named = [link for link in found if link.named]
    return named or found


def _links(call: Call, others: Iterable[Call]) -> Iterator[Link]:
    for other in others:
        named = call.call_id == other.model_call or other.call_id == call.model_call
        apart = None if call.t is None or other.t is None else abs(call.t - other.t)
        same = call.fingerprint is not None and call.fingerprint == other.fingerprint
        if named or (same and not _names_another(call, other) and (apart is None or apart <= WINDOW)):
            yield Link(other=other, named=named, apart=apart)


def _names_another(call: Call, other: Call) -> bool:
    """Say whether the host wrote the id of some other call beside one of the two."""
    return call.model_call not in (None, other.call_id) or other.model_call not in (None, call.call_id)

"""A thread stops where nobody knows, and goes on with what the desk says then: what it is resumed with proves nothing.

A receipt that it is resumed with is named by the recipient's own reference, and counts as the desk has read it by the
contract: who has one gives it to the desk, which fetches what it names. Anything else may only name a decision of a
person that stands at the desk, which is asked. The node starts from its first line each time, so that an earlier answer
may come again: it asks again, and no more.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from langgraph.types import interrupt

from unresolved.adapters.langgraph.effects import Effect, Where
from unresolved.desk import Unreachable
from unresolved.envelope import Envelope
from unresolved.words import Next

UNRESOLVED: Final = "unresolved_operation"
UNAVAILABLE: Final = "recorder_unavailable"
# The decisions under which a thread may go on though nobody knows what happened.
GOES_ON: Final = frozenset({"risk_accepted", "left_unresolved"})
NOTHING_NAMED: Final = "it was resumed with neither a receipt nor a decision; what people or models say proves nothing"
NO_RECEIPT: Final = "the desk has read no such receipt; give it to the desk, which fetches what it names"
RESUMES: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "receipt": {"type": "object", "properties": {"reference": {"type": "string"}}},
        "decision": {"enum": sorted(GOES_ON)},
    },
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Heard:
    """What a resume came to: the thread goes on under a decision, or `refused` says why it does not by that."""

    goes_on: bool = False
    refused: str | None = None


def kind_of(told: Envelope) -> str | None:
    """Return why the thread stops, None where it goes on. `recorder_unavailable`: nothing was sent, and nobody was asked."""
    if told.next is Next.HELD:
        return UNRESOLVED
    unasked = told.next in (Next.NOT_SENT, Next.NO_JOURNAL) and told.known_by == "journal"
    return UNAVAILABLE if unasked else None


def settled(effect: Effect, arguments: Mapping[str, Any], where: Where) -> Envelope:
    """Return what became of a call, once that is known or a person decided; stops the thread until then."""
    told = effect.ask(arguments, where)
    refused: str | None = None
    while (kind := kind_of(told)) is not None:
        heard = _heard(effect, told, interrupt(_question(kind, told, refused), response_schema=dict(RESUMES)))
        if heard.goes_on:
            return effect.handed_over(_decided(effect, told), where)
        told, refused = effect.ask(arguments, where), heard.refused
    return effect.handed_over(told, where)


async def settled_async(effect: Effect, arguments: Mapping[str, Any], where: Where) -> Envelope:
    """The same for asyncio."""
    told = await effect.ask_async(arguments, where)
    refused: str | None = None
    while (kind := kind_of(told)) is not None:
        answer = interrupt(_question(kind, told, refused), response_schema=dict(RESUMES))
        heard = await asyncio.to_thread(_heard, effect, told, answer)
        if heard.goes_on:
            told = await asyncio.to_thread(_decided, effect, told)
            break
        told, refused = await effect.ask_async(arguments, where), heard.refused
    return await asyncio.to_thread(effect.handed_over, told, where)


def _question(kind: str, told: Envelope, refused: str | None) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(told.as_text())
    return {"kind": kind, **plain, "refused": refused}


def _heard(effect: Effect, told: Envelope, answer: object) -> Heard:
    given: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {}
    if given.get("receipt") is not None:
        return Heard(refused=_receipt(effect, told, given["receipt"]))
    if given.get("decision") is not None:
        return _decision(effect, told, given["decision"])
    return Heard(refused=NOTHING_NAMED)


def _receipt(effect: Effect, told: Envelope, receipt: object) -> str | None:
    """Ask the desk what it read in a receipt; returns why that settles nothing, None where it counts."""
    named = receipt.get("reference") if isinstance(receipt, Mapping) else receipt
    if not isinstance(named, str):
        return "a receipt is named by the recipient's own reference; what somebody copied from it proves nothing"
    try:
        whole = None if told.operation is None else effect.guard.recorder.desk.operation(told.operation)
        held = [] if whole is None else [one for one in whole["observations"] if named in one["effect_refs"]]
        if any(one["counts"] for one in held):
            return None
        return next((f"the desk read {named[:80]}: {one['why_not']}" for one in held), NO_RECEIPT)
    except (Unreachable, LookupError, TypeError) as error:
        return f"the desk could not be asked: {error}"


def _decision(effect: Effect, told: Envelope, decision: object) -> Heard:
    """Ask the desk whether a decision of this word stands."""
    if decision not in GOES_ON or told.operation is None:
        return Heard(refused=f"under no decision {str(decision)[:40]!r} a thread goes on")
    try:
        whole = effect.guard.recorder.desk.operation(told.operation)
        made = [] if whole is None else whole["standing"]["decisions"]
        stands = any(one["says"] == decision and one["stands"] for one in made)
    except (Unreachable, LookupError, TypeError) as error:
        return Heard(refused=f"the desk could not be asked: {error}")
    return Heard(goes_on=True) if stands else Heard(refused=f"no decision {decision} stands at the desk")


def _decided(effect: Effect, told: Envelope) -> Envelope:
    """Return what is known of a call under a decision, which sends nothing."""
    now = effect.known(told.identity) or told
    return replace(now, reason=now.reason or "a person decided that it goes on with the outcome unknown")

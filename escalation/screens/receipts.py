"""Receipts that our record could be repaired from, each compared line by line with what was asked for.

The comparison is the contract's own (operations.contracts.interpret), run again on the stored answer.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from escalation.screens.seen import Seen, observations
from escalation.screens.sight import Sight, is_of_an_effect
from operations import reading
from operations.contracts.answer import Answer
from operations.contracts.correlation import Line
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of
from operations.contracts.references import known_references
from operations.core.actions import Action
from operations.core.facts import Claim
from operations.core.standing import Evidence, Situation

if TYPE_CHECKING:
    from operations import models


@dataclass(frozen=True, slots=True)
class Receipt:
    """One receipt, what ties it to this operation line by line, and what our record would say on it."""

    seen: Seen
    lines: tuple[Line, ...]
    after: str

    @property
    def id(self) -> UUID:
        """The observation's id."""
        return self.seen.observation.id


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair would do: our record before, the receipts, and, without a receipt, what it would say after."""

    before: str
    receipts: tuple[Receipt, ...]
    alone: str | None


def _answer(observation: "models.Observation") -> Answer:
    return Answer(
        channel=observation.channel,
        received_at=reading.seconds(observation.received_at),
        authentic=observation.authentic,
        asked_at=None if observation.asked_at is None else reading.seconds(observation.asked_at),
        attempt=observation.attempt,
        status=observation.status,
        headers=tuple([(name, value) for name, value in observation.headers]),
        body=None if observation.payload is None else bytes(observation.payload),
        truncated=observation.truncated,
        fact=observation.fact,
        reference=observation.reference or None,
        first_seen_at=None if observation.first_seen_at is None else reading.seconds(observation.first_seen_at),
    )


def _in_words(line: Line) -> Line:
    """Return the lines about boundary and authority in words rather than in the contract's own keys."""
    if line.about not in ("boundary", "authority"):
        return line
    return replace(line, sent=line.sent.replace("_", " "), answered=line.answered.replace("_", " "))


def _lines(sight: Sight, row: "models.Reading") -> tuple[Line, ...]:
    read = interpret(
        document_of(row.contract.document),
        request=reading.representation(sight.operation),
        answer=_answer(row.observation),
        references=known_references(sight.standing),
    )
    return tuple([_in_words(line) for line in read.lines])


def _says(sight: Sight, row: "models.Reading | None") -> str:
    if sight.standing.evidence is not Evidence.APPLIED:
        return "It did not happen, and what was sent can no longer act."
    named = row.effect_refs[0] if row is not None and row.effect_refs else None
    reference = "" if named is None else f" ({sight.document.effect.reference} {named})"
    return f"It happened{reference}."


def our_record(sight: Sight) -> str:
    """Return what our record says now."""
    held = sight.completion
    if held is None:
        return "Nothing: no outcome is on record."
    if not is_of_an_effect(held):
        return "It did not happen, and what was sent can no longer act."
    return f"It happened{f' ({held.effect_ref})' if held.effect_ref else ''}."


def _is_receipt(sight: Sight, seen: Seen) -> bool:
    wanted = Claim.APPLIED if sight.standing.evidence is Evidence.APPLIED else Claim.CLOSED
    return seen.settles and seen.row.says == wanted


def repair(sight: Sight) -> Repair:
    """Return what can be chosen from; nothing where the core refuses to record."""
    if sight.verdict[Action.RECORD] is not None:
        return Repair(our_record(sight), (), None)
    seen, _ = observations(sight)
    receipts = [Receipt(one, _lines(sight, one.row), _says(sight, one.row)) for one in seen if _is_receipt(sight, one)]
    alone = sight.standing.situation is Situation.NOTHING_CAN_ACT and not receipts
    return Repair(our_record(sight), tuple(receipts), _says(sight, None) if alone else None)

"""Old observations are read anew by a newer contract version; what the older ones made of them stays on record.

design.md, rule 1. Whoever locks an operation to write to it finds it read by the version in force: no decision stands
on a reading that was corrected meanwhile, whether or not the sweep (operations.rereading) has come by.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from operations import models, reading
from operations.contracts.answer import Answer
from operations.contracts.document import Document
from operations.contracts.interpret import Reading, interpret
from operations.contracts.loading import document_of
from operations.contracts.references import known_references
from operations.core.facts import Attempt, Event, Facts, Seconds
from operations.core.standing import infer
from operations.recording import planning
from operations.recording.observing import Claimed, reading_row
from operations.recording.pen import Pen, chain

# A name of a channel in a contract holds no hyphen, so no contract can give this one an authority.
WORDS_CHANNEL: Final = "agent-reported"


def claim_of(read_as: Reading) -> Claimed:
    """Return what a contract made of an answer as it is written into a row."""
    return Claimed(
        rule=read_as.rule,
        says=read_as.says,
        because=read_as.because,
        reaches=read_as.reaches,
        as_of=_moment(read_as.as_of),
        correlation=read_as.correlation,
        authentic=read_as.authentic,
        attempt=read_as.attempt,
        effect_refs=read_as.effect_refs,
        covers_copies=read_as.covers_copies,
        until=reading.moment(read_as.until),
    )


def _moment(at: Seconds) -> datetime:
    found = reading.moment(at)
    if found is None:
        raise ValueError("a statement has a date")
    return found


@dataclass(frozen=True, slots=True)
class Anew:
    """One observation as a contract reads it anew."""

    observation: models.Observation
    answer: Answer
    read: Reading


def anew(
    operation: models.Operation,
    document: Document,
    *,
    facts: Facts,
    observations: Iterable[models.Observation],
    now: datetime,
) -> Iterator[Anew]:
    """Yield the observations, oldest first, as a contract reads them. Words are left out: no contract reads them.

    `facts` holds the terms to judge by and the events that stay as they are (attempts, words). An answer that shows
    whose it is by the recipient's reference is tied by the references that older answers, read so, have established.
    """
    request = reading.representation(operation)
    events: list[Event] = list(facts.events)
    sent = {event.id: event.at for event in events if isinstance(event, Attempt)}
    references: frozenset[str] = frozenset()
    for row in sorted(observations, key=lambda row: row.position):
        if row.channel == WORDS_CHANNEL:
            continue
        answer = reading.answer(row)
        read = interpret(document, request=request, answer=answer, references=references, sent=sent)
        events += read.observations(answer)
        if read.effect_refs:
            so_far = replace(facts, events=tuple(events))
            references = known_references(infer(so_far, now=reading.seconds(now)))
        yield Anew(row, answer, read)


def kept_events(read: reading.Read) -> tuple[Event, ...]:
    """Return the events that no contract reads: attempts, successors and words."""
    return tuple([event for event, row in zip(read.facts.events, read.rows, strict=True) if _is_kept(row)])


def _is_kept(row: reading.Row) -> bool:
    return not isinstance(row, models.Reading) or row.observation.channel == WORDS_CHANNEL


def catch_up(pen: Pen) -> bool:
    """Read a locked operation by the contract in force, and infer it anew; False where it was read by that already."""
    newest = reading.contract_in_force(pen.operation.recipient_id)
    if newest is None or newest.version <= pen.contract.version:
        return False
    before = pen.read()
    pen.operation.judged_by = newest
    facts = replace(before.facts, contract=reading.governing(pen.operation), events=kept_events(before))
    found = anew(
        pen.operation,
        document_of(newest.document),
        facts=facts,
        observations=pen.operation.observations.all(),
        now=pen.now,
    )
    _write(pen, list(found))
    planning.forget_answers(pen.operation)
    pen.finish()
    return True


def _write(pen: Pen, found: Sequence[Anew]) -> None:
    """Append what was read, each row with whether it counts as all of them stand now."""
    rows = [reading_row(pen, one.observation, claim_of(one.read)) for one in found]
    for place, row in enumerate(rows, start=pen.operation.links):
        row.position = place
    judged = reading.read_with(pen.operation, *rows)
    why_not = {judged.rows[index].pk: why for index, why in judged.standing(now=pen.now).not_counted}
    for row in rows:
        row.why_not = why_not.get(row.pk)
        row.counts = row.why_not is None
        chain(row, pen.operation)
    models.Reading.objects.bulk_create(rows)

"""The three panels of an operation: each value with its date, the observations it rests on and the clause behind it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from escalation.screens.answers import Answer, answers, nothing_left_to_send
from escalation.screens.clauses import Clause, promises, read_by
from escalation.screens.sight import Sight
from escalation.screens.times import clock, span
from operations import reading
from operations.core.facts import Claim
from operations.core.fates import late_copies
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, FurtherEffect, Situation
from operations.core.weighed import Ground

if TYPE_CHECKING:
    from operations import models


MOST_NAMED: Final = 10  # of the observations that an answer rests on


@dataclass(frozen=True, slots=True)
class Panel:
    """One question with its answer; `as_of` dates the newest statement it rests on, None: inferred now.

    It `rests_on` these observations by number, the newest, and on `more`.
    """

    answer: Answer
    sentences: tuple[str, ...]
    as_of: datetime | None
    rests_on: tuple[int, ...]
    more: int
    clauses: tuple[Clause, ...]


def grounds(sight: Sight, ground: Ground) -> "list[models.Reading]":
    """Return the readings that a value rests on, each once."""
    rests_on = frozenset(ground.observations)
    return list({row.pk: row for index, row in sight.readings if index in rests_on}.values())


def _newest_that_settles_nothing(sight: Sight) -> Ground:
    """Return the newest answer that the contract reads as nothing definite: what a person has in hand meanwhile."""
    said = [index for index, row in sight.readings if row.says == Claim.INDETERMINATE and not row.observation.words]
    return Ground(tuple(said[-1:]))


def _unique(clauses: Iterable[Clause | None]) -> tuple[Clause, ...]:
    return tuple({clause.says: clause for clause in clauses if clause is not None}.values())


def _panel(sight: Sight, answer: Answer, sentences: Iterable[str], ground: Ground, *terms: str) -> Panel:
    rests = grounds(sight, ground)
    names = sight.names
    return Panel(
        answer=answer,
        sentences=tuple(sentences),
        as_of=max((row.as_of for row in rests), default=None),
        rests_on=tuple(sorted(names[row.observation_id] for row in rests)[-MOST_NAMED:]),
        more=max(0, len(rests) - MOST_NAMED),
        clauses=_unique(
            [
                *[read_by(row, name=sight.operation.recipient.name) for row in rests],
                *promises(sight, terms or ground.terms),
            ]
        ),
    )


_SITUATION = {
    Situation.APPLIED: "The recipient says that it happened.",
    Situation.CLOSED: "The recipient says that it ended without effect, for good.",
    Situation.NOTHING_CAN_ACT: "Everything that was sent was refused for good or never left.",
}


def _happened(sight: Sight) -> Iterator[str]:
    standing = sight.standing
    if standing.conflict is not None:
        yield standing.conflict.sentence
    elif standing.situation in _SITUATION:
        unsent = standing.situation is Situation.NOTHING_CAN_ACT and not sight.attempts
        yield "Nothing was ever sent." if unsent else _SITUATION[standing.situation]
    elif standing.evidence is Evidence.PENDING:
        yield "The recipient says that it is under way; that can end either way."
    elif standing.evidence is Evidence.NOT_APPLIED:
        yield from _not_there(sight)
    else:
        yield "Nothing that was learnt says whether it happened."
        for row in grounds(sight, _newest_that_settles_nothing(sight)):
            yield f"Last: {row.because}"
    if standing.effect_refs:
        yield f"Its {sight.document.effect.reference}: {', '.join(standing.effect_refs)}."


def _not_there(sight: Sight) -> Iterator[str]:
    for row in grounds(sight, sight.standing.grounds.evidence):
        channel = sight.document.channels.get(row.observation.channel)
        covers = f" What was searched: {channel.about}" if channel is not None else ""
        yield f"It was not there when the record was read, {clock(row.as_of, now=sight.now)}.{covers}"
    yield "That does not say that it cannot come."


_STILL = {
    Finality.SETTLED: "It happened, and what was sent cannot act a second time.",
    Finality.EXCLUDED: "Nothing that was sent can act any more.",
    Finality.POSSIBLE: "The recipient took it up, and has not said that it is over.",
    Finality.UNESTABLISHED: "Nothing shows that what was sent is gone; it may still be on its way.",
}


def _still(sight: Sight) -> str:
    standing = sight.standing
    if standing.conflict is not None:
        return "While two statements contradict each other, nothing is ruled out."
    if standing.further_effect is FurtherEffect.POSSIBLE:
        return "It happened; another copy of what was sent is not known to be harmless and may act as well."
    return _STILL[standing.finality]


def _safe(sight: Sight) -> Iterator[str]:
    standing = sight.standing
    if nothing_left_to_send(standing):
        yield "There is nothing left to send again."
        return
    if standing.conflict is not None:
        yield "But the recipient contradicts itself: nothing is sent until that is resolved."
    until = reading.moment(standing.protection_until)
    if until is not None:
        yield f"For {span(until - sight.now)} more the recipient takes the same request number as the same request."
    elif standing.protection is Protection.ACTIVE:
        yield "The recipient takes the same request number as the same request, without an end."
    if standing.protection_reason is not None:
        yield standing.protection_reason.sentence
    for attempt in late_copies(standing):
        yield f"But attempt {attempt} went out unprotected: a copy of it that comes after that could act again."


def panels(sight: Sight) -> tuple[Panel, Panel, Panel]:
    """Return the three panels in the order of the questions."""
    happened, still, safe = answers(sight)
    found = sight.standing.grounds
    unknown = sight.standing.evidence is Evidence.UNKNOWN and sight.standing.conflict is None
    in_hand = _newest_that_settles_nothing(sight) if unknown else found.evidence
    closing = ("closure.covers",) if sight.standing.situation is Situation.OPEN else found.finality.terms
    return (
        _panel(sight, happened, _happened(sight), in_hand),
        _panel(sight, still, [_still(sight)], found.finality, *closing),
        _panel(sight, safe, _safe(sight), found.protection),
    )

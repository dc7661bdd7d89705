"""The histories that the facts allow, reduced to the few that a person can tell apart.

The theory. What is not known about an operation is which of a few things happened to its submissions. Under the
assumptions of semantics.md (Permitted actions) each submission never acts, has acted, or may still act; an attempt that
is unsent, refused with copies covered, or covered by a closure never acts. Which of several like attempts acted makes
no difference to what an action leads to, so one stands for all: nothing came of it, one acted, one may still act, two
did or may, and the same for a submission that is not on record. That is at most nine histories for any number of
attempts and observations. Where the recipient contradicts itself no history is compatible; then the histories are those
that remain if either one of the two statements is the wrong one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from operations.core.conflicts import ConflictKind
from operations.core.facts import OFF_RECORD, Attempt, Facts, Sends
from operations.core.fates import Fate, can_act, fate_acted, fate_open, first_acted
from operations.core.sifting import Dated
from operations.core.standing import FurtherEffect, Situation, Standing, collapsed, infer
from operations.core.weighed import Weighed
from operations.core.worded import Worded


class HistoryKind(Worded):
    """What may have happened, told apart by what it means for a person."""

    NOTHING_SENT = "nothing_sent", "Nothing was ever sent."
    NEVER_LEFT = "never_left", "No attempt ever left: not one byte was written."
    REFUSED = "refused", "Every attempt was refused or never left, and copies arriving late will be refused too."
    CLOSED = "closed", "It ended at the recipient without effect, and what was sent can no longer act."
    REQUEST_LOST = "request_lost", "The request was lost on its way, or came to nothing: no effect, and none to come."
    CAME_TO_NOTHING = "came_to_nothing", "The recipient took the request up, and it ends without effect."
    UNDER_WAY = "under_way", "What was sent is still under way: no effect yet, and it may still act."
    ACTED = "acted", "It happened once."
    REPLY_LOST = "reply_lost", "It happened, and only the answer was lost."
    ACTED_TWICE = "acted_twice", "It happened twice."
    ACTED_AND_MAY_AGAIN = "acted_and_may_again", "It happened, and another copy of it may still act."
    TWO_UNDER_WAY = "two_under_way", "Two copies are under way, and both may still act."
    OFF_RECORD_ACTED = "off_record_acted", "A submission that is not on record acted."
    OFF_RECORD_UNDER_WAY = "off_record_under_way", "A submission that is not on record may still act."


@dataclass(frozen=True, slots=True)
class History:
    """One history: how many effects there are by now, how many may still come, and which submissions make them.

    `actors` are the fates of the submissions that act; all others never act. `assuming` says, in a contradiction,
    which statement would have to be right.
    """

    kind: HistoryKind
    acted: int = 0
    may_act: int = 0
    actors: tuple[Fate, ...] = ()
    assuming: str | None = None

    @property
    def sentence(self) -> str:
        """What may be true, in words."""
        return " ".join([part for part in (self.assuming, self.kind.sentence) if part])


def _seconds(weighed: Weighed, actors: list[Attempt], first: str) -> list[str]:
    """Return the submissions that could act beside `first`: they are not collapsed with it."""
    others: list[str] = []
    if not collapsed(weighed):
        others = [a.id for a in actors if a.id != first or a.sends is Sends.MANY]
    return others if weighed.went.complete else [*others, OFF_RECORD]


def _still(weighed: Weighed) -> Iterator[History]:
    """Yield what it means that nothing on record can act."""
    went = weighed.went
    if not went.sent:
        yield History(HistoryKind.NOTHING_SENT)
    elif not went.reached:
        yield History(HistoryKind.NEVER_LEFT)
    else:
        yield History(HistoryKind.CLOSED if went.live else HistoryKind.REFUSED)


def _pairs(weighed: Weighed, actors: list[Attempt]) -> Iterator[History]:
    submissions = [attempt.id for attempt in actors]
    first = first_acted(weighed, submissions)
    lead = submissions[0] if first is None else first.attempt
    seconds = _seconds(weighed, actors, lead)
    if not seconds:
        return
    second = first_acted(weighed, seconds)
    if first is not None and second is not None:
        yield History(HistoryKind.ACTED_TWICE, 2, 0, _distinct(first, second))
    if first is not None:
        yield History(HistoryKind.ACTED_AND_MAY_AGAIN, 1, 1, _distinct(first, fate_open(seconds[0])))
    yield History(HistoryKind.TWO_UNDER_WAY, 0, 2, _distinct(fate_open(lead), fate_open(seconds[0])))


def _distinct(first: Fate, second: Fate) -> tuple[Fate, ...]:
    return (first,) if first.attempt == second.attempt else (first, second)


def _open(weighed: Weighed) -> Iterator[History]:
    actors = can_act(weighed)
    if actors:
        yield History(HistoryKind.CAME_TO_NOTHING if weighed.active else HistoryKind.REQUEST_LOST)
        yield History(HistoryKind.UNDER_WAY, 0, 1, (fate_open(actors[0].id),))
        acted = first_acted(weighed, [attempt.id for attempt in actors])
        if acted is not None:
            yield History(HistoryKind.REPLY_LOST, 1, 0, (acted,))
    else:
        yield from _still(weighed)
    if not weighed.went.complete:
        acted = fate_acted(weighed, OFF_RECORD)
        if acted is not None:
            yield History(HistoryKind.OFF_RECORD_ACTED, 1, 0, (acted,))
        yield History(HistoryKind.OFF_RECORD_UNDER_WAY, 0, 1, (fate_open(OFF_RECORD),))
    if actors:
        yield from _pairs(weighed, actors)


def _happened(standing: Standing) -> Iterator[History]:
    weighed = standing.weighed
    actors = can_act(weighed)
    first = first_acted(weighed, [attempt.id for attempt in actors]) or fate_acted(weighed, OFF_RECORD)
    done = () if first is None else (first,)
    if standing.duplicate_effect:
        yield History(HistoryKind.ACTED_TWICE, 2, 0, done)
        return
    yield History(HistoryKind.ACTED, 1, 0, done)
    if standing.further_effect is FurtherEffect.POSSIBLE:
        yield History(HistoryKind.ACTED_TWICE, 2, 0, done)
        yield History(HistoryKind.ACTED_AND_MAY_AGAIN, 1, 1, done)


_IF: Final = {
    ConflictKind.APPLIED_AND_CLOSED: (
        "If the report that it happened is right",
        "If the report that it ended without effect is right",
    ),
    ConflictKind.APPLIED_THEN_ABSENT: (
        "If the report that it happened is right",
        "If the record that does not hold it is right",
    ),
    ConflictKind.ACTIVE_AFTER_CLOSED: (
        "If the report that it is under way is right",
        "If the report that it ended without effect is right",
    ),
    ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED: (
        "If the report that it is under way is right",
        "If the refusals are right",
    ),
    ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED: (
        "If the report that it happened is right",
        "If the refusals are right",
    ),
}


def _sides(weighed: Weighed, kind: ConflictKind) -> tuple[list[Dated], list[Dated]]:
    """Return the statements for and against which contradict each other in this kind of conflict."""
    said = weighed.said
    refused = list(said.refused.values())
    return {
        ConflictKind.APPLIED_AND_CLOSED: (said.applied, said.closed),
        ConflictKind.APPLIED_THEN_ABSENT: (said.applied, said.absent),
        ConflictKind.ACTIVE_AFTER_CLOSED: (said.strong, said.closed),
        ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED: (said.strong, refused),
        ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED: (said.applied, refused),
    }[kind]


def _without(facts: Facts, statements: list[Dated]) -> Facts:
    wrong = {dated.event for dated in statements}
    return replace(facts, events=tuple([event for index, event in enumerate(facts.events) if index not in wrong]))


def _allowed(standing: Standing) -> Iterator[History]:
    weighed = standing.weighed
    if standing.situation is Situation.APPLIED:
        yield from _happened(standing)
    elif standing.situation is Situation.CLOSED:
        yield History(HistoryKind.CLOSED)
    elif standing.situation is Situation.NOTHING_CAN_ACT:
        yield from _still(weighed)
    else:
        yield from _open(weighed)


def _possible(standing: Standing) -> Iterator[tuple[History, Standing]]:
    """Yield the histories with the standing under which each is counted; a contradiction is taken from both sides."""
    kind = standing.conflict
    if kind is None:
        for history in _allowed(standing):
            yield history, standing
        return
    weighed = standing.weighed
    for wrong, assuming in zip(reversed(_sides(weighed, kind)), _IF[kind], strict=True):
        other = infer(_without(weighed.facts, wrong), now=weighed.now)
        for history, under in _possible(other):
            yield replace(history, assuming=history.assuming or assuming), under


def histories(standing: Standing) -> tuple[History, ...]:
    """Return the histories that the facts allow, told apart as far as a person can: never more than a few dozen."""
    return tuple([history for history, _ in told_apart(standing)])


def told_apart(standing: Standing) -> list[tuple[History, Standing]]:
    """Return the same histories, each with the standing as it would be were it the true one."""
    seen: dict[tuple[HistoryKind, str | None], tuple[History, Standing]] = {}
    for history, under in _possible(standing):
        seen.setdefault((history.kind, history.assuming), (history, under))
    return list(seen.values())

"""What may have become of each submission, and the witness that a refused action could do harm.

*Compatible* (semantics.md, Permitted actions): an attempt that is unsent, refused with copies covered, or covered by a
closure never acts; one that acted did so at or after its sending and after every `absent`, at most now, and by the date
of an `applied` where there is one; one that may still act has no time; a submission not on record may have been sent at
any time.
"""

from bisect import bisect_right
from enum import StrEnum
from typing import Final, NamedTuple

from operations.core.actions import Action
from operations.core.facts import OFF_RECORD, Attempt, ClosureCovers, Seconds
from operations.core.protection import (
    Protection,
    ProtectionReason,
    margin_of,
    protected_when_sent,
    scope_differs_from,
    sorted_statements,
)
from operations.core.standing import Standing
from operations.core.weighed import Weighed


class FateKind(StrEnum):
    """What becomes of one submission in one history."""

    NEVER_ACTS = "never_acts"
    ACTED = "acted"
    MAY_STILL_ACT = "may_still_act"


class Fate(NamedTuple):
    """The fate of one attempt, or of `?`, a submission not on record; `at` (seconds) only where it acted."""

    attempt: str
    fate: FateKind
    at: Seconds | None = None


def can_act(weighed: Weighed) -> list[Attempt]:
    """Return the live attempts that no closure covers, in the order they are on record."""
    live, closed = weighed.went.live, weighed.said.closed
    if not closed:
        return live
    if weighed.facts.contract.closure.covers is ClosureCovers.IDENTITY:
        return []
    latest = max(closed).at
    return [attempt for attempt in live if weighed.went.sent[attempt.id] > latest]


def acted_at(weighed: Weighed, attempt: str) -> Seconds | None:
    """Return a time (seconds) at which the observations allow this submission to have acted, or None.

    At or after its sending, after every `absent`, at most now, and by the date of an `applied` where there is one; a
    submission not on record may have been sent at any time, but after a closure that would cover it.
    """
    said = weighed.said
    by = min([weighed.now, *(dated.at for dated in said.applied)])
    not_by = [*said.absent, *(said.closed if attempt == OFF_RECORD else ())]
    after = max([dated.at for dated in not_by], default=None)
    sent = weighed.went.sent.get(attempt)
    if sent is not None and sent > by:
        return None
    if after is None:
        return by if sent is None else sent
    return sent if sent is not None and sent > after else _between(after, by)


def _between(after: Seconds, by: Seconds) -> Seconds | None:
    if after >= by:
        return None
    middle = after + (by - after) / 2
    return middle if after < middle else by


def fate_acted(weighed: Weighed, submission: str) -> Fate | None:
    """Return the fate of having acted at a time that the observations allow, or None."""
    at = acted_at(weighed, submission)
    return None if at is None else Fate(submission, FateKind.ACTED, at)


def fate_open(submission: str) -> Fate:
    """Return the fate of being under way."""
    return Fate(submission, FateKind.MAY_STILL_ACT)


def first_acted(weighed: Weighed, submissions: list[str]) -> Fate | None:
    """Return the fate of the first of `submissions` that may have acted by now, or None."""
    for submission in submissions:
        fate = fate_acted(weighed, submission)
        if fate is not None:
            return fate
    return None


def late_copies(standing: Standing) -> tuple[str, ...]:
    """Return the live attempts that went out without protection, where protection is active now and has an end.

    A repeat is permitted beside them by the table. But only copies of attempts sent under active protection are assumed
    to arrive before it ends, so whoever repeats should know: a copy of one of these that arrives after the end could
    act again (semantics.md, Permitted actions, the assumptions).
    """
    if standing.protection is not Protection.ACTIVE or standing.protection_until is None:
        return ()
    weighed = standing.weighed
    sent = weighed.went.sent
    statements = sorted_statements(weighed)
    return tuple(
        [attempt.id for attempt in weighed.went.live if not _sent_protected(weighed, statements, sent[attempt.id])]
    )


def _sent_protected(weighed: Weighed, statements: list[tuple[Seconds, Seconds]], at: Seconds) -> bool:
    """Return whether an attempt of `at` went out under the newest statement by then, else under the contract's terms."""
    by_then = bisect_right(statements, at, key=lambda statement: statement[0])
    if by_then:
        return at < statements[by_then - 1][1] - margin_of(weighed)
    return protected_when_sent(weighed, at)


_CONCURRENCY: Final = ProtectionReason.CONCURRENCY_UNDOCUMENTED


def _harmful_actors(standing: Standing, action: Action) -> list[str]:
    """Return the submissions whose act the action would double, the most telling first."""
    weighed = standing.weighed
    on_record = [attempt.id for attempt in can_act(weighed)]
    off_record = [] if weighed.went.complete else [OFF_RECORD]
    if action is Action.REPEAT and standing.protection_reason is ProtectionReason.RECORD_INCOMPLETE:
        return off_record  # what is on record may be protected; what isn't may have used another identity
    if action is Action.REPEAT and standing.protection_reason is ProtectionReason.SCOPE_DIFFERS:
        elsewhere = set(scope_differs_from(weighed))
        on_record.sort(key=lambda attempt: attempt not in elsewhere)
    return on_record + off_record


def witness(standing: Standing, action: Action) -> tuple[Fate, ...]:
    """Return a compatible history in which `action` leads to a second effect: a line for each attempt on record.

    A line for `?` is added only where the record is not complete. Call it only where the action is refused for harm:
    then some submission may have acted or may still act, and the action would act beside it.
    """
    weighed = standing.weighed
    actors = _harmful_actors(standing, action)
    in_flight = action is Action.REPEAT and standing.protection_reason is _CONCURRENCY
    acted = None if in_flight else first_acted(weighed, actors[:1])
    actor = acted or fate_open(actors[0])
    submissions = [attempt.id for attempt in weighed.facts.attempts]
    if not weighed.went.complete:
        submissions.append(OFF_RECORD)
    never = FateKind.NEVER_ACTS
    return tuple([actor if name == actor.attempt else Fate(name, never) for name in submissions])

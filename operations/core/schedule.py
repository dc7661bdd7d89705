"""Whatever is unsettled has a time at which it is asked about or a time from which a person is needed; nothing is lost.

The plan knows no verdict: neither evidence nor any action goes in or comes out, so that running out of polls can only
call a person (semantics.md: what is unknown stays unknown). The same inquiry gives the same plan, and as time passes a
plan moves only to later times: a sweep may plan again as often as it likes and starves nobody.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from operations.core.facts import LATEST, Seconds
from operations.core.inquiry import Askable, Inquiry, Question
from operations.core.worded import Worded


class Timing(Worded):
    """Why the next ask is when it is, or why there is none; `sentence` is what a person reads."""

    BACKOFF = "backoff", "Asked again after a wait that grows from ask to ask."
    PACING = "pacing", "The contract asks for this much time between two asks."
    RETRY_AFTER = "retry_after", "The recipient asked not to be asked before."
    FRESH = "fresh", "Until then a cache on the way may give the last answer again."
    BEFORE_PROTECTION_ENDS = "before_protection_ends", "Asked in time to act before repeating stops being harmless."
    BEFORE_DEADLINE = "before_deadline", "Asked in time to act before the deadline."
    WATCH = "watch", "It happened and could happen again, so it is watched slowly."
    SETTLED = "settled", "Nothing is left to ask."
    POLLS_EXHAUSTED = "polls_exhausted", "All the asks that were allowed have been made."
    NO_CHANNEL = "no_channel", "No channel of the contract can be asked."


class Reason(Worded):
    """Why a person is needed; `sentence` is what the person reads."""

    CONFLICT = "conflict", "The recipient's statements contradict each other; asking again does not settle that."
    NO_POLLABLE_CHANNEL = "no_pollable_channel", "There is no channel that the desk can ask by itself."
    POLLS_EXHAUSTED = "polls_exhausted", "The desk has asked as often as it may and the outcome is still open."
    RETRY_AFTER_TOO_LATE = (
        "retry_after_too_late",
        "The recipient asks not to be asked until it is too late to act on the answer.",
    )
    PROTECTION_ENDS = "protection_ends", "Repeating stops being harmless, and the outcome is still open."
    DEADLINE = "deadline", "The deadline comes, and the outcome is still open."
    PENDING_TOO_LONG = "pending_too_long", "The recipient has had it under way for longer than expected."
    UNKNOWN_TOO_LONG = "unknown_too_long", "The outcome has been unknown for longer than expected."


_TOO_LONG: Final = {Question.PENDING: Reason.PENDING_TOO_LONG, Question.UNKNOWN: Reason.UNKNOWN_TOO_LONG}


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """A reason for a person, and the time from which it holds unless something is learnt before."""

    reason: Reason
    at: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """When to ask next, through which channel and why; when a person is needed, and every reason, soonest first.

    `ask_at` and `channel` are None together. Times are never before `now`: one that equals it is due.
    """

    ask_at: Seconds | None
    channel: str | None
    because: Timing
    needs: tuple[Need, ...] = ()

    @property
    def person_at(self) -> Seconds | None:
        """The time from which a person is needed unless something is learnt before; None only for what is settled."""
        return self.needs[0].at if self.needs else None


def plan(inquiry: Inquiry, *, now: Seconds) -> Plan:
    """Return when to ask again and when a person is needed; for everything unsettled there is a time for a person."""
    if inquiry.question is Question.NONE:
        return _silent(Timing.SETTLED)
    if inquiry.question is Question.FURTHER_EFFECT:
        return _watch(inquiry, now)
    needs = sorted((max(at, now), index, reason) for index, (reason, at) in enumerate(_needs(inquiry, now)))
    return _ask(inquiry, now, tuple([Need(reason=reason, at=at) for at, _, reason in needs]))


def _silent(because: Timing, needs: tuple[Need, ...] = ()) -> Plan:
    return Plan(ask_at=None, channel=None, because=because, needs=needs)


def _watch(inquiry: Inquiry, now: Seconds) -> Plan:
    if inquiry.watch_every is None:
        return _silent(Timing.SETTLED)
    if not inquiry.channels:
        return _silent(Timing.NO_CHANNEL)
    wait = inquiry.backoff.shortened(inquiry.watch_every, ask=inquiry.asks_made)
    at, because, channel = _through(inquiry, now, _Wish(inquiry.anchor + wait, Timing.WATCH, _teaches_at))
    if inquiry.watch_until is not None and at > inquiry.watch_until:
        return _silent(Timing.SETTLED)
    return Plan(ask_at=at, channel=channel, because=because)


def _ask(inquiry: Inquiry, now: Seconds, needs: tuple[Need, ...]) -> Plan:
    if not inquiry.channels:
        return _silent(Timing.NO_CHANNEL, needs)
    if inquiry.asks_made >= inquiry.asks_allowed:
        return _silent(Timing.POLLS_EXHAUSTED, needs)
    found = [(_through(inquiry, now, wish), wish.at) for wish in _wishes(inquiry, now)]
    (at, because, channel), _ = min(found, key=lambda one: (one[0][0], one[1]))
    return Plan(ask_at=at, channel=channel, because=because, needs=needs)


class _Wish(NamedTuple):
    """When to ask, why, and from when a channel serves for it."""

    at: Seconds
    why: Timing
    opens: Callable[[Askable], Seconds]


def _wishes(inquiry: Inquiry, now: Seconds) -> Iterator[_Wish]:
    """Yield when to ask by backoff, and before each end that is still to come and that backoff would step over.

    No wish follows `now` about: were it "now plus the wait", whoever plans often would never ask.
    """
    backoff = _Wish(inquiry.anchor + inquiry.backoff.wait_before(inquiry.asks_made), Timing.BACKOFF, _teaches_at)
    yield backoff
    opens = min(opens_at(askable) for askable in inquiry.channels)
    regular = max(backoff.at, min(_teaches_at(askable) for askable in inquiry.channels))
    for end, why in (
        (inquiry.protection_until, Timing.BEFORE_PROTECTION_ENDS),
        (inquiry.deadline, Timing.BEFORE_DEADLINE),
    ):
        if end is not None and max(now, opens) <= end and inquiry.anchor < end - inquiry.ask_ahead < regular:
            yield _Wish(end - inquiry.ask_ahead, why, opens_at)


def opens_at(askable: Askable) -> Seconds:
    """Return the time from which the channel may be asked: the contract's pacing, and the recipient's Retry-After."""
    return max(_paced(askable), -LATEST if askable.not_before is None else askable.not_before)


def _teaches_at(askable: Askable) -> Seconds:
    """Return the time from which asking can teach something new, too: no cache may give the last answer again."""
    return max(opens_at(askable), -LATEST if askable.fresh_until is None else askable.fresh_until)


def _paced(askable: Askable) -> Seconds:
    return -LATEST if askable.last_asked_at is None else askable.last_asked_at + askable.min_interval


def _through(inquiry: Inquiry, now: Seconds, wish: _Wish) -> tuple[Seconds, Timing, str]:
    """Return the soonest time at or after the wish, why it is then, and the first channel that serves for it then."""
    due = max(wish.at, now)
    chosen = min(inquiry.channels, key=lambda askable: max(due, wish.opens(askable)))  # of equals the first in order
    at = max(due, wish.opens(chosen))
    return at, wish.why if at == due else _held_by(chosen, at), chosen.channel


def _held_by(askable: Askable, at: Seconds) -> Timing:
    """Return why a channel is not asked before this time."""
    if at == _paced(askable):
        return Timing.PACING
    return Timing.RETRY_AFTER if at == askable.not_before else Timing.FRESH


def _needs(inquiry: Inquiry, now: Seconds) -> Iterator[tuple[Reason, Seconds]]:
    """Yield every reason for a person with the time from which it holds; one whose time has passed still holds.

    A need that ended with the window it was about would be lost if the desk was down meanwhile.
    """
    hindered = _hindered(inquiry, now)
    if inquiry.question is Question.CONFLICT:
        yield Reason.CONFLICT, now
    if hindered is not None:
        yield hindered, _hindered_from(inquiry, hindered, now)
    if inquiry.protection_until is not None:
        yield Reason.PROTECTION_ENDS, inquiry.protection_until - inquiry.call_ahead
    if inquiry.deadline is not None:
        yield Reason.DEADLINE, inquiry.deadline - inquiry.call_ahead
    if inquiry.question in _TOO_LONG:
        yield _TOO_LONG[inquiry.question], inquiry.expected_by


def _hindered(inquiry: Inquiry, now: Seconds) -> Reason | None:
    """Return why the desk can't go on asking by itself, or not in time, or None."""
    if not inquiry.channels:
        return Reason.NO_POLLABLE_CHANNEL
    if inquiry.asks_made >= inquiry.asks_allowed:
        return Reason.POLLS_EXHAUSTED
    ends = [end for end in (inquiry.protection_until, inquiry.deadline) if end is not None]
    late = any(_told_to_wait_beyond(inquiry, end - inquiry.call_ahead, now) for end in ends)
    return Reason.RETRY_AFTER_TOO_LATE if late else None


def _hindered_from(inquiry: Inquiry, why: Reason, now: Seconds) -> Seconds:
    """Return from when it takes a person: a recipient that tells by itself has its time first, and is not asked by anybody."""
    waits = why is Reason.NO_POLLABLE_CHANNEL and inquiry.listens
    return inquiry.expected_by if waits else now


def _told_to_wait_beyond(inquiry: Inquiry, last: Seconds, now: Seconds) -> bool:
    """Say whether no channel may be asked by `last`, the last moment to act on an answer, and Retry-After is why."""
    late = [askable for askable in inquiry.channels if opens_at(askable) > last]
    told = any(askable.not_before is not None and askable.not_before > last for askable in late)
    return now < last and told and len(late) == len(inquiry.channels)

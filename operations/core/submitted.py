"""What can still act is decided from what was submitted and what the recipient said of it, never from silence.

semantics.md, What can still act: which attempts explain a report, when the client's word falls, whether the record is
complete, which attempts are live, whether nothing can act any more. Work is n log n in attempts and reports.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from operations.core.facts import Attempt, ClosureCovers, Facts, Seconds, SuccessorState
from operations.core.sifting import Dated, Said

_IDENTITY: Final = ClosureCovers.IDENTITY
_NO_EFFECT: Final = SuccessorState.NO_EFFECT


class Explanations:
    """Answers which reports some attempt explains; attempts that are unsent must be left out of `reached`.

    An attempt explains a report dated d if it was sent by d and, where it was refused with copies covered, d is not
    later than the refusal and the report is not `applied`.
    """

    __slots__ = ("_from", "_open", "_refused", "_refused_at")

    def __init__(self, reached: list[Attempt], sent: dict[str, Seconds], refused: dict[str, Dated]) -> None:
        self._open = sorted([sent[attempt.id] for attempt in reached if attempt.id not in refused])
        self._refused = (
            sorted((sent[attempt.id], refused[attempt.id].at) for attempt in reached if attempt.id in refused)
            if refused
            else []
        )
        self._refused_at = [at for at, _ in self._refused]
        self._from: dict[int, list[Seconds]] = {}

    def explains(self, at: Seconds, *, applied: bool) -> bool:
        """Return whether some attempt explains a report dated `at`."""
        if self._open and self._open[0] <= at:
            return True
        if applied or not self._refused:
            return False
        sent_by = bisect_right(self._refused_at, at)
        return sent_by > 0 and self._latest_refusals(0)[sent_by - 1] >= at

    def explains_after(self, at: Seconds, *, after: Seconds, applied: bool) -> bool:
        """Return whether some attempt sent later than `after` explains a report dated `at`."""
        sent_by = bisect_right(self._open, at)
        if sent_by and self._open[sent_by - 1] > after:
            return True
        if applied:
            return False
        first, last = bisect_right(self._refused_at, after), bisect_right(self._refused_at, at)
        return first < last and self._latest_refusals(first)[last - first - 1] >= at

    def _latest_refusals(self, first: int) -> list[Seconds]:
        """Return the running maximum of the refusals from `first` on; made once for each closure that is asked about."""
        if first not in self._from:
            self._from[first] = list(accumulate([refusal for _, refusal in self._refused[first:]], max))
        return self._from[first]


@dataclass(slots=True)
class Submitted:
    """What went out, as far as the record and the recipient's answers tell.

    `sent` dates every attempt (never later than now); `unsent` are those whose `not_sent` stands, `overruled` the
    indices of the `not_sent` that the recipient's word beats; `stranger` is the index of the answer that shows the
    record to be incomplete though it was said to be complete; `reached` are the attempts that may have reached the
    recipient, `live` those of them not refused with copies covered.
    """

    sent: dict[str, Seconds]
    unsent: dict[str, Dated]
    overruled: tuple[int, ...]
    reached: list[Attempt]
    live: list[Attempt]
    complete: bool
    stranger: int | None
    explanations: Explanations
    first_reached_at: Seconds | None
    last_reached_at: Seconds | None

    @property
    def nothing_can_act(self) -> bool:
        """Whether the record is complete and no attempt is live; an operation never attempted is one of these."""
        return self.complete and not self.live


def _reports(said: Said) -> list[tuple[Dated, bool]]:
    reports = [(dated, True) for dated in said.applied]
    reports += [(dated, False) for dated in said.pending]
    reports += [(dated, False) for dated in said.accepted]
    return reports


def _standing_not_sent(facts: Facts, said: Said, sent: dict[str, Seconds]) -> dict[str, Dated]:
    """Return the `not_sent` that stand: the recipient's word beats the client's.

    The second drop is judged for all reports at once, so that no order of arrival can matter.
    """
    unsent = {attempt: dated for attempt, dated in said.unsent.items() if attempt not in said.named}
    if not unsent:
        return unsent
    reached = [attempt for attempt in facts.attempts if attempt.id not in unsent]
    explanations = Explanations(reached, sent, said.refused)
    unexplained = [
        dated.at for dated, applied in _reports(said) if not explanations.explains(dated.at, applied=applied)
    ]
    if not unexplained:
        return unsent
    horizon = max(unexplained)
    return {attempt: dated for attempt, dated in unsent.items() if sent[attempt] > horizon}


def _stranger(said: Said, sent: dict[str, Seconds]) -> int | None:
    """Return the index of an answer that speaks of a submission which is not on record, or None."""
    for attempt, index in said.named.items():
        if attempt not in sent:
            return index
    reports = said.applied + said.pending + said.accepted
    if not reports:
        return None
    earliest = min(reports)
    return earliest.event if not sent or earliest.at < min(sent.values()) else None


def submitted(facts: Facts, said: Said, *, now: Seconds) -> Submitted:
    """Return what was submitted and what of it can still act."""
    attempts = facts.attempts
    sent = {attempt.id: min(attempt.at, now) for attempt in attempts}
    unsent = _standing_not_sent(facts, said, sent) if said.unsent else {}
    overruled = tuple([dated.event for attempt, dated in said.unsent.items() if attempt not in unsent])
    reached = [attempt for attempt in attempts if attempt.id not in unsent] if unsent else list(attempts)
    refused = said.refused
    stranger = _stranger(said, sent)
    times = [sent[attempt.id] for attempt in reached]
    return Submitted(
        sent=sent,
        unsent=unsent,
        overruled=overruled,
        reached=reached,
        live=[attempt for attempt in reached if attempt.id not in refused] if refused else reached,
        complete=facts.operation.attempts_complete and stranger is None,
        stranger=stranger,
        explanations=Explanations(reached, sent, refused),
        first_reached_at=min(times, default=None),
        last_reached_at=max(times, default=None),
    )


def excluding_closure(facts: Facts, said: Said, went: Submitted) -> Dated | None:
    """Return a `closed` that excludes any effect, or None.

    One does if closure covers the identity; where it covers earlier attempts only, if the record is complete and every
    live attempt was sent by its date (semantics.md, What can still act).
    """
    if not said.closed:
        return None
    latest = max(said.closed)
    if facts.contract.closure.covers is _IDENTITY:
        return latest
    if went.complete and all(went.sent[attempt.id] <= latest.at for attempt in went.live):
        return latest
    return None


def repeat_scopes(facts: Facts, went: Submitted) -> frozenset[str]:
    """Return the scopes a repeat might go out in: the stated one, else that of the last attempt that may have arrived.

    Attempts of one date can't be told apart by time, so all their scopes are returned: a scope differs if it differs
    from any of them, which never permits more.
    """
    stated = facts.operation.repeat_scope
    if stated is not None:
        return frozenset((stated,))
    last = went.last_reached_at
    return frozenset([attempt.scope for attempt in went.reached if went.sent[attempt.id] == last])


def open_successors(facts: Facts, *, now: Seconds) -> tuple[str, ...]:
    """Return the successors that may still carry the intent, in the order they appear.

    A successor's newest state holds; of two states at one date `open` does, which never permits more.
    """
    newest: dict[str, tuple[Seconds, bool]] = {}
    for successor in facts.successors:
        state = (min(successor.at, now), successor.state is not _NO_EFFECT)
        if successor.id not in newest or newest[successor.id] < state:
            newest[successor.id] = state
    return tuple([name for name, (_, is_open) in newest.items() if is_open])

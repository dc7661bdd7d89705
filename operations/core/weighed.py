"""Everything the rows look at, weighed once for one moment."""

from dataclasses import dataclass
from typing import NamedTuple

from operations.core.facts import Facts, Seconds
from operations.core.sifting import Dated, Said
from operations.core.submitted import Submitted, excluding_closure, submitted


class Ground(NamedTuple):
    """What a value rests on: observations (indices in `events`) and terms (paths into contract and operation)."""

    observations: tuple[int, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(slots=True)
class Weighed:
    """The facts with what counts (`said`) and what went out (`went`), as of `now`.

    `closure` is a `closed` that excludes any effect; `newest` the newest of the fresh `pending` and the counting
    `absent`, with whether it is a `pending` (at one date a `pending` wins); `last_sent` the date of the last live
    attempt.
    """

    facts: Facts
    now: Seconds
    said: Said
    went: Submitted
    closure: Dated | None
    newest: tuple[Dated, bool] | None
    active: bool


def fresh(weighed_facts: Facts, reports: list[Dated], now: Seconds) -> list[Dated]:
    """Return the reports that are not older than the contract's `pending_fresh_for`, if it gives one."""
    limit = weighed_facts.contract.protection.pending_fresh_for
    if limit is None:
        return reports
    return [dated for dated in reports if now - dated.at <= limit]


def _newest(facts: Facts, said: Said, now: Seconds) -> tuple[Dated, bool] | None:
    pending = max(fresh(facts, said.pending, now), default=None) if said.pending else None
    absent = max(said.absent, default=None) if said.absent else None
    if pending is not None and (absent is None or pending.at >= absent.at):
        return pending, True
    return (absent, False) if absent is not None else None


def weigh(facts: Facts, said: Said, *, now: Seconds) -> Weighed:
    """Return the facts with what went out and what the newest report is."""
    went = submitted(facts, said, now=now)
    return Weighed(
        facts=facts,
        now=now,
        said=said,
        went=went,
        closure=excluding_closure(facts, said, went),
        newest=_newest(facts, said, now),
        active=bool(said.pending or said.accepted),
    )

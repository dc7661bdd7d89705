"""The backlog reaches the desk, each event once however often it is told, and never out of its operation's order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unresolved import backlog, telling
from unresolved.backlog import Waiting
from unresolved.desk import Desk, Unreachable
from unresolved.journal import Journal
from unresolved.kept import Begun, Delivered, Mark

Clock = Callable[[], float]


@dataclass(slots=True, kw_only=True)
class Shipped:
    """What one round came to, in events. `waiting`: still to be told; `unreachable`: why the round ended, if it did so."""

    recorded: int = 0
    refused: int = 0
    waiting: int = 0
    unreachable: str | None = None


def ship(journal: Journal, desk: Desk, *, clock: Clock, operation: int | None = None, hurry: bool = False) -> Shipped:
    """Tell the desk what it was not told yet, of one operation or of all; an unreachable desk loses nothing."""
    found = Shipped()
    hand_over_what_was_left(journal, at=clock(), operation=operation)
    stopped: set[int] = set()  # what has to wait keeps no other back, however much of it there is
    try:
        while some := backlog.wave(journal, at=clock(), operation=operation, without=stopped):
            stopped |= _told(journal, desk, some, found, clock=clock, hurry=hurry)
    except Unreachable as error:
        found.unreachable = str(error)
    found.waiting = backlog.waiting(journal, operation=operation)
    return found


def _told(
    journal: Journal, desk: Desk, some: Sequence[Waiting], found: Shipped, *, clock: Clock, hurry: bool
) -> set[int]:
    """Tell one wave; returns the operations of which the rest has to wait."""
    vain = [one for one in some if not one.opens and backlog.was_refused(journal, one.attempt)]
    for one in vain:
        journal.deliver(Delivered(event=one.key, came_to="moot"), at=clock())
    some = [one for one in some if one not in vain]
    answers = desk.batch([backlog.item_of(one) for one in some], hurry=hurry) if some else []
    stopped: set[int] = set()
    for one, answer in zip(some, answers, strict=True):
        if answer.is_for_later or (one.operation in stopped and not answer.is_done):
            stopped.add(one.operation)
            continue
        told = backlog.delivered(one.key, answer)
        journal.deliver(told, at=clock())
        found.recorded += told.came_to == "recorded"
        found.refused += told.came_to == "refused"
    return stopped


def hand_over_what_was_left(journal: Journal, *, at: float, operation: int | None = None) -> int:
    """Hand the attempts of processes that are gone over to the desk: open, unknown, and sealed. Returns how many.

    That is true whoever still runs: no writer of this journal begins a further attempt without a grant.
    """
    left = [one for one in journal.open_attempts(operation) if backlog.is_left(one, host=journal.host, at=at)]
    for one in left:
        hand_over(journal, one, at=at)
    return len(left)


def hand_over(journal: Journal, begun: Begun, *, at: float) -> None:
    """Seal the record of an attempt whose end nobody saw."""
    of = journal.known(begun.operation)
    journal.mark(begun, Mark(mark="handed_over", says="its end was not seen"), at=at, events=[telling.seal(of)])

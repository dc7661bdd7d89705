"""Whoever watches is told of every operation that changed, in the transaction that changes it.

So that what the people's ring keeps of an operation (its case) is never behind what is known of it, though this ring
knows nothing of that one. A watcher that raises undoes the change: it must refuse nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from operations import models
from operations.core.schedule import Need
from operations.models.due import PLANNED
from operations.reading import seconds
from operations.recording import planning


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One locked operation as it stands at the end of the transaction. `needs` are the reasons for a person that hold now.

    `expected_by` is until when what was sent may usually take, None where nothing is left to ask. `fresh`: it was not
    there before.
    """

    operation: models.Operation
    needs: tuple[Need, ...]
    expected_by: datetime | None = None
    fresh: bool = False


Watcher: TypeAlias = Callable[[Sequence[Changed], datetime], None]
_watchers: Final[list[Watcher]] = []


def watch(watcher: Watcher) -> None:
    """Have `watcher(changed, now)` called from now on; a second time changes nothing."""
    if watcher not in _watchers:
        _watchers.append(watcher)


def changed(operation: models.Operation, due: models.Due | None, *, now: datetime, fresh: bool = False) -> Changed:
    """Return an operation with those needs of its plan, which was just made, that hold at `now`."""
    needs = () if due is None else due.needs
    return Changed(
        operation=operation,
        needs=tuple([need for need in needs if need.at <= seconds(now)]),
        expected_by=None if due is None else planning.expected_by(operation, due),
        fresh=fresh,
    )


def tell(some: Sequence[Changed], *, now: datetime) -> None:
    """Tell every watcher, in the caller's transaction. What is new, without a deadline, and needs nobody is no news."""
    news = [one for one in some if one.needs or one.operation.deadline is not None or not one.fresh]
    for watcher in _watchers if news else ():
        watcher(news, now)


def tell_as_it_is(operation: models.Operation, *, now: datetime) -> None:
    """Tell every watcher of a locked operation of which nothing that is known changed, but something beside it did."""
    due = models.Due.objects.select_for_update().filter(operation=operation).first()
    if due is not None:
        planning.planned(operation, due, now=now)
        due.save(update_fields=PLANNED)
    tell([changed(operation, due, now=now)], now=now)

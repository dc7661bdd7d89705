"""The asking in words: when a recipient is asked next about one operation and through what, or why not; who is needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from escalation.screens.sight import Sight
from operations.core.schedule import Reason, Timing
from operations.polling.seen import pace_of, plan_of

_WHY: Final = {word.value: word.sentence for word in Timing}
_NEEDS: Final = {word.value: word.sentence for word in Reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """`next_at` is when, `through` by which channel; without it `why` says why not. `hindered`: what stands in the way.

    `person_at` and `person_because`: from when somebody is needed, unless something is learnt before.
    """

    next_at: datetime | None
    through: str
    why: str
    hindered: tuple[str, ...]
    asks_made: int
    failed_at: datetime | None
    failure: str
    cannot: tuple[str, ...]
    person_at: datetime | None
    person_because: str


def schedule_of(sight: Sight) -> Schedule | None:
    """Return the plan of one operation in words; None where nothing is left to ask and nobody is needed."""
    due = plan_of(sight.operation.id)
    if due is None:
        return None
    return Schedule(
        next_at=due.at,
        through=due.channel,
        why=_WHY[due.why],
        hindered=tuple(_hindered(sight)) if due.at is not None else (),
        asks_made=due.asks_made,
        failed_at=due.failed_at,
        failure=due.failure,
        cannot=tuple([asked["cannot"] for asked in due.asked.values() if "cannot" in asked]),
        person_at=due.person_at,
        person_because=_NEEDS[due.person_because] if due.person_because else "",
    )


def _hindered(sight: Sight) -> Iterator[str]:
    recipient, pace = sight.operation.recipient, pace_of(sight.operation.recipient_id)
    if not recipient.address:
        yield f"The desk has no address of {recipient.name}, so it asks nothing there."
    if pace.paused_since is not None:
        by = f" by {pace.paused_by}" if pace.paused_by else ""
        yield f"Asking {recipient.name} is paused{by}: {pace.paused_because}"
    if pace.not_before is not None and pace.not_before > sight.now:
        yield f"{recipient.name} asked to be left alone for now."

"""What befalls every operation in the week, drawn from a seed as plain values: the run plays it, the oracle reads it."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tests.week.world import HOUR, RECIPIENTS, T0, TICK, Recipient

MINUTE: Final = timedelta(minutes=1)
SECOND: Final = timedelta(seconds=1)
BURST: Final = 0.015  # of all operations, at one recipient within two minutes
WORKING: Final = ("ann", "ben", "cleo", "dan", "eve", "finn", "gus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happens to an operation: something comes from the recipient or an agent, or a person does something.

    `what`: timeout, pending, applied, closed, asks; or take, give_back, seen, hand_over, put_off, leave by `who`.
    """

    at: datetime
    what: str
    who: str = ""
    to: str = ""
    until: datetime | None = None


@dataclass(slots=True, kw_only=True)
class Life:
    """One operation: where, when it is registered, whether its record is sealed, its deadline, and what befalls it."""

    index: int
    kind: str
    recipient: Recipient
    begun: datetime
    sealed: bool = False
    deadline: datetime | None = None
    events: list[Event] = field(default_factory=list)

    @property
    def identity(self) -> str:
        """Its request number."""
        return f"order-{self.index:06d}"

    def then(self, after: timedelta, what: str, *, who: str = "", to: str = "", until: timedelta | None = None) -> None:
        """Add what happens so long after it was registered; `until` counts from there, too."""
        at = self.begun + after
        self.events.append(Event(at=at, what=what, who=who, to=to, until=None if until is None else self.begun + until))


class Drawing:
    """Draws lives; the same seed draws the same. `calm` of them, a share, are known at once or done in time."""

    def __init__(self, seed: int, *, operations: int, days: float, calm: float) -> None:
        self._random = random.Random(seed)  # noqa: S311  # drawn, not secret
        self._operations, self._ends = operations, T0 + timedelta(days=days)
        self._calm = calm

    def lives(self) -> list[Life]:
        """Return every operation in the order in which they are registered, each with what befalls it in order."""
        found = [self._life() for _ in range(self._operations - self._in_bursts())] + list(self._bursts())
        found.sort(key=lambda one: one.begun)
        for index, life in enumerate(found, start=1):
            life.index = index
            life.events = sorted([one for one in life.events if one.at < self._ends], key=lambda one: one.at)
        return found

    def _in_bursts(self) -> int:
        return 2 * self._burst()

    def _burst(self) -> int:
        return max(6, round(self._operations * BURST))

    def _bursts(self) -> Iterator[Life]:
        """A recipient fails for many at once, twice, and an hour or more later it is known what became of them."""
        for share, key in ((0.2, "collection-desk"), (0.6, "square-payments")):
            begins = self._minute(T0 + (self._ends - T0) * share)
            settles = self._between(1, 3) * HOUR
            for _ in range(self._burst()):
                begun = begins + self._random.randrange(2) * TICK + 20 * SECOND
                life = Life(index=0, kind="burst", recipient=RECIPIENTS[key], begun=begun)
                life.then(10 * SECOND, "timeout")
                life.then(settles + self._between(0, 20) * MINUTE, "applied")
                yield life

    def _minute(self, at: datetime) -> datetime:
        return at.replace(second=0, microsecond=0)

    def _between(self, low: float, high: float) -> float:
        return self._random.uniform(low, high)

    def _begun(self) -> datetime:
        """A minute of the week, by day three times as likely as by night; registered at one second of it, all at once."""
        while True:
            at = T0 + timedelta(seconds=self._between(0, (self._ends - T0).total_seconds() - 900))
            if 6 <= at.hour < 20 or self._random.random() < 1 / 3:
                return self._minute(at) + 20 * SECOND

    def _life(self) -> Life:
        some = _CALM if self._random.random() < self._calm else _TROUBLED
        kind = self._random.choices(list(some), weights=[weight for _, _, weight in some.values()])[0]
        draw, keys, _ = some[kind]
        life = Life(index=0, kind=kind, recipient=RECIPIENTS[self._random.choice(keys)], begun=self._begun())
        draw(self, life)
        return life

    def prompt(self, life: Life) -> None:
        """It is known at once."""
        life.then(SECOND, "applied")

    def in_time(self, life: Life) -> None:
        """Under way, and done within its expected time."""
        life.then(life.recipient.expected * 0.2, "pending")
        life.then(life.recipient.expected * 0.8, "applied")

    def lost(self, life: Life) -> None:
        """The reply is lost, and the record says hours later what became of it."""
        life.then(2 * SECOND, "timeout")
        settled = self._between(5, 60) if self._random.random() < 0.5 else self._between(60, 420)
        self._people(life, settled)
        life.then(settled * MINUTE, "applied")

    def ended(self, life: Life) -> None:
        """The reply is lost, and the operation is closed for good."""
        life.then(2 * SECOND, "timeout")
        settled = self._between(60, 480)
        self._people(life, settled)
        life.then(settled * MINUTE, "closed")

    def slow(self, life: Life) -> None:
        """Under way for longer than expected."""
        life.then(life.recipient.expected * 0.3, "pending")
        settled = self._between(20, 600)
        self._people(life, settled)
        life.then(settled * MINUTE, "applied")

    def moved(self, life: Life) -> None:
        """Put off, and then what is known changes."""
        life.then(2 * SECOND, "timeout")
        put_off = self._between(10, 60)
        life.then(put_off * MINUTE, "put_off", who=self._who(), until=(put_off + 600) * MINUTE)
        life.then((put_off + self._between(10, 120)) * MINUTE, "pending")
        life.then((put_off + self._between(150, 400)) * MINUTE, "applied")

    def contradicted(self, life: Life) -> None:
        """Said to have happened, and hours later said to be closed: nothing here settles that."""
        life.sealed = self._random.random() < 0.5
        life.then(5 * SECOND, "applied")
        closed = self._between(2, 20)
        life.then(closed * HOUR, "closed")
        life.then((closed + self._between(1, 6)) * HOUR, "take", who=self._who())
        life.then((closed + self._between(8, 20)) * HOUR, "put_off", who=self._who(), until=(closed + 44) * HOUR)

    def again(self, life: Life) -> None:
        """A case that closed, and a contradiction that opens the second."""
        life.then(2 * SECOND, "timeout")
        life.then(self._between(20, 120) * MINUTE, "applied")
        closed = self._between(4, 24)
        life.then(closed * HOUR, "closed")
        life.then((closed + self._between(1, 3)) * HOUR, "put_off", who=self._who(), until=(closed + 60) * HOUR)

    def due(self, life: Life) -> None:
        """A business deadline comes near."""
        deadline = self._between(3, 240)
        life.deadline = life.begun + deadline * MINUTE
        life.then(life.recipient.expected * 0.5, "timeout")
        settled = deadline + self._between(-2, 60)
        self._people(life, settled)
        life.then(settled * MINUTE, "applied")

    def lapsing(self, life: Life) -> None:
        """Protection comes to its end before it is known what happened."""
        life.sealed = True
        life.then(2 * SECOND, "timeout")
        put_off = self._between(1, 4)
        life.then(put_off * HOUR, "put_off", who=self._who(), until=(put_off + self._between(10, 40)) * HOUR)
        life.then(self._between(23, 29) * HOUR, "applied")

    def asked(self, life: Life) -> None:
        """An agent asks for a person, before or after anything else calls one."""
        life.then(2 * SECOND, "timeout")
        life.then(self._random.choice([10 * SECOND, self._between(3, 90) * MINUTE]), "asks")
        settled = self._between(95, 300)
        self._people(life, settled)
        life.then(settled * MINUTE, "applied")

    def left(self, life: Life) -> None:
        """Somebody leaves it unresolved, to be looked at again."""
        life.then(2 * SECOND, "timeout")
        leaves, again = self._between(0.1, 3), self._between(2, 14)
        life.then(leaves * HOUR, "leave", who=self._who(), until=(leaves + again) * HOUR)
        life.then((leaves + again * self._between(0.5, 2)) * HOUR, "applied")

    def _who(self) -> str:
        return self._random.choice(WORKING)

    def _people(self, life: Life, settled: float) -> None:
        """What people do about it before it is settled (minutes), in one case of three."""
        if self._random.random() < 0.65:
            return
        who, at = self._who(), self._between(2, settled)
        does = self._random.choice(["seen", "take", "take", "put_off", "hand_over", "over"])
        until = (at + self._between(15, 240)) * MINUTE if does == "put_off" else None
        to = self._random.choice([one for one in WORKING if one != who])
        life.then(at * MINUTE, "take" if does == "over" else does, who=who, to=to, until=until)
        later = at + self._between(5, 120)
        if does == "take":
            life.then(later * MINUTE, self._random.choice(["give_back", "seen"]), who=who)
        elif does == "over":  # somebody else takes it over, and hands it on
            life.then(later * MINUTE, "take", who=to)
            life.then((later + 20) * MINUTE, "hand_over", who=to, to=who)


Draw = Callable[[Drawing, Life], None]
_PENDING: Final = ("collection-desk", "square-payments", "stripe-refunds")
_ALL: Final = tuple(RECIPIENTS)
_DESK: Final = ("collection-desk",)
Kinds = dict[str, tuple[Draw, tuple[str, ...], float]]
# Each kind of life: how it goes, at which recipients, and how often.
_CALM: Final[Kinds] = {
    "known at once": (Drawing.prompt, _ALL, 7),
    "done in time": (Drawing.in_time, _PENDING, 1),
}
_TROUBLED: Final[Kinds] = {
    "reply lost": (Drawing.lost, _ALL, 9),
    "closed for good": (Drawing.ended, _DESK, 2),
    "under way too long": (Drawing.slow, _PENDING, 3),
    "put off, then moved": (Drawing.moved, _PENDING, 1),
    "contradicted": (Drawing.contradicted, _DESK, 0.4),
    "opened again": (Drawing.again, _DESK, 0.4),
    "deadline near": (Drawing.due, _ALL, 3),
    "protection lapses": (Drawing.lapsing, ("collection-desk", "stripe-refunds"), 1),
    "an agent asks": (Drawing.asked, _ALL, 2),
    "left unresolved": (Drawing.left, _ALL, 1),
}

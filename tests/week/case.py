"""A case of the model, and what it calls: values that the model moves."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from tests.week import world
from tests.week.world import T0, Step

_REDRAWN: Final = T0 + world.LATER[0]


class Called(NamedTuple):
    """One call that is to be made: which case of the operation, round and step, when, what kind, and whom."""

    nth: int
    round: int
    step: int
    at: datetime
    kind: str
    whom: str


def chain_of(team: str, at: datetime) -> tuple[int, tuple[Step, ...]]:
    """Return which chain of a team is in force, and its steps."""
    _, changes, steps = world.LATER
    return (2, steps) if team == changes and at >= _REDRAWN else (1, world.CHAINS[team])


@dataclass(slots=True)
class CaseModel:
    """One case as it has to stand."""

    nth: int
    opened: datetime
    closed: datetime | None = None
    reasons: dict[str, datetime] = field(default_factory=dict)
    held: list[tuple[str, datetime, datetime | None]] = field(default_factory=list)
    acts: list[tuple[str, datetime]] = field(default_factory=list)
    owner: str = ""
    seen_until: datetime | None = None
    put_off_until: datetime | None = None
    put_off_at: str = ""
    round: int = 1
    step: int = 0
    chain: int = 0
    next: datetime = T0

    def call_at(self, at: datetime) -> None:
        """Call next then, but not before it comes back or what was seen has lapsed."""
        self.next = max([at, *[one for one in (self.seen_until, self.put_off_until) if one is not None]])

    def new_round_at(self, at: datetime) -> None:
        """Begin a round then, with whoever looks after it."""
        if self.step:
            self.round, self.step = self.round + 1, 0
        self.call_at(at)

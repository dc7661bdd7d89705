"""Who and what there is in the week, as plain values: the run sets the desk up by them, and the oracle goes by them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

# A Friday afternoon: a weekend, the night in which Berlin's clocks are set back, and a Monday's handover follow.
T0: Final = datetime(2026, 10, 23, 15, 0, tzinfo=UTC)
TICK: Final = timedelta(seconds=60)
HOUR: Final = timedelta(hours=1)
BERLIN: Final = ZoneInfo("Europe/Berlin")
NEW_YORK: Final = ZoneInfo("America/New_York")
DESK: Final = "https://desk.example"
WEBHOOK: Final = "OPS_ROOM"
SECRET: Final = "d2Vla2x5IHNlY3JldCBvZiB0aGUgZGVza3Mgb3du"  # noqa: S105  # base64, made up for this run

# docs/cases.md, docs/teams.md and docs/notices.md, as the run has the desk set.
CALL_AHEAD: Final = timedelta(seconds=240)
SEEN_FOR: Final = timedelta(minutes=30)
OWNER_HAS: Final = timedelta(minutes=15)
APART: Final = timedelta(seconds=150)
AHEAD: Final = timedelta(seconds=240)  # within which nobody could act any more
ABOVE: Final = 3
BACKOFF: Final = timedelta(minutes=10)
LEASE: Final = timedelta(seconds=150)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """A recipient by its contract of the library: how long it may take, how long it protects, and what it answers by."""

    key: str
    expected: timedelta
    applied: str
    pending: str = ""
    closed: str = ""
    protects: timedelta | None = None
    lead: timedelta = CALL_AHEAD


def _recipient(key: str, expected: int, applied: str, **more: object) -> Recipient:
    return Recipient(key=key, expected=timedelta(seconds=expected), applied=applied, **more)  # type: ignore[arg-type]


RECIPIENTS: Final[Mapping[str, Recipient]] = {
    one.key: one
    for one in (
        _recipient(
            "collection-desk",
            60,
            "recorded_as_issued",
            pending="recorded_as_under_way",
            closed="recorded_as_closed",
            protects=timedelta(seconds=86_400 - 60),
        ),
        _recipient(
            "stripe-refunds",
            60,
            "list_succeeded",
            pending="list_under_way",
            protects=timedelta(seconds=86_400 - 120),
            lead=timedelta(minutes=30),
        ),
        _recipient("square-payments", 30, "list_completed", pending="list_approved"),
        _recipient("plaid-transfers", 3_000, "transfer_went_out"),
        _recipient("kubernetes-create", 2, "object_is_there"),
    )
}


class Step(NamedTuple):
    """What a step calls, by kind and name, and for how long it waits."""

    kind: str
    name: str
    wait: timedelta


def _step(kind: str, name: str, minutes: int) -> Step:
    return Step(kind, name, timedelta(minutes=minutes))


PEOPLE: Final = ("ann", "ben", "cleo", "dan", "eve", "finn", "gus", "hal", "ida")
TEAMS: Final[Mapping[str, tuple[str, ...]]] = {
    "Counter": ("ann", "ben", "cleo", "dan", "finn"),
    "Payments": ("eve", "gus", "hal"),
    "Rest": ("ann", "hal", "ida"),
}
# A recipient is owned by name, an effect by its word ("payment" is Square's), and "" is the rest.
OWNS: Final = {"collection-desk": "Counter", "stripe-refunds": "Payments", "payment": "Payments", "": "Rest"}
OWNER_OF: Final = {
    "collection-desk": "Counter",
    "stripe-refunds": "Payments",
    "square-payments": "Payments",
    "plaid-transfers": "Rest",
    "kubernetes-create": "Rest",
}
CHAINS: Final[Mapping[str, tuple[Step, ...]]] = {
    "Counter": (
        _step("rota", "Counter rota", 20),
        _step("person", "hal", 25),
        _step("team", "Counter", 120),
        _step("webhook", WEBHOOK, 240),
    ),
    "Payments": (
        _step("person", "eve", 15),
        _step("rota", "Payments rota", 30),
        _step("webhook", WEBHOOK, 60),
        _step("team", "Payments", 300),
    ),
    "Rest": (_step("team", "Rest", 60), _step("person", "ida", 30), _step("person", "hal", 360)),
}
# From then on this team calls another chain; what is under way begins a new round with it.
LATER: Final = (33 * HOUR + timedelta(seconds=20), "Rest", (_step("person", "gus", 45), _step("team", "Payments", 400)))
# From then on hal is inactive, whom two chains name.
LEAVES: Final = (40 * HOUR + timedelta(seconds=40), "hal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A shift by local time: on which days it begins, from when to when, and who takes turns of a week."""

    name: str
    days: tuple[int, ...]
    begins: time
    ends: time
    people: tuple[str, ...]
    first_day: date = date(2026, 10, 19)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Who stands in, or nobody, from when until when after `T0`; it is set at `made`."""

    made: timedelta
    since: timedelta
    until: timedelta
    person: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rota:
    """Shifts in the order in which they count, and covers, which count before them."""

    zone: ZoneInfo
    shifts: tuple[Shift, ...]
    covers: tuple[Cover, ...] = ()


_ALL: Final = tuple(range(7))
ROTAS: Final[Mapping[str, Rota]] = {
    "Counter rota": Rota(
        zone=BERLIN,
        shifts=(
            Shift(name="Day", days=(0, 1, 2, 3, 4), begins=time(8), ends=time(20), people=("ann", "cleo")),
            Shift(name="Weekend", days=(5, 6), begins=time(8), ends=time(20), people=("ben",)),
            Shift(name="Night", days=_ALL, begins=time(20), ends=time(8), people=("dan", "finn")),
        ),
        covers=(
            Cover(made=10 * HOUR, since=20 * HOUR, until=26 * HOUR, person=None),
            Cover(made=28 * HOUR, since=30 * HOUR, until=36 * HOUR, person="ben"),
        ),
    ),
    "Payments rota": Rota(
        zone=NEW_YORK,
        shifts=(Shift(name="Week", days=_ALL, begins=time(9), ends=time(9), people=("eve", "gus")),),
        covers=(Cover(made=50 * HOUR, since=72 * HOUR, until=80 * HOUR, person="ann"),),
    ),
}


class Quiet(NamedTuple):
    """Quiet hours by somebody's own clock, across midnight."""

    zone: ZoneInfo
    begins: time
    ends: time


QUIET: Final[Mapping[str, Quiet]] = {
    "ben": Quiet(BERLIN, time(21), time(8)),
    "cleo": Quiet(BERLIN, time(22), time(7)),
    "eve": Quiet(NEW_YORK, time(22), time(6, 30)),
    "hal": Quiet(BERLIN, time(23), time(6)),
}
# Mail addresses by whose they are, a person's or a team's; ida has none.
ADDRESSES: Final[Mapping[str, tuple[str, ...]]] = {
    **{name: (f"{name}@desk.example",) for name in PEOPLE if name != "ida"},
    "dan": ("dan@desk.example", "dan.nights@desk.example"),
    "Counter": ("counter-room@desk.example",),
}

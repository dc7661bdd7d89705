"""Three truths of one intent: the recipient's own, the agent's journal, and the desk's record. What may never be."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Q

from operations import models
from tests.agentfaults.network import TICKETS
from tests.agentfaults.world import Case, World, find
from tests.faults.oracle import of_one
from tests.recipients.desk_public import told

Said = Mapping[str, Any]
_OVER: Final = ("unsent", "ended", "handed_over")


@dataclass(slots=True)
class Journalled:
    """One attempt as the journal has it."""

    id: str
    sends: str
    grant: str | None
    marks: dict[str, str | None] = field(default_factory=dict)
    events: dict[str, tuple[str, str | None]] = field(default_factory=dict)  # id of an event: its kind, what came of it

    @property
    def may_have_left(self) -> bool:
        """Whether the journal leaves it open that a byte of it left."""
        return "unsent" not in self.marks and self.marks.get("ended") != "no"


def journalled(path: Path) -> list[Journalled]:
    """Read a journal as anybody may; an agent that never came so far has none."""
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
        found = {
            key: Journalled(*row)
            for key, *row in file.execute("SELECT key, id, sends, grant_id FROM attempts ORDER BY key")
        }
        for attempt, mark, sent in file.execute("SELECT attempt, mark, sent FROM marks"):
            found[attempt].marks[mark] = sent
        events = "SELECT e.attempt, e.id, e.kind, d.came_to FROM events e LEFT JOIN deliveries d ON d.event = e.key"
        for attempt, event, kind, came_to in file.execute(events):
            found[attempt].events[event] = (kind, came_to)
    return [*found.values()]


def wrong(world: World, case: Case, said: list[Said]) -> Iterator[str]:
    """Yield a sentence for everything that is wrong once all came back; `said`: what the lives came back with."""
    made, attempts = case.made, journalled(case.agent.journal)
    row = find(made)
    truth = made.desk.control.truth(made.key)
    arrived = [one for one in truth["passages"] if one["door"] == "tickets" and one["copy_of"] is None]
    yield from _tickets(case, truth)
    yield from _received(attempts, len(arrived))
    yield from _bytes(case, attempts, world.network.seen(TICKETS))
    yield from _recorded(made.key, attempts)
    if row is not None:
        yield from _repeated(row, attempts, len(arrived))
        yield from _told(row, attempts)
        yield from of_one(row, truth)
    for one in said:
        yield from _came_back(one, truth, is_last=one is said[-1])
    yield from case.wrong(said)


def _tickets(case: Case, truth: Any) -> Iterator[str]:
    """Never an extra ticket: not under the identity, and not for the parcel under any other."""
    query = urlencode({"parcel": case.made.parcel})
    under, there = truth["tickets"], told(case.made.desk.public.get(f"/desks/East/tickets?{query}"))["tickets"]
    if len(under) > 1 or len(there) > 1:
        yield f"extra ticket: {len(under)} under {case.made.key}, {len(there)} for its parcel"


def _received(attempts: list[Journalled], arrived: int) -> Iterator[str]:
    """What the recipient received was journalled: no more requests than attempts that may have left."""
    may = sum(one.may_have_left for one in attempts)
    if arrived > may:
        yield f"not journalled: {arrived} requests arrived, and {may} attempts may have left by the journal"


def _bytes(case: Case, attempts: list[Journalled], seen: list[Any]) -> Iterator[str]:
    """At each first byte its attempt was in the journal, and open; none of `sends: one` came twice or is said not to have left."""
    came: Counter[str] = Counter()
    for one in seen:
        under_way = [attempt for attempt, marks in one["journal"] or [] if not {*marks.split(",")} & {*_OVER}]
        if not under_way:
            yield "not journalled first: a byte arrived, and no attempt was open in the journal"
        else:
            came[under_way[-1]] += 1
    for attempt in attempts:
        if attempt.sends == "one" and came[attempt.id] > 1:
            yield f"sends: an attempt that goes out once came {came[attempt.id]} times"
        if came[attempt.id] and not attempt.may_have_left:
            yield "sends: bytes of an attempt arrived that is said not to have left"
        if case.reports_bytes and attempt.marks.get("ended") == "yes" and not came[attempt.id]:
            yield "sends: no byte of an attempt arrived that is said to have left"


def _recorded(identity: str, attempts: list[Journalled]) -> Iterator[str]:
    """Attempts journalled are attempts recorded, word by word; what never left the desk need not have."""
    rows = models.Operation.objects.filter(Q(identity=identity) | Q(identity__startswith=f"{identity}/"))
    there = models.Attempt.objects.filter(operation__in=rows).values_list("attempt", "sends")
    recorded, ours = dict(there), {one.id: one.sends for one in attempts}
    if unknown := recorded.keys() - ours.keys():
        yield f"recorded and not journalled: {len(unknown)} attempts"
    if missing := {one.id for one in attempts if "unsent" not in one.marks} - recorded.keys():
        yield f"journalled and not recorded: {len(missing)} attempts"
    if any(word != ours[one] for one, word in recorded.items() if one in ours):
        yield "sends: the desk has another word than the journal"
    if rows.count() > 1:
        yield "identity: one intent is on record under two"


def _repeated(row: models.Operation, attempts: list[Journalled], arrived: int) -> Iterator[str]:
    """Nothing was sent again by itself: each request behind the first has a grant of its own, which was used once."""
    used = models.GrantUse.objects.filter(grant__operation=row).count()
    if arrived > 1 + used:
        yield f"sent again by itself: {arrived} requests arrived, and {used} grants were used"
    grants = [one.grant for one in attempts if one.grant is not None and one.may_have_left]
    if len(set(grants)) != len(grants):
        yield "sent again by itself: two attempts had the same grant"


def _told(row: models.Operation, attempts: list[Journalled]) -> Iterator[str]:
    """What the journal holds is at the desk, each event once; nothing waits, and nothing that may have left was refused."""
    events = [(event, *what, one) for one in attempts for event, what in one.events.items()]
    if waiting := [kind for _, kind, came_to, _ in events if came_to is None]:
        yield f"shipping: {', '.join(waiting)} waits still"
    if refused := [kind for _, kind, came_to, one in events if came_to == "refused" and one.may_have_left]:
        yield f"shipping: the desk refused {', '.join(refused)}"
    reports = ("reply", "fact")
    ours = sorted(f"{kind}:{event}" for event, kind, came_to, _ in events if kind in reports and came_to == "recorded")
    rows = models.Observation.objects.filter(operation=row, event__regex="^(reply|fact):")
    theirs = sorted(rows.values_list("event", flat=True))
    if ours != theirs:
        yield f"shipping: {len(ours)} reports are journalled, and {len(theirs)} are on record"
    over = any({*one.marks} & {"ended", "handed_over"} for one in attempts)
    if over and not models.Seal.objects.filter(operation=row).exists():
        yield "sealed: an attempt is over, and the desk has no seal"


def _came_back(one: Said, truth: Any, *, is_last: bool) -> Iterator[str]:
    """What a caller was told is so: what happened did; and after the last word that nothing did, nothing did."""
    if one.get("evidence") == "applied" and not truth["tickets"]:
        yield "told: an envelope says applied, and there is no ticket"
    excluded = one.get("finality") == "excluded" and one.get("evidence") != "applied"
    if is_last and excluded and truth["tickets"]:
        yield f"told: the last envelope says {one['next']}, and there is a ticket"

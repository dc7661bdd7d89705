"""What is unresolved at this moment, and what runs out, as people read it."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from escalation.overview.lapsing import Lapsing
from escalation.overview.unresolved import Unresolved
from escalation.overview.waiting import AGES, HOURS, MOST_COUNTED
from escalation.queue import Group
from escalation.screens.bars import Line
from escalation.screens.overview_sheet import Sheet, least, length, numbers
from escalation.screens.rows import HEADING
from escalation.screens.times import clock

_NOTHING: Final = "Nothing is unresolved."


def _more(more: bool) -> tuple[str, ...]:  # noqa: FBT001  # the one thing that it is about
    said = f"Rows of the queue are counted up to {MOST_COUNTED:,}: there are more, and every number is a least one."
    return (said,) if more else ()


def by_group(of: Unresolved) -> Sheet:
    """Return the queue as its own headings count it."""
    rows = [(HEADING[group], number) for group, number in of.groups]
    return Sheet(
        key="queue",
        heading="In the queue",
        means="Operations that need a person now, and those that were put off, under the headings of the queue.",
        says=f"{least(of.waiting, more=of.more)} need a person now." if any(number for _, number in rows) else "",
        columns=("Where it stands", "Operations"),
        rows=tuple(rows),
        lines=numbers([(heading.partition(":")[0], number) for heading, number in rows], more=of.more),
        empty="Nothing is in the queue.",
        notes=_more(of.more),
    )


def by_age(of: Unresolved) -> Sheet:
    """Return how old what is unresolved is."""
    said = f"{least(of.number, more=of.more)} unresolved, {least(of.put_off, more=of.more)} of them put off."
    rows = list(zip(_ages(), of.ages, strict=True))
    return Sheet(
        key="age",
        heading="Unresolved, by age",
        means="Operations in the queue whose outcome nobody knows, put off or not, by the time since they were registered.",
        says=said if of.number else "",
        columns=("Age", "Operations"),
        rows=tuple(rows),
        lines=numbers(rows, more=of.more),
        empty=_NOTHING,
        notes=_more(of.more),
    )


def _ages() -> list[str]:
    first = f"under {length(AGES[0])}"
    between = [f"{length(begin)} to {length(end)}" for begin, end in itertools.pairwise(AGES)]
    return [first, *between, f"{length(AGES[-1])} and longer"]


def by_recipient(of: Unresolved) -> Sheet:
    """Return where what is unresolved is."""
    return Sheet(
        key="recipient",
        heading="Unresolved, by recipient",
        means="The same operations, by the recipient that controls the effect.",
        columns=("Recipient", "Operations"),
        rows=of.recipients,
        lines=numbers(of.recipients, more=of.more),
        empty=_NOTHING,
        notes=_more(of.more),
    )


def by_team(of: Unresolved) -> Sheet:
    """Return whose what is unresolved is."""
    rows = [(name or "no team", number) for name, number in of.teams]
    return Sheet(
        key="team",
        heading="Unresolved, by team",
        means="The same operations, by the team that owns them now: the recipient's, else the effect's, else the rest's.",
        columns=("Team", "Operations"),
        rows=tuple(rows),
        lines=numbers(rows, more=of.more),
        empty=_NOTHING,
        notes=_more(of.more),
    )


def by_fact(of: Unresolved) -> Sheet:
    """Return what has to be found out of what is unresolved."""
    rows = [(fact.sentence, number) for fact, number in of.facts]
    short = [(fact.sentence.partition(":")[0].rstrip("."), number) for fact, number in of.facts]
    return Sheet(
        key="fact",
        heading="Unresolved, by missing fact",
        means="The same operations, by each fact that is missing of them; one that misses several is counted under each.",
        columns=("What is missing", "Operations"),
        rows=tuple(rows),
        lines=numbers(short, more=of.more),
        empty=_NOTHING,
        notes=_more(of.more),
    )


def in_the_next_hours(found: Sequence[Lapsing], *, now: datetime, more: bool) -> Sheet:
    """Return what runs out, hour by hour."""
    rows = [(_hour(one.hour, now), one.windows, one.deadlines, one.number) for one in found]
    lines = [
        Line(
            label=_hour(one.hour, now),
            says=f"{one.windows:,} unprotected, {one.deadlines:,} due",
            pieces=(("one", one.windows), ("two", one.deadlines)),
        )
        for one in found
        if one.number
    ]
    passed, soon = found[0].number, found[1].number
    return Sheet(
        key="lapsing",
        heading=f"Running out in the next {HOURS} hours",
        means=(
            "Operations in the queue, not put off, by the time to act before: the end of protection, after which a repeat"
            " is no longer known to be harmless, or the deadline, whichever is earlier."
        ),
        says=_soon(passed + soon, more=more) if lines else "",
        columns=("Act before", "Protection ends", "Deadline comes", "Both"),
        legend=(("one", "Protection ends"), ("two", "Deadline comes")),
        rows=tuple(rows),
        lines=tuple(lines),
        empty=f"Nothing runs out in the next {HOURS} hours.",
        notes=_more(more),
    )


def _hour(hour: int, now: datetime) -> str:
    if hour == 0:
        return "passed already"
    begin, end = now + timedelta(hours=hour - 1), now + timedelta(hours=hour)
    return f"{clock(begin, now=now)} to {end:%H:%M}"


def _soon(number: int, *, more: bool) -> str:
    return f"{least(number, more=more)} within the hour or passed: the queue's “{HEADING[Group.WITHIN_THE_HOUR]}”."

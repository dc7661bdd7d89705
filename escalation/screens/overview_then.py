"""What happened in a time, as people read it: how long it took, how it ended, what was proved, what asking brought."""

import itertools
from datetime import timedelta
from typing import Final

from escalation.models.day_sum import Figure
from escalation.overview import took
from escalation.overview.counting import Plan, counted
from escalation.overview.ended import Ended, ended
from escalation.overview.excepted import Excepted, excepted
from escalation.overview.polled import Polled, polled
from escalation.overview.proving import Later, Why, proving
from escalation.overview.ranges import Asked
from escalation.screens.bars import Line
from escalation.screens.overview_sheet import UNKNOWN, Cell, Sheet, as_of, length, numbers, share
from escalation.screens.times import exact
from operations.reading.tallies import Asks

_NOT_SUMMED: Final = (
    "Some days of this time are not summed yet, and are too many to count here. Until they are, it is unknown."
)


def _length(seconds: int) -> str:
    return length(timedelta(seconds=seconds))


def how_long(asked: Asked, by: Plan) -> Sheet:
    """Return how long cases that ended had been open."""
    found = counted(Figure.TOOK, asked, by)
    of = took.took(found.by_part())
    known = found.parts is not None
    rows = list(zip(_lengths(), of.spread, strict=True))
    return Sheet(
        key="took",
        heading="Time to resolution",
        means=(
            "Cases that ended in this time, by how long they had been open: from the moment in which a person was first"
            " needed to the moment in which evidence settled the outcome."
        ),
        says=_half(of) if known and of.number else "",
        columns=("Open for", "Cases"),
        rows=tuple(rows) if known else tuple([(label, UNKNOWN) for label, _ in rows]),
        lines=numbers(rows),
        empty="No case ended in this time, so how long one takes is unknown." if known else _NOT_SUMMED,
        notes=as_of(found.as_of),
    )


def _lengths() -> list[str]:
    ends = [_length(end) for end in took.SPREAD]
    between = [f"{begin} to {end}" for begin, end in itertools.pairwise(ends)]
    return [f"under {ends[0]}", *between, f"{ends[-1]} and longer"]


def _half(of: took.Took) -> str:
    return f"{of.number:,} ended. Half of them {_less(of.half)}, nine in ten {_less(of.nine_in_ten)}."


def _less(seconds: int | None) -> str:
    return f"took over {_length(took.ENDS[-1])}" if seconds is None else f"in less than {_length(seconds)}"


_WAYS: Final = {
    "evidence": "Evidence: settled by what was learnt",
    "repeat": "Repeat: settled after one was authorised",
    "repair": "Repair: our record written by a person",
    "new_operation": "New operation: a second one authorised",
    "exception": "Exception: a risk taken to stop here",
    "left_unresolved": "Left unresolved: stopped, outcome unknown",
}


def how_ended(asked: Asked, by: Plan) -> Sheet:
    """Return how what needed people ended."""
    of = ended(asked, by)
    rows = [(label, _way(of, way)) for way, label in _WAYS.items()]
    unknown = of.evidence is None
    return Sheet(
        key="ended",
        heading="How they ended",
        means=(
            "The first two are the cases that ended in this time, each once. The other four are what people decided in this"
            " time, each operation once a kind; an operation that was settled and repaired stands in two."
        ),
        columns=("How", "Operations"),
        rows=tuple(rows),
        lines=numbers([(label, number) for label, number in rows if isinstance(number, int)]),
        empty=_NOT_SUMMED if unknown else "Nothing ended in this time.",
        notes=((_NOT_SUMMED,) if unknown else ()) + as_of(of.as_of),
    )


def _way(of: Ended, way: str) -> Cell:
    number: int | None = getattr(of, way)
    return UNKNOWN if number is None else number


_WHY: Final = {
    Why.UNKNOWN: "unknown for longer than expected",
    Why.LEFT: "left unresolved",
    Why.EXCEPTED: "a risk was taken",
}


def proved(asked: Asked, by: Plan) -> Sheet:
    """Return what was later proved of what nobody knew."""
    of = proving(asked, by)
    unknown = not of.unknown_is_known
    return Sheet(
        key="proved",
        heading="Later proved",
        means=(
            "Operations that became so in this time for the first time, by recipient, and what is established of them by now."
            " The share is of those that are established: the others may still turn out either way."
        ),
        legend=(("one", "It happened"), ("two", "Ruled out"), ("rest", "Not known yet")),
        columns=(
            "Recipient",
            "Why it is asked of",
            "It happened",
            "Ruled out",
            "Not known yet",
            "Share that happened",
        ),
        rows=tuple([_proved(row) for row in of.rows]),
        lines=tuple([_later(row) for row in of.rows]),
        empty=_NOT_SUMMED if unknown else "No outcome became unknown, was left, or was excepted in this time.",
        notes=((f"Of “{_WHY[Why.UNKNOWN]}”: {_NOT_SUMMED}",) if unknown else ()) + as_of(of.as_of),
    )


def _proved(row: Later) -> tuple[Cell, ...]:
    return row.recipient, _WHY[row.why], row.applied, row.ruled_out, row.open, share(row.share)


def _later(row: Later) -> Line:
    return Line(
        label=f"{row.recipient} · {_WHY[row.why]}",
        says=f"{share(row.share)} of {row.applied + row.ruled_out:,}, {row.open:,} open",
        pieces=(("one", row.applied), ("two", row.ruled_out), ("rest", row.open)),
    )


def risks(asked: Asked) -> Sheet:
    """Return how risks that were taken turned out."""
    found = excepted(asked)
    return Sheet(
        key="risks",
        heading="Risks taken, and how many came true",
        means=(
            "Accepted risks that were taken in this time (a second operation created, or the stop approved), and what is known"
            " of them by now. The share is of those of which it is known."
        ),
        legend=(("one", "Came true"), ("two", "Did not"), ("rest", "Still unknown")),
        columns=("Recipient", "Came true", "Did not", "Still unknown", "Share that came true"),
        rows=tuple([(one.recipient, one.came_true, one.did_not, one.unknown, share(one.share)) for one in found]),
        lines=tuple([_risk(one) for one in found]),
        empty="No risk was taken in this time.",
    )


def _risk(one: Excepted) -> Line:
    return Line(
        label=one.recipient,
        says=f"{one.came_true:,} came true, {one.did_not:,} did not, {one.unknown:,} unknown",
        pieces=(("one", one.came_true), ("two", one.did_not), ("rest", one.unknown)),
    )


def asks(asked: Asked) -> Sheet:
    """Return what the desk's own asks brought."""
    of = polled(asked)
    rows = [
        (one.recipient, one.asks, one.answers, one.unchanged, _lost(one), one.settled, _yield(one)) for one in of.rows
    ]
    return Sheet(
        key="asks",
        heading="Asks, and what they settled",
        means=(
            "Questions that the desk asked by itself and that ended in this time, by whole hours. One settles something where"
            " the outcome was open before its answer and is established after it."
        ),
        legend=(("one", "Settled something"), ("rest", "Did not")),
        columns=("Recipient", "Asks", "Answers", "Nothing changed", "No answer", "Settled", "Settled of asks"),
        rows=tuple(rows),
        lines=tuple([_asks(one) for one in of.rows]),
        empty="The desk asked nothing in this time." if of.is_known else _NOT_COUNTED,
        notes=_counted(of),
    )


_NOT_COUNTED: Final = "Of this time no ask was counted, so that it is unknown how many there were."


def _counted(of: Polled) -> tuple[str, ...]:
    hours = f"Counted from {exact(of.span.since)} to {exact(of.span.until)}."
    if of.is_known:
        return (hours,)
    if of.since is None:
        return ("No ask was ever counted here.",)
    return (hours, f"Asks are counted since {exact(of.since)}; how many there were before is unknown.")


def _lost(one: Asks) -> int:
    return one.asks - one.answers - one.unchanged


def _yield(one: Asks) -> str:
    return share(one.settled / one.asks if one.asks else None)


def _asks(one: Asks) -> Line:
    return Line(
        label=one.recipient,
        says=f"{one.settled:,} of {one.asks:,} settled something",
        pieces=(("one", one.settled), ("rest", one.asks - one.settled)),
    )

"""A stored rehearsal as it is read: a table for each scene, its histories down and the actions across."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from escalation.models import Rehearsal
from escalation.rehearsing.doing import Doing
from escalation.rehearsing.result import PERMITTED, Row
from operations.core.consequences import MOST, UNKNOWN
from operations.core.permitted import Kind

ACTIONS: Final = {
    Doing.STOP: "Stop here",
    Doing.OBSERVE: "Ask again",
    Doing.REPEAT: "Repeat the same request",
    Doing.REPEAT_AFTER_WINDOW: "Repeat it after the guarantee",
    Doing.PROPOSE_NEW: "New request",
}
_LOCKED: Final = {
    Kind.HARM: "locked: it could happen twice",
    Kind.CONFLICT: "locked: a contradiction",
    Kind.SETTLED: "locked: it is settled",
    Kind.UNPROVEN: "locked: nothing is established",
    Kind.MANNERS: "locked: not yet",
    Kind.SUCCESSOR: "locked: another request is open",
    Kind.NO_CHANNEL: "locked: nobody can be asked",
}
_SENDS_NOTHING: Final = "sends nothing"


@dataclass(frozen=True, slots=True)
class Column:
    """One action: its name, and whether it was permitted in the scene, or why not; empty where it can't be done there."""

    name: str
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """Effects counted: `shown` as figures, `level` picks the look, `most` is what was foretold, `fault` a failure."""

    shown: str
    level: str
    most: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """One history and its cells, one for each column; `None` where there is no such action."""

    sentence: str
    ruled_out: bool
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """One scene's table; `number` counts from one."""

    number: int
    name: str
    columns: tuple[Column, ...]
    histories: tuple[History, ...]
    failed: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """One row that went wrong, in words."""

    scene: int
    name: str
    sentence: str
    action: str
    what: str
    way: str
    desk: str


def _verdict(row: Row) -> str:
    if row["action"] == Doing.STOP:
        return _SENDS_NOTHING
    return PERMITTED if row["verdict"] == PERMITTED else _LOCKED[Kind(row["verdict"])]


def _or(numbers: Iterable[int]) -> str:
    return " or ".join(["2+" if number >= MOST else str(number) for number in sorted(set(numbers))])


def _most(rows: list[Row]) -> str:
    told = [row["most"] for row in rows]
    if UNKNOWN in told:
        return "not bounded"
    return "may be 2 or more" if max(told) >= MOST else f"at most {max(told)}"


def _fault(rows: list[Row]) -> str:
    if any(row["second_effect"] for row in rows):
        return "second effect"
    return "more than foretold" if not all(row["agrees"] for row in rows) else ""


def _cell(rows: list[Row]) -> Cell | None:
    if not rows:
        return None
    counted = [number for row in rows for number in row["counted"]]
    return Cell(_or(counted), str(min(max(counted), MOST)), _most(rows), _fault(rows))


def _having(rows: list[Row], **values: object) -> list[Row]:
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def _scene(number: int, name: str, rows: list[Row]) -> Scene:
    columns = [
        Column(ACTIONS[doing], tuple(dict.fromkeys(_verdict(row) for row in _having(rows, action=doing))))
        for doing in Doing
    ]
    kinds = dict.fromkeys((row["sentence"], row["foretold"]) for row in rows)
    histories = [
        History(
            sentence,
            not foretold,
            tuple([_cell(_having(rows, action=doing, sentence=sentence, foretold=foretold)) for doing in Doing]),
        )
        for sentence, foretold in kinds
    ]
    return Scene(number, name, tuple(columns), tuple(histories), not all(row["agrees"] for row in rows))


def scenes(rehearsal: Rehearsal) -> tuple[Scene, ...]:
    """Return the tables of a rehearsal in the order they were played."""
    names = dict.fromkeys(row["scene"] for row in rehearsal.rows)
    return tuple(
        [_scene(number, name, _having(rehearsal.rows, scene=name)) for number, name in enumerate(names, start=1)]
    )


def faults(rehearsal: Rehearsal, told: tuple[Scene, ...]) -> tuple[Fault, ...]:
    """Return every row in which a permitted action led to a second effect, or more effects came than foretold."""
    numbers = {scene.name: scene.number for scene in told}
    return tuple(
        [
            Fault(
                numbers[row["scene"]],
                row["scene"],
                row["sentence"],
                ACTIONS[Doing(row["action"])],
                f"{_fault([row])}: {_or(row['counted'])} counted, {_most([row])} foretold, {_verdict(row)}",
                row["way"],
                row["desk"],
            )
            for row in rehearsal.rows
            if not row["agrees"]
        ]
    )


def cautions(rehearsal: Rehearsal) -> tuple[tuple[str, str], ...]:
    """Return scene and action of every refusal for harm that nothing bore out."""
    told: list[Any] = rehearsal.summary["cautions"]
    return tuple([(scene, ACTIONS[Doing(action)]) for scene, action in told])

"""What a rehearsal found: a row for each history and action with the effects counted, and what follows from them.

Rows are plain values, as they are stored. Runs that differ in nothing but the desk or the way are one row.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

from escalation.rehearsing.behaviours import Behaviour, behaviours
from escalation.rehearsing.hearing import Hearing
from escalation.rehearsing.rehearsal import Run, runs, scenes_for
from escalation.rehearsing.setting import Promise, gaps, promises
from operations.contracts.document import Document
from operations.core.consequences import UNKNOWN
from operations.core.permitted import Kind

Row: TypeAlias = dict[str, Any]

STATEMENT: Final = (
    "A rehearsal tests our reading of this contract and not the recipient. It was played at a collection desk of our "
    "own, told to behave as the contract says; a recipient that behaves otherwise is not found out by it."
)
FAILED: Final = (
    "The contract as written would have let a second effect happen on a desk that behaves as it allows. Don't use it "
    "before its promises, or how we read them, are put right."
)
FAILED_BREAKING: Final = (
    "On a desk that breaks these promises the contract as written would have let a second effect happen."
)
EXCEEDED: Final = (
    "There were more effects than this contract, as we read it, holds possible. Don't use it before its promises, or "
    "how we read them, are put right."
)
CLEAN: Final = "No permitted action led to a second effect, and nowhere were there more effects than foretold."
PERMITTED: Final = "permitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """A whole rehearsal. `passed`: no permitted action led to a second effect, and nothing exceeded what was foretold.

    `read_by` are the contract's rules that read the desk's answers, `unread` the answers that none of them did, in words.
    `cautions` are (scene, action) that were refused for harm where every possible history was played and none did any.
    """

    desks: tuple[Behaviour, ...]
    promises: tuple[Promise, ...]
    gaps: tuple[str, ...]
    read_by: tuple[str, ...]
    unread: tuple[str, ...]
    rows: tuple[Row, ...]
    scenes: int
    runs: int
    second_effects: int
    exceeded: int
    cautions: tuple[tuple[str, str], ...]
    broken: bool

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the contract as it is read."""
        return not (self.second_effects or self.exceeded)

    @property
    def verdict(self) -> str:
        """The sentence that people read first."""
        if self.second_effects:
            return FAILED_BREAKING if self.broken else FAILED
        return EXCEEDED if self.exceeded else CLEAN

    def desk_json(self) -> list[dict[str, Any]]:
        """The desks' terms, as they are stored."""
        return [{**asdict(one), "terms": dict(one.terms), "words": one.words} for one in self.desks]

    def summary(self) -> dict[str, Any]:
        """Everything but the rows and the desks, as it is stored."""
        return {
            "verdict": self.verdict,
            "promises": [list(promise) for promise in self.promises],
            "gaps": list(self.gaps),
            "read_by": list(self.read_by),
            "unread": list(self.unread),
            "scenes": self.scenes,
            "runs": self.runs,
            "second_effects": self.second_effects,
            "exceeded": self.exceeded,
            "cautions": [list(caution) for caution in self.cautions],
        }


def _key(run: Run) -> tuple[object, ...]:
    return run.scene, run.history, run.doing, run.refused, run.most, run.foretold


def _bad(run: Run) -> bool:
    return run.harmed_with_leave or run.exceeded


def _row(found: list[Run]) -> Row:
    """Return the row of runs that share their key; the worst of them, one that failed if any did, is named."""
    first, worst = found[0], max(found, key=lambda run: (run.harmed_with_leave, run.exceeded, run.counted))
    return {
        "scene": first.scene,
        "history": first.history.value,
        "sentence": first.history.sentence,
        "foretold": first.foretold,
        "action": first.doing.value,
        "verdict": PERMITTED if first.refused is None else first.refused.value,
        "most": first.most,
        "counted": sorted({run.counted for run in found}),
        "runs": len(found),
        "agrees": not any(_bad(run) for run in found),
        "reached": first.most == UNKNOWN or worst.counted == first.most,
        "second_effect": worst.harmed_with_leave,
        "way": worst.way,
        "desk": worst.desk,
    }


def _rows(found: list[Run]) -> tuple[Row, ...]:
    """Return a row for each history and action; of histories that are ruled out only those that went wrong."""
    grouped: dict[tuple[object, ...], list[Run]] = {}
    for run in found:
        grouped.setdefault(_key(run), []).append(run)
    return tuple([_row(group) for group in grouped.values() if group[0].foretold or any(_bad(run) for run in group)])


def _cautions(found: list[Run]) -> tuple[tuple[str, str], ...]:
    """Return where an action was refused for harm in every run though no history that was played did any."""
    did: dict[tuple[str, str], bool] = {}
    for run in found:
        if run.refused is Kind.HARM and run.whole:
            place = (run.scene, run.doing.value)
            did[place] = did.get(place, False) or run.harmed
    return tuple([place for place, harmed in did.items() if not harmed])


def rehearse(document: Document, *, breaking: Mapping[str, Any] | None = None) -> Rehearsed:
    """Rehearse a contract. `breaking` are terms of the desk that hold on it whatever the contract promises.

    Raises `NoDesk` and `UnknownTerm`. It takes seconds, reads no clock, opens no socket and writes nothing.
    """
    broken = dict(breaking or {})
    hearing = Hearing(document)
    found = list(runs(hearing, breaking=broken))
    desks, scenes = behaviours(document, breaking=broken), scenes_for(hearing)
    return Rehearsed(
        desks=desks,
        promises=promises(document, desks),
        gaps=gaps(hearing, scenes, breaking=broken),
        read_by=tuple(hearing.read_by),
        unread=tuple(hearing.unread),
        rows=_rows(found),
        scenes=len(scenes),
        runs=len(found),
        second_effects=sum(run.harmed_with_leave for run in found),
        exceeded=sum(run.exceeded for run in found),
        cautions=_cautions(found),
        broken=bool(broken),
    )

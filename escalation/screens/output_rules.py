"""Rules for outputs as people read them: what holds, what held, and what a rule would change."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from escalation.screens.runs import CLASSES
from operations.imports import rules as pure
from operations.reading import output_rules as reading
from operations.reading import runs
from operations.runs.ruling import Trial

if TYPE_CHECKING:
    from operations.models import Call, OutputRule

MAY_SAY: Final = {one.value: CLASSES[one.value] for one in pure.MAY_SAY}
MOST_TOOLS: Final = 500
SHOWN: Final = 50
_CUT: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleShown:
    """One rule: its newest version, whether it holds, and the versions before."""

    newest: "OutputRule"
    says: str
    earlier: "list[tuple[OutputRule, str]]"

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return self.newest.ended_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedShown:
    """One output that a rule would fit: whose, what it says, and its class before and after."""

    row: "Call"
    text: str
    before: str
    after: str

    @property
    def changes(self) -> bool:
        """Whether it would be taken for something else."""
        return self.before != self.after


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialShown:
    """What a rule would change: tried on how many calls, how many outputs fit, how many change class, the first of them."""

    calls: int
    fit: int
    change: int
    lines: list[TriedShown]


def rules() -> list[RuleShown]:
    """Return every rule, those that hold first."""
    found = []
    for _, versions in groupby(reading.versions(), key=lambda row: row.number):
        newest, *earlier = versions
        found.append(
            RuleShown(newest=newest, says=CLASSES[newest.says], earlier=[(one, CLASSES[one.says]) for one in earlier])
        )
    return sorted(found, key=lambda rule: not rule.holds)


def tools(*, among: Collection[int] | None) -> list[str]:
    """Return the tools that calls name."""
    return [one.tool for one in runs.tools_seen(among=among, limit=MOST_TOOLS)]


def filled_in(number: str) -> dict[str, Any]:
    """Return what the form is filled in with where a rule is to be changed; nothing where no such rule holds."""
    row = next((one for one in reading.holding() if str(one.number) == number), None)
    return (
        {} if row is None else {name: getattr(row, name) for name in ("tool", "pattern", "says", "number", "version")}
    )


def shown(trial: Trial) -> TrialShown:
    """Return what a rule would change as its page shows it."""
    lines = [
        TriedShown(
            row=one.call,
            text=one.output.text[:_CUT],
            before=CLASSES[one.before.value],
            after=CLASSES[one.taken_for.value],
        )
        for one in trial.found
    ]
    return TrialShown(
        calls=trial.calls, fit=len(lines), change=sum([one.changes for one in lines]), lines=lines[:SHOWN]
    )

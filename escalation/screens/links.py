"""A call on the wire and the call of the model that it may be, as people read it: probable until somebody says so."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from escalation.screens.runs import OTHERS
from operations import runs
from operations.imports.linking import Link
from operations.reading import runs as reading

if TYPE_CHECKING:
    from operations.models import Call, CallLink, Run

_SAME: Final = "the same tool and arguments"
_NAMED: Final = "the host wrote its id beside the call"


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCall:
    """One call that may be the same, and why."""

    row: "Call"
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameCalls:
    """What is said of a call being the same as another: by a person, else what is probable, and how many more are."""

    said: "CallLink | None"
    other: "Call | None"
    earlier: "tuple[CallLink, ...]"
    probable: tuple[OtherCall, ...] = ()
    more: int = 0

    @property
    def anything(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.said or self.earlier or self.probable)


def same_calls(found: "Run", row: "Call") -> SameCalls:
    """Return what is said, and what is probable where nobody said anything."""
    links = reading.links_of(row)
    said = next((one for one in links if one.ended_at is None), None)
    earlier = tuple([one for one in links if one.ended_at is not None])
    if said is not None:
        return SameCalls(said=said, other=said.model if said.wire_id == row.pk else said.wire, earlier=earlier)
    others = [OtherCall(row=one.row, why=_why(one.link)) for one in runs.probable(found, row)]
    return SameCalls(
        said=None, other=None, earlier=earlier, probable=tuple(others[:OTHERS]), more=max(len(others) - OTHERS, 0)
    )


def _why(link: Link) -> str:
    time = "no time on record" if link.apart is None else f"{link.apart:.1f} s apart"
    return f"{_NAMED if link.named else _SAME}, {time}"

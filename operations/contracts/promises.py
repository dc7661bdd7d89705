"""A promise is a term with the source that makes it; what no source says is `undocumented`.

The terms are those of semantics.md, Protection; their values are the core's words.
"""

from datetime import date
from enum import StrEnum
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

from pydantic import Field

from operations.contracts.matching import Part
from operations.core.facts import After, ClosureCovers, ConcurrentUse, Covers, Guarantee, Mechanism

NOT_DOCUMENTED: Final = "not documented"

Slug: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=500)]
Text: TypeAlias = Annotated[str, Field(min_length=1, max_length=4000)]
Interval: TypeAlias = Annotated[float, Field(ge=0, le=10**10)]

T = TypeVar("T")


class Basis(StrEnum):
    """How a claim about the recipient is known."""

    DOCUMENTED = "documented"
    VERIFIED = "verified"
    INFERRED = "inferred"


class Source(Part):
    """One claim about the recipient, and where it was read.

    `claim` restates it; `quote` is the recipient's own words, as few as carry it. `evidence`: `documented` by the
    recipient, `verified` on this deployment, or `inferred` from either.
    """

    claim: Text
    address: Line
    read_on: date
    evidence: Basis
    quote: Annotated[str, Field(min_length=8, max_length=500)] | None = None


class Term(Part, Generic[T]):
    """One promise: what it is, and the source that makes it; only `undocumented` and `none` need no source."""

    value: T = Field(alias="is")
    source: Slug | None = None
    note: Text | None = None


class Protection(Part):
    """What the recipient promises about a repeat (semantics.md, Protection). Intervals are seconds.

    `guaranteed_for` is the shortest interval that its words allow, from the earliest possible receipt. `margin` is
    ours: the time a send may take plus the difference of the clocks; required with a number.
    """

    mechanism: Term[Mechanism]
    guaranteed_for: Term[Interval | Guarantee]
    margin: Interval | None = None
    after: Term[After]
    covers: Term[Covers]
    concurrent_use: Term[ConcurrentUse]
    repeat_while_pending: Term[bool]
    pending_fresh_for: Term[Interval] | None = None
    min_interval: Term[Interval] | None = None


class ClosurePromise(Part):
    """What the recipient's `closed` covers."""

    covers: Term[ClosureCovers]


class Advice(Part):
    """What the recipient, or we, advise, and on what ground."""

    says: Text
    source: Slug | None = None


class Expected(Part):
    """How long the effect usually takes, in seconds; what takes longer needs a person."""

    seconds: Interval
    source: Slug | None = None

"""`when` is data: JSON pointers into one answer, each with one condition, put together by all and any.

There is no expression language, so a rule can be shown as a form and analysed for gaps and overlaps before it reads
anything. Evaluation is pure and says which conditions did not hold. In a part that could not be read no condition
holds, `absent` included: nothing is concluded from bytes that nobody understood.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from operations.contracts.bound import Bound, number
from operations.contracts.places import UNREADABLE, AnswerPlace, Found, Gap, Papers, as_text, at, shown

DEEPEST: Final = 4
MOST: Final = 64
# Ways in which a rule can hold, after all and any are multiplied out; more can't be analysed in reasonable time.
MOST_WAYS: Final = 256

Scalar: TypeAlias = bool | int | float | str
OPERATORS: Final = (
    "equals",
    "in",
    "exists",
    "absent",
    "at_least",
    "at_most",
    "prefix",
    "equals_argument",
    "equals_identity",
)


class Part(BaseModel):
    """A part of the contract document: nothing unknown, nothing converted, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Condition(Part):
    """One pointer and exactly one condition on what stands there.

    `equals`, `in`: the same JSON type and value, numbers by value (200 is 200.0). `exists`: something stands there that
    is not null; `absent`: the opposite. `at_least`, `at_most`: numbers only. `prefix`: text only.
    `equals_argument`: the bound argument of this name. `equals_identity`: the operation's identity.
    """

    at: AnswerPlace
    equals: Scalar | None = None
    one_of: tuple[Scalar, ...] | None = Field(default=None, alias="in", min_length=1, max_length=64)
    exists: Literal[True] | None = None
    absent: Literal[True] | None = None
    at_least: int | float | None = None
    at_most: int | float | None = None
    prefix: Annotated[str, Field(min_length=1)] | None = None
    equals_argument: str | None = None
    equals_identity: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_condition(self) -> "Condition":
        given = self.model_fields_set - {"at"}
        if len(given) != 1 or getattr(self, next(iter(given))) is None:
            raise ValueError(f"must have exactly one condition: {', '.join(OPERATORS)}")
        return self

    @property
    def operator(self) -> str:
        """The name of the one condition, as in the document."""
        name = next(iter(self.model_fields_set - {"at"}))
        return "in" if name == "one_of" else name

    @property
    def wanted(self) -> str:
        """The condition in words."""
        return str(_WANTED[self.operator](self))


class AllOf(Part):
    """Holds where each of them holds."""

    all: Annotated[tuple["When", ...], Field(min_length=1, max_length=MOST)]


class AnyOf(Part):
    """Holds where at least one of them holds."""

    any: Annotated[tuple["When", ...], Field(min_length=1, max_length=MOST)]


def _kind(value: Any) -> str:
    """Return which of the three a map is; what is none of them is reported as a faulty condition."""
    if isinstance(value, AllOf) or (isinstance(value, dict) and "all" in value):
        return "all"
    if isinstance(value, AnyOf) or (isinstance(value, dict) and "any" in value):
        return "any"
    return "condition"


When = Annotated[
    Annotated[Condition, Tag("condition")] | Annotated[AllOf, Tag("all")] | Annotated[AnyOf, Tag("any")],
    Discriminator(_kind),
]
AllOf.model_rebuild()
AnyOf.model_rebuild()
AnyWhen: TypeAlias = Condition | AllOf | AnyOf

_WANTED: Final[Mapping[str, Any]] = {
    "equals": lambda one: f"{one.equals!r}",
    "in": lambda one: "one of " + ", ".join([repr(value) for value in one.one_of]),
    "exists": lambda _one: "something",
    "absent": lambda _one: "nothing",
    "at_least": lambda one: f"at least {one.at_least}",
    "at_most": lambda one: f"at most {one.at_most}",
    "prefix": lambda one: f"text that begins with {one.prefix!r}",
    "equals_argument": lambda one: f"the argument {one.equals_argument}",
    "equals_identity": lambda _one: "the request number",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmet:
    """A condition that does not hold: where, what was wanted, what was found."""

    at: str
    wanted: str
    found: str

    def __str__(self) -> str:
        return f"{self.at} is {self.found}, wanted {self.wanted}"


def conditions(when: AnyWhen) -> Iterator[Condition]:
    """Yield every condition."""
    if isinstance(when, Condition):
        yield when
    else:
        for child in when.all if isinstance(when, AllOf) else when.any:
            yield from conditions(child)


def depth(when: AnyWhen) -> int:
    """Return how deep all and any are nested; one condition is 1."""
    if isinstance(when, Condition):
        return 1
    return 1 + max(depth(child) for child in (when.all if isinstance(when, AllOf) else when.any))


def unmet(when: AnyWhen, papers: Papers, *, bound: Bound) -> tuple[Unmet, ...]:
    """Return what does not hold: empty if `when` holds, else the first failing condition, or all that any offers."""
    if isinstance(when, Condition):
        found = at(papers, when.at)
        return () if holds(when, found, bound=bound) else (_told(when, found),)
    if isinstance(when, AllOf):
        return next((failed for failed in (unmet(child, papers, bound=bound) for child in when.all) if failed), ())
    failures = [unmet(child, papers, bound=bound) for child in when.any]
    return () if not all(failures) else tuple([one for failed in failures for one in failed])


def _told(condition: Condition, found: Found) -> Unmet:
    return Unmet(at=condition.at, wanted=condition.wanted, found=shown(found))


def holds(condition: Condition, found: Found, *, bound: Bound) -> bool:
    """Say whether a condition holds of what was found at its place."""
    if found is UNREADABLE:
        return False
    return bool(_HOLDS[condition.operator](condition, found, bound))


def same(wanted: Scalar, found: Found) -> bool:
    """Say whether a scalar of the contract is the value that was found."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    if isinstance(wanted, str):
        return wanted == found
    return number(found) == number(wanted)


def _argument(condition: Condition, found: Found, bound: Bound) -> bool:
    argument = bound.arguments.get(condition.equals_argument or "")
    return argument is not None and argument.is_echoed_by(found)


def _is_there(found: Found) -> bool:
    return found is not None and not isinstance(found, Gap)


def _at_least(condition: Condition, found: Found, _bound: Bound) -> bool:
    value = number(found)
    return value is not None and value >= Decimal(str(condition.at_least))


def _at_most(condition: Condition, found: Found, _bound: Bound) -> bool:
    value = number(found)
    return value is not None and value <= Decimal(str(condition.at_most))


_HOLDS: Final[Mapping[str, Any]] = {
    "equals": lambda one, found, _bound: same(one.equals, found),
    "in": lambda one, found, _bound: any(same(value, found) for value in one.one_of),
    "exists": lambda _one, found, _bound: _is_there(found),
    "absent": lambda _one, found, _bound: not _is_there(found),
    "at_least": _at_least,
    "at_most": _at_most,
    "prefix": lambda one, found, _bound: isinstance(found, str) and found.startswith(one.prefix),
    "equals_argument": _argument,
    "equals_identity": lambda _one, found, bound: as_text(found) == bound.identity and isinstance(found, str),
}

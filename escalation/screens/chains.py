"""The chain of a case in words: who was called and when, in which round, and who is called next and when."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from escalation.cases.answering import NotCalled, name_of, require_person, who_answers
from escalation.models import Call, Case, ChainStep
from escalation.models.call import OWNER
from escalation.teams.hearing import unheard
from escalation.teams.owning import Owned, owned

if TYPE_CHECKING:
    from operations.models import Operation

MOST_SHOWN: Final = 50
NO_TEAM: Final = "No team owns it, and none owns the rest: nobody is called."
NO_CHAIN: Final = "The team that owns it has no chain, and none stands in: nobody is called."
NOBODY: Final = "Nobody in its chain can be called now; it is gone through again in every round."


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShown:
    """One step that was called: in which round, whom it meant then, and when; `step` is empty for the owner's."""

    round: int
    step: str
    who: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What is called next: `who` in words, in which round, at which step (empty: the owner's) and when."""

    round: int
    step: str
    who: str
    at: datetime
    due: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainShown:
    """What a case has called, the newest first, and what it calls next; `passed` are steps that can't be called now.

    `nobody` says why there is no next. `team` owns it; `by` is the team whose chain is called, where that is another.
    `unheard` says who would be called and is told nowhere, or not at every address.
    """

    team: str
    by: str
    calls: tuple[CallShown, ...]
    count: int
    next: Next | None
    passed: tuple[str, ...]
    nobody: str
    unheard: tuple[str, ...]

    @property
    def last(self) -> CallShown | None:
        """The newest call."""
        return self.calls[0] if self.calls else None


def chain_of(case: Case, operation: "Operation", *, now: datetime) -> ChainShown:
    """Return the chain of a case of this operation (rows) as it stands at `now`; a closed case has no next call."""
    found = owned(operation)
    rows = Call.objects.filter(case=case).select_related("person", "team", "rota").order_by("-pk")
    calls = tuple([_call(row) for row in rows[:MOST_SHOWN]])
    coming = _coming(case, found, now=now) if case.closed_at is None else _Coming()
    return ChainShown(
        team="" if found.team is None else found.team.name,
        by="" if found.chain is None or found.chain.team_id == _pk(found) else found.chain.team.name,
        calls=calls,
        count=len(calls) if len(calls) < MOST_SHOWN else rows.count(),
        next=coming.next,
        passed=coming.passed,
        nobody=coming.nobody,
        unheard=coming.unheard,
    )


def _pk(found: Owned) -> int | None:
    return None if found.team is None else found.team.pk


def _call(row: Call) -> CallShown:
    return CallShown(round=row.round, step=_number(row.step), who=_who(row), at=row.at)


def _number(step: int) -> str:
    return "" if step == OWNER else str(step)


def _who(row: Call) -> str:
    if row.person is not None:
        if row.step == OWNER:
            return f"{row.person.username}, who looked after it"
        return row.person.username if row.rota is None else f"{row.person.username}, on call in {row.rota.name}"
    return f"everybody in {row.team.name}" if row.team is not None else f"the webhook {row.webhook}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coming:
    next: Next | None = None
    passed: tuple[str, ...] = ()
    nobody: str = ""
    unheard: tuple[str, ...] = ()


def _coming(case: Case, found: Owned, *, now: datetime) -> _Coming:
    """As escalation/cases/calling.py will go about it, by what holds now."""
    chain = found.chain
    afresh = case.step > OWNER and case.chain_id != (None if chain is None else chain.pk)
    round_, first = (case.round + 1, OWNER) if afresh else (case.round, case.step)
    passed: list[str] = []
    steps = [] if chain is None else list(chain.steps.select_related("person", "team", "rota").order_by("position"))
    owner = [] if case.owner is None else [case.owner]
    silent = unheard(steps, now=now, people=owner, recipient=case.recipient_id)
    who = _owner(case, passed) if first == OWNER else None
    if who is not None:
        return _Coming(next=_next(case, round_, "", who, now), unheard=silent)
    for step in steps:
        who = _answers(step, case, passed, now) if step.position >= first else None
        if who is not None:
            found_next = _next(case, round_, str(step.position), who, now)
            return _Coming(next=found_next, passed=tuple(passed), unheard=silent)
    nobody = NOBODY if steps else NO_CHAIN if found.team is not None else NO_TEAM
    return _Coming(passed=tuple(passed), nobody=nobody, unheard=silent)


def _owner(case: Case, passed: list[str]) -> str | None:
    if case.owner is None:
        return None
    try:
        require_person(case.owner, recipient=case.recipient_id)
    except NotCalled as why:
        passed.append(f"Whoever looks after it: {why}.")
        return None
    return f"{case.owner.username}, who looks after it"


def _answers(step: ChainStep, case: Case, passed: list[str], now: datetime) -> str | None:
    try:
        columns = who_answers(step, recipient=case.recipient_id, now=now)
    except NotCalled as why:
        passed.append(f"Step {step.position}, {name_of(step)}: {why}.")
        return None
    person = columns.get("person") if step.rota is not None else None
    return name_of(step) if person is None else f"{name_of(step)}, now {person.username}"


def _next(case: Case, round_: int, step: str, who: str, now: datetime) -> Next:
    assert case.next_call_at is not None  # noqa: S101  # an open case has one
    return Next(round=round_, step=step, who=who, at=case.next_call_at, due=case.next_call_at <= now)

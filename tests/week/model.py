"""What every case must have come to, told anew from the documents: no row and no code of the product is asked.

docs/cases.md says when a case opens and closes, docs/teams.md what its chain calls when. The model goes through what
befell one operation and the ticks at which the desk could sweep, and says every call, with its time.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tests.week import world
from tests.week.case import Called, CaseModel, chain_of
from tests.week.oncall import is_active, on_call
from tests.week.script import Event, Life
from tests.week.world import OWNER_HAS, SEEN_FOR, T0, Step

UNKNOWN, PENDING, APPLIED, CLOSED, CONFLICT = "unknown", "pending", "applied", "closed", "conflict"
_OPEN: Final = (UNKNOWN, PENDING, CONFLICT)
DONE, NO_CASE, REFUSED = "done", "no case", "refused"


@dataclass(slots=True)
class Model:
    """What one operation has to come to. `came`: what each try of a person or agent has to come to, by its place."""

    life: Life
    state: str = UNKNOWN
    protected_until: datetime | None = None
    case: CaseModel | None = None
    cases: list[CaseModel] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    came: dict[int, str] = field(default_factory=dict)
    asked: bool = False
    left: str = ""
    planned: datetime = T0

    def play(self, ticks: Sequence[datetime]) -> None:
        """Go through everything, in order; `ticks` are those at which the desk sweeps."""
        self._begin()
        place = bisect_left(ticks, self.life.begun)
        for number, event in enumerate(self.life.events):
            place = self._sweep_until(ticks, place, event.at)
            self._happens(number, event)
        self._sweep_until(ticks, place, None)

    def _begin(self) -> None:
        life = self.life
        if life.sealed and life.recipient.protects is not None:
            self.protected_until = life.begun + life.recipient.protects
        self._learnt(life.begun)

    def _sweep_until(self, ticks: Sequence[datetime], place: int, at: datetime | None) -> int:
        """Sweep at every tick before `at` at which anything of it can be due."""
        while place < len(ticks) and (at is None or ticks[place] < at):
            due = self._next_due()
            if due is None or (at is not None and due >= at):
                return bisect_left(ticks, at) if at is not None else len(ticks)
            place = max(place, bisect_left(ticks, due))
            if place < len(ticks) and (at is None or ticks[place] < at):
                self._sweep(ticks[place])
                place += 1
        return place

    def _next_due(self) -> datetime | None:
        some = [at for _, at in self._needs() if at > self.planned]
        if self.case is not None:
            some += [self.case.next, *([self.case.put_off_until] if self.case.put_off_until else [])]
        return min(some, default=None)

    def _needs(self) -> Iterator[tuple[str, datetime]]:
        """Yield why a person is needed, and from when, while it is open."""
        life = self.life
        if self.state not in _OPEN:
            return
        if self.state == CONFLICT:
            yield "conflict", self.planned
        else:
            yield f"{self.state}_too_long", life.begun + life.recipient.expected
        if self.protected_until is not None:
            yield "protection_ends", self.protected_until - life.recipient.lead
        if life.deadline is not None:
            yield "deadline", life.deadline - life.recipient.lead

    def _wanted(self, now: datetime) -> set[str]:
        found = {why for why, at in self._needs() if at <= now}
        if self.state in _OPEN and self.asked:
            found.add("agent_asks")
        if self.left and self.left == self.state:
            found.add("left_unresolved")
        return found

    def _sweep(self, now: datetime) -> None:
        """One sweep of the desk: what time brings about, what was put off, and then the chain."""
        if any(self.planned < at <= now for _, at in self._needs()):
            self.planned = now
            self._attend(now)
        case = self.case
        if case is not None and case.put_off_until is not None and case.put_off_until <= now:
            case.put_off_until, case.put_off_at = None, ""
            case.acts.append(("woken", now))
        if case is not None and case.next <= now:
            self._call(case, now)

    def _learnt(self, now: datetime) -> None:
        """Something came in at this time, and everything about it is judged anew."""
        self.planned = now
        if self.protected_until is not None and self.protected_until <= now:
            self.protected_until = None
        self._attend(now)

    def _attend(self, now: datetime, *, left_until: datetime | None = None) -> None:
        wanted = self._wanted(now)
        if self.case is None:
            if wanted:
                self._open(wanted, now, left_until)
            return
        case, left_before = self.case, "left_unresolved" in self.case.reasons
        more = wanted - case.reasons.keys()
        self._add_reasons(case, more, now)
        self._end_reasons(case, case.reasons.keys() - wanted, now)
        if not wanted and self.state not in _OPEN:
            self._close(case, now)
        elif left_until is not None:
            self._put_off(case, left_until, now)
        elif case.put_off_until is not None and self._comes_back(case, wanted, more=bool(more), left=left_before):
            case.put_off_until, case.put_off_at = None, ""
            case.call_at(now)
            case.acts.append(("woken", now))

    def _comes_back(self, case: CaseModel, wanted: set[str], *, more: bool, left: bool) -> bool:
        return case.put_off_at != self.state or more or (left and "left_unresolved" not in wanted)

    def _add_reasons(self, case: CaseModel, more: set[str], now: datetime) -> None:
        """What somebody has seen, they have seen for the reasons there were: one more is called for at once."""
        for why in sorted(more):
            case.reasons[why] = now
            case.acts.append(("reason", now))
        if more:
            case.seen_until = None
            (case.new_round_at if case.owner else case.call_at)(now)

    def _end_reasons(self, case: CaseModel, over: set[str], now: datetime) -> None:
        for why in over:
            case.held.append((why, case.reasons.pop(why), now))

    def _open(self, wanted: set[str], now: datetime, left_until: datetime | None) -> None:
        case = CaseModel(nth=len(self.cases) + 1, opened=now, next=now if left_until is None else left_until)
        case.reasons = dict.fromkeys(wanted, now)
        case.acts.append(("opened" if case.nth == 1 else "opened_again", now))
        if left_until is not None:
            case.put_off_until, case.put_off_at = left_until, self.state
        self.case = case
        self.cases.append(case)

    def _close(self, case: CaseModel, now: datetime) -> None:
        case.closed, case.put_off_until = now, None
        case.acts.append(("closed", now))
        self.case = None

    def _put_off(self, case: CaseModel, until: datetime, now: datetime) -> None:
        case.put_off_until, case.put_off_at = until, self.state
        case.new_round_at(until)
        case.acts.append(("snoozed", now))

    def _happens(self, place: int, event: Event) -> None:
        if event.what in ("timeout", PENDING, APPLIED, CLOSED):
            self._is_said(event.what)
            self._learnt(event.at)
        elif event.what == "asks":
            self.came[place] = DONE if self.state in _OPEN else REFUSED
            self.asked |= self.state in _OPEN
            if self.state in _OPEN:
                self._learnt(event.at)
        elif event.what == "leave":
            self.came[place] = self._leave(event)
        else:
            self.came[place] = NO_CASE if self.case is None else self._person(self.case, event)

    def _is_said(self, what: str) -> None:
        if what == "timeout":
            return
        contradicts = {self.state, what} == {APPLIED, CLOSED}
        self.state = CONFLICT if contradicts or self.state == CONFLICT else what

    def _leave(self, event: Event) -> str:
        if self.state not in _OPEN:
            return REFUSED
        self.asked, self.left, self.planned = False, self.state, event.at
        if self.protected_until is not None and self.protected_until <= event.at:
            self.protected_until = None
        self._attend(event.at, left_until=event.until)
        return DONE

    def _person(self, case: CaseModel, event: Event) -> str:
        """What somebody does about an open case, by the table of docs/cases.md."""
        now, yours = event.at, case.owner == event.who
        if event.what == "take" and not yours:
            return self._owned(case, event.who, now + SEEN_FOR, "taken_over" if case.owner else "taken", now)
        if event.what == "hand_over" and case.owner != event.to:
            return self._owned(case, event.to, now, "handed_over", now)
        if event.what == "give_back" and yours:
            case.owner, case.seen_until = "", None
            case.call_at(now)
            case.acts.append(("given_back", now))
            return DONE
        if event.what == "seen":
            case.seen_until = now + SEEN_FOR
            (case.new_round_at if case.owner else case.call_at)(now if case.owner else case.next)
            case.acts.append(("acknowledged", now))
            return DONE
        if event.what == "put_off" and event.until is not None and event.until > now:
            self._put_off(case, event.until, now)
            return DONE
        return REFUSED

    def _owned(self, case: CaseModel, who: str, calls: datetime, act: str, now: datetime) -> str:
        case.owner, case.seen_until = who, None
        case.new_round_at(calls)
        case.acts.append((act, now))
        return DONE

    def _call(self, case: CaseModel, now: datetime) -> None:
        """Call whoever is next: the owner, else the first step of the chain, from the next on, that somebody answers."""
        team = world.OWNER_OF[self.life.recipient.key]
        chain, steps = chain_of(team, now)
        if case.step and case.chain != chain:
            case.round, case.step = case.round + 1, 0
        case.chain = chain
        if case.step == 0 and case.owner and is_active(case.owner, now):
            self.calls.append(Called(case.nth, case.round, 0, now, "person", case.owner))
            case.step, case.next = 1, now + OWNER_HAS
            return
        self._call_chain(case, steps, now)

    def _call_chain(self, case: CaseModel, steps: Sequence[Step], now: datetime) -> None:
        found = [(place, step) for place, step in enumerate(steps, 1) if place >= case.step]
        answered = [(place, step, whom) for place, step in found if (whom := _answers(step, now))]
        if answered:
            place, step, whom = answered[0]
            self.calls.append(Called(case.nth, case.round, place, now, step.kind, whom))
            if place < len(steps):
                case.step, case.next = place + 1, now + step.wait
                return
        if answered or case.step:
            case.round += 1
        case.step, case.next = 0, now + steps[-1].wait


def _answers(step: Step, now: datetime) -> str:
    """Return whom a step calls then, empty where nobody can be."""
    if step.kind == "person":
        return step.name if is_active(step.name, now) else ""
    if step.kind == "team":
        return step.name if any(is_active(one, now) for one in world.TEAMS[step.name]) else ""
    if step.kind == "rota":
        person = on_call(world.ROTAS[step.name], now)
        return person if person and is_active(person, now) else ""
    return step.name


def model_of(life: Life, ticks: Sequence[datetime]) -> Model:
    """Return what an operation has to come to."""
    found = Model(life)
    found.play(ticks)
    return found


__all__ = ["Called", "CaseModel", "Model", "chain_of", "model_of"]

"""The chain of a case is called, one step at a time, each once in a round; when nobody answers it begins again.

What is due stands as a time in PostgreSQL (`Case.next_call_at`) and is swept, so that the first sweep after any outage
calls the step that is due, and the next waits its whole time from then: none is left out, and no two are called at once.
Each is called under the operation's lock, as everything is done to a case, so that two sweeps call it once; the table of
calls would refuse a second. Nothing is sent here: a `Call` is what is to be said, and notices say it.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from escalation.cases.answering import NotCalled, name_of, require_person, who_answers
from escalation.models import Call, Case, CaseAct, Chain, ChainStep
from escalation.models.call import OWNER
from escalation.models.case import Act
from escalation.models.chain import StepKind
from escalation.teams.owning import owned
from operations.recording import writing

if TYPE_CHECKING:
    from operations.models import Operation

logger: Final = logging.getLogger(__name__)

# How long whoever looks after a case has before the chain goes on without them.
OWNER_HAS: Final = timedelta(minutes=15)
# When it is looked again whether there is a chain, where there is none. Whoever sets one has it looked at once (pacing.py);
# this is for what else could bring one, and is seldom enough for ten thousand cases at a desk without any.
LOOK_AGAIN: Final = timedelta(minutes=30)
CALLED: Final = ("round", "step", "next_call_at", "chain")


def call(*, now: datetime, most: int) -> int:
    """Call the step that is due of up to `most` cases; return how many there were."""
    due = Case.objects.filter(closed_at=None, next_call_at__lte=now).order_by("next_call_at")
    return sum([_called(one, now=now) for one in list(due.values_list("operation_id", flat=True)[:most])])


def _called(operation_id: UUID, *, now: datetime) -> bool:
    """Call for one in a transaction of its own; one that goes wrong keeps no other waiting."""
    try:
        return _call(operation_id, now=now)
    except Exception:
        logger.exception("the chain of operation %s could not be called", operation_id)
        return False


def _call(operation_id: UUID, *, now: datetime) -> bool:
    with writing(operation_id, now=now) as pen:
        due = Case.objects.filter(operation=operation_id, closed_at=None, next_call_at__lte=now)
        case = due.select_related("owner").first()
        if case is None:
            return False
        _Calling(case=case, operation=pen.operation, now=now).go_on()
        case.save(update_fields=CALLED)
    return True


@dataclass(slots=True, kw_only=True)
class _Calling:
    """One open case whose next step is due, under its operation's lock."""

    case: Case
    operation: "Operation"
    now: datetime
    passed: list[str] = field(default_factory=list)

    def go_on(self) -> None:
        """Call the first step that can be called, from the one that is due on; those before it are passed over."""
        chain = owned(self.operation).chain
        self._follow(chain)
        steps = [] if chain is None else list(chain.steps.select_related("person", "team", "rota").order_by("position"))
        if not self._owner_is_called():
            self._go_through(steps)
        self._say_passed_over()

    def _follow(self, chain: Chain | None) -> None:
        """A round goes by one chain: where another is in force by now, a new one begins."""
        if self.case.step > OWNER and self.case.chain_id != (None if chain is None else chain.pk):
            self.case.round, self.case.step = self.case.round + 1, OWNER
        self.case.chain = chain

    def _owner_is_called(self) -> bool:
        owner = self.case.owner
        if self.case.step > OWNER or owner is None:
            return False
        try:
            require_person(owner, recipient=self.case.recipient_id)
        except NotCalled as why:
            self.passed.append(f"Whoever looks after it: {why}.")
            return False
        self._write(OWNER, StepKind.PERSON.value, {"person": owner})
        self.case.step, self.case.next_call_at = OWNER + 1, self.now + OWNER_HAS
        return True

    def _go_through(self, steps: Sequence[ChainStep]) -> None:
        called = next((one for one in steps if one.position >= self.case.step and self._is_called(one)), None)
        if called is None or called is steps[-1]:
            # The last wait holds even if nobody was called, so that a chain in which nobody can be is no endless loop.
            self._end_round(something=called is not None, wait=steps[-1].waits if steps else LOOK_AGAIN)
        else:
            self.case.step, self.case.next_call_at = called.position + 1, self.now + called.waits

    def _end_round(self, *, something: bool, wait: timedelta) -> None:
        if something or self.case.step > OWNER:
            self.case.round += 1
        self.case.step, self.case.next_call_at = OWNER, self.now + wait

    def _is_called(self, step: ChainStep) -> bool:
        try:
            columns = who_answers(step, recipient=self.case.recipient_id, now=self.now)
        except NotCalled as why:
            self.passed.append(f"Step {step.position}, {name_of(step)}: {why}.")
            return False
        self._write(step.position, step.kind, columns)
        return True

    def _write(self, step: int, kind: str, columns: Mapping[str, Any]) -> None:
        case = self.case
        Call.objects.create(case=case, chain=case.chain, round=case.round, step=step, kind=kind, at=self.now, **columns)

    def _say_passed_over(self) -> None:
        """Say it once, not in every round: where the history's last line says the same, it still holds."""
        said = " ".join(self.passed)
        if said and said != self._last_said():
            CaseAct.objects.create(case=self.case, act=Act.PASSED_OVER, at=self.now, note=said)

    def _last_said(self) -> str:
        last = self.case.acts.order_by("-id").first()
        return last.note if last is not None and last.act == Act.PASSED_OVER else ""

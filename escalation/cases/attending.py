"""A case is opened, grows, shrinks and closes with what is known, in the very transaction in which that changes.

Nobody opens or closes one by hand, and nothing of it changes what is known. All that happens to a case happens under the
lock of its operation, so that two processes can't open two.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Max, Prefetch

from escalation.cases.owing import owed_too_long
from escalation.cases.pacing import call_next, call_owner_first
from escalation.cases.reviewing import to_review
from escalation.models import Case, CaseAct, LeftUnresolved, ReasonHeld
from escalation.models.case import BY_WORD, MOVING, Act, CaseReason
from operations.core.standing import Evidence, Finality
from operations.reading import closings
from operations.reading.needing import needing
from operations.recording.watching import Changed

if TYPE_CHECKING:
    from operations.models import Operation


def standing_of(row: "Operation | LeftUnresolved") -> str:
    """Return what was known of an operation as one text, which differs when any of it does."""
    return f"{row.evidence} {row.finality} {row.conflict or '-'}"


def is_open(operation: "Operation") -> bool:
    """Return whether the outcome is open, so that somebody who left it unresolved has something to look at again."""
    return operation.evidence != Evidence.APPLIED and operation.finality != Finality.EXCLUDED


def attend(changed: Sequence[Changed], now: datetime) -> None:
    """Bring the cases of these operations, which are locked, in line with why they need a person now."""
    old = [one.operation.id for one in changed if not one.fresh]
    cases = _open_cases(old) if old else {}
    looked_at = [one.operation for one in changed if not one.fresh and is_open(one.operation)]
    left, people = _left(looked_at), _called_for([one.id for one in looked_at], now)
    late = owed_too_long([one.operation for one in changed if not one.fresh], now=now)
    opened: list[tuple[Changed, set[CaseReason]]] = []
    for one in changed:
        newest = left.get(one.operation.id)
        wanted = _wanted(one, newest) | people.get(one.operation.id, set())
        wanted |= {CaseReason.RESULT_OWED} if one.operation.id in late else set()
        case = cases.get(one.operation.id)
        if case is not None:
            _Moving(case=case, now=now).attend(one.operation, wanted, left=_decided_now(newest, now))
        elif wanted:
            opened.append((one, wanted))
    if opened:
        _open(opened, left, now)


def _wanted(one: Changed, left: LeftUnresolved | None) -> set[CaseReason]:
    reasons = {BY_WORD[need.reason.value] for need in one.needs}
    return reasons | ({CaseReason.LEFT_UNRESOLVED} if left is not None else set())


def _called_for(operations: Collection[UUID], now: datetime) -> Mapping[UUID, set[CaseReason]]:
    """Return which of these need somebody because an agent asked, or because a risk is to be looked back at."""
    if not operations:
        return {}
    asked, risked = needing(operations), to_review(operations, now=now)
    found = {one: {CaseReason.AGENT_ASKS} for one in asked}
    return {**found, **{one: found.get(one, set()) | {CaseReason.RISK_REVIEW} for one in risked}}


def _decided_now(left: LeftUnresolved | None, now: datetime) -> datetime | None:
    """Return until when this very transaction leaves it be: an older decision puts nothing off a second time.

    Else the next answer would send back what a window that is about to close has woken.
    """
    if left is None or left.decided_at != now or left.look_again_at <= now:
        return None
    return left.look_again_at


def _open_cases(operations: Collection[UUID]) -> Mapping[UUID, Case]:
    held = ReasonHeld.objects.filter(ended_at=None)
    cases = Case.objects.filter(operation__in=operations, closed_at=None)
    return {case.operation_id: case for case in cases.prefetch_related(Prefetch("reasons", held, to_attr="holding"))}


def _left(operations: "Collection[Operation]") -> Mapping[UUID, LeftUnresolved]:
    """Return the newest decision to leave each of these, where nothing was sent and nothing else was learnt since."""
    if not operations:
        return {}
    rows = LeftUnresolved.objects.filter(operation__in=[one.id for one in operations])
    newest = {row.operation_id: row for row in rows.select_related("decision").order_by("id")}
    return {one.id: newest[one.id] for one in operations if one.id in newest and _stands(newest[one.id], one)}


def _stands(row: LeftUnresolved, operation: "Operation") -> bool:
    if standing_of(row) != standing_of(operation):
        return False
    return not operation.attempts.filter(position__gt=row.decision.position).exists()


def _open(
    wanted: Sequence[tuple[Changed, set[CaseReason]]], left: Mapping[UUID, LeftUnresolved], now: datetime
) -> None:
    """Open a case for each of these but for what only closes another, five statements in all."""
    closing = closings.among([one.operation.id for one, _ in wanted])
    opened = [(one, reasons) for one, reasons in wanted if one.operation.id not in closing]
    known = Case.objects.filter(operation__in=[one.operation.id for one, _ in opened if not one.fresh])
    before = dict(known.values_list("operation").annotate(most=Max("nth")))
    cases = Case.objects.bulk_create([_case(one.operation, before, left, now) for one, _ in opened])
    pairs = list(zip(cases, [sorted(reasons) for _, reasons in opened], strict=True))
    ReasonHeld.objects.bulk_create(
        [ReasonHeld(case=case, reason=why, since=now) for case, some in pairs for why in some]
    )
    CaseAct.objects.bulk_create([_opening(case, why, now) for case, some in pairs for why in some[:1]])


def _case(
    operation: "Operation", before: Mapping[UUID, int], left: Mapping[UUID, LeftUnresolved], now: datetime
) -> Case:
    until = _decided_now(left.get(operation.id), now)
    return Case(
        operation_id=operation.id,
        recipient_id=operation.recipient_id,
        nth=before.get(operation.id, 0) + 1,
        opened_at=now,
        next_call_at=now if until is None else until,
        snoozed_until=until,
        snoozed_standing="" if until is None else standing_of(operation),
    )


def _opening(case: Case, why: CaseReason, now: datetime) -> CaseAct:
    return CaseAct(case=case, act=Act.OPENED if case.nth == 1 else Act.OPENED_AGAIN, at=now, reason=why)


@dataclass(slots=True, kw_only=True)
class _Moving:
    """One open case that is brought in line."""

    case: Case
    now: datetime
    moved: bool = False

    def attend(self, operation: "Operation", wanted: set[CaseReason], *, left: datetime | None) -> None:
        held = {row.reason: row for row in self.case.holding}  # type: ignore[attr-defined]  # by the prefetch
        more = sorted(wanted - {BY_WORD[reason] for reason in held})
        self._add(more)
        # What was sent anew is inside its expected time: nobody has to be called, and whoever looks after it goes on.
        closing = not wanted and not is_open(operation)
        self._end([row for reason, row in held.items() if BY_WORD[reason] not in wanted], closing=closing)
        if closing:
            self._close()
        elif left is not None:
            self._snooze(until=left, standing=standing_of(operation))
        elif self.case.snoozed_until is not None:
            self._wake_if_moved(operation, more, left_before=CaseReason.LEFT_UNRESOLVED.value in held, wanted=wanted)
        if self.moved:
            self.case.revision += 1
            self.case.save(update_fields=MOVING)

    def _wake_if_moved(
        self, operation: "Operation", more: Sequence[CaseReason], *, left_before: bool, wanted: set[CaseReason]
    ) -> None:
        """Whoever put it off did so for what was known and sent then, and for the reasons there were."""
        if self.case.snoozed_standing != standing_of(operation):
            self._wake("What is known has changed.")
        elif more:
            self._wake(more[0].sentence)
        elif left_before and CaseReason.LEFT_UNRESOLVED not in wanted:
            self._wake("Something was sent since it was left.")

    def _tell(self, act: Act, **more: str | datetime) -> None:
        self.moved = True
        CaseAct.objects.create(case=self.case, act=act, at=self.now, **more)

    def _add(self, reasons: Sequence[CaseReason]) -> None:
        for reason in reasons:
            ReasonHeld.objects.create(case=self.case, reason=reason, since=self.now)
            self._tell(Act.REASON, reason=reason)
        if reasons:
            self._call_now()

    def _end(self, rows: Iterable[ReasonHeld], *, closing: bool) -> None:
        for row in rows:
            row.ended_at = self.now
            row.save(update_fields=["ended_at"])
            if not closing:
                self._tell(Act.REASON_ENDED, reason=row.reason)

    def _close(self) -> None:
        # Whoever waited for the lock may have read the clock before whoever had it: no case may keep an answer out.
        self.case.closed_at = max(self.now, self.case.opened_at)
        self.case.snoozed_until, self.case.snoozed_standing = None, ""
        self._tell(Act.CLOSED)

    def _call_now(self) -> None:
        """What somebody has seen, they have seen for the reasons there were; one more is called for at once."""
        self.case.acknowledged_until = None
        if self.case.owner_id is None:
            call_next(self.case, at=self.now)
        else:
            call_owner_first(self.case, at=self.now)

    def _snooze(self, *, until: datetime, standing: str) -> None:
        self.case.snoozed_until, self.case.snoozed_standing = until, standing
        call_owner_first(self.case, at=until)
        self._tell(Act.SNOOZED, until=until, reason=CaseReason.LEFT_UNRESOLVED)

    def _wake(self, because: str) -> None:
        self.case.snoozed_until, self.case.snoozed_standing = None, ""
        call_next(self.case, at=self.now)
        self._tell(Act.WOKEN, note=because)

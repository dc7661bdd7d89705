"""The recipient's truth against our records: what may never be, whatever was broken off and wherever."""

from collections.abc import Iterator
from itertools import chain
from typing import Any
from uuid import UUID

from escalation.models import BusinessException, NewOperation, RecordRepair
from operations import models, reading
from operations.auditing.checking import within
from operations.auditing.walking import Chain, Link, chained
from operations.models.completion import APPLIED
from operations.models.operation import INFERRED
from operations.recording.unasked import UNASKED
from tests.faults.case import Case
from tests.faults.process import Outcome

CLOSE = 0.01  # seconds by which two clocks of one machine may differ where one rounds
_CACHED = ("evidence", "finality", "protection", "situation", "conflict", "duplicate_effect", "further_effect")


def wrong(case: Case, told: Outcome) -> Iterator[str]:
    """Yield a sentence for everything that is wrong after a case; `told` is what was said last of its act."""
    if not told.good:
        yield f"lost: it can't be done any more ({told.status} {told.said})"
    yield from case.wrong()
    operations = list(_chain(case.intended.operation))
    yield from _effects(case, operations)
    yield from _decided(case, operations)
    for row in operations:
        truth = case.intended.desk.control.truth(row.identity)
        arrived = [one["at"] for one in truth["passages"] if one["door"] == "tickets" and one["copy_of"] is None]
        yield from _attempts(row, arrived)
        yield from of_one(row, truth)
        for link in models.Closing.objects.filter(operation=row):
            asked = [one["at"] for one in truth["passages"] if one["door"] == "close" and one["copy_of"] is None]
            closing = models.Operation.objects.get(id=link.closing_id)
            yield from _attempts(closing, asked)
            yield from _kept(closing)


def _chain(operation: UUID | None) -> Iterator[models.Operation]:
    """Yield an operation and those that were authorised in its place."""
    waiting = [] if operation is None else [operation]
    while waiting:
        row = models.Operation.objects.get(id=waiting.pop())
        yield row
        named = models.Successor.objects.filter(operation=row)
        waiting += named.values_list("successor_id", flat=True)


def _effects(case: Case, operations: list[models.Operation]) -> Iterator[str]:
    """No extra effect without active protection or a recorded exception."""
    tickets = {row.identity: len(case.intended.desk.control.tickets(row.identity)) for row in operations}
    excused = BusinessException.objects.filter(operation__in=operations, used_at__isnull=False, successor__isnull=False)
    allowed = 1 + excused.exclude(approved_at=None).count()
    for identity, count in tickets.items():
        if count > 1:
            yield f"extra effect: {count} tickets under {identity}"
    if sum(tickets.values()) > allowed:
        yield f"extra effect: {sum(tickets.values())} tickets of one intent, and {allowed - 1} accepted risks"


def _decided(case: Case, operations: list[models.Operation]) -> Iterator[str]:
    """No decision is lost, none is there twice, and each has its door's own row."""
    if case.onces:
        count = models.Decision.objects.filter(once__in=case.onces).count()
        if count != 1:
            yield f"decision lost or doubled: there are {count} of the one that was taken"
    for decision in models.Decision.objects.filter(operation__in=operations):
        if not _has_its_row(decision):
            yield f"decision without its own row: {decision.door}"
    yield from _authorised(operations)


def _authorised(operations: list[models.Operation]) -> Iterator[str]:
    """What was authorised is linked, and what was excused was accepted by a second person."""
    for row in NewOperation.objects.filter(operation__in=operations):
        if not models.Successor.objects.filter(successor=row.successor_id, decision=row.decision_id).exists():
            yield "a new operation is authorised and not linked"
    for use in BusinessException.objects.filter(operation__in=operations, used_at__isnull=False):
        if use.approved_by_id in (None, use.proposed_by_id):
            yield "an exception was used that no second person accepted"


def _has_its_row(decision: models.Decision) -> bool:
    """Whether any table of the people's ring points at it; a repair is found by the revision that was looked at."""
    relations: list[Any] = [one for one in decision._meta.get_fields(include_hidden=True) if one.auto_created]
    for relation in relations:
        if relation.concrete or relation.related_model._meta.app_label != "escalation":
            continue
        if relation.related_model._default_manager.filter(**{relation.field.name: decision}).exists():
            return True
    return RecordRepair.objects.filter(operation=decision.operation_id, revision=decision.revision).exists()


def _attempts(row: models.Operation, came: list[float]) -> Iterator[str]:
    """No attempt is unrecorded: what arrived was on record before, and none of it is said never to have left."""
    arrived = sorted(came)
    attempts = list(models.Attempt.objects.filter(operation=row).order_by("number"))
    recorded = sorted(map(_on_record_at, attempts))
    for place, at in enumerate(arrived):
        known = sum(one <= at + CLOSE for one in recorded)
        if known <= place:
            yield f"attempt unrecorded: {len(arrived)} requests of {row.identity} arrived, {len(attempts)} are on record"
            break
    unsent = models.Dispatch.objects.filter(operation=row, ended_as="not_sent").count()
    if len(arrived) > len(attempts) - unsent:
        yield f"attempt unrecorded: more of {row.identity} arrived than our record says was sent"
    if models.Dispatch.objects.filter(operation=row, live=True).exists():
        yield f"a send of {row.identity} lives on past its lease"
    for grant in models.Grant.objects.filter(operation=row):
        if models.GrantUse.objects.filter(grant=grant).count() > 1:
            yield "a grant was used twice"


def _on_record_at(attempt: models.Attempt) -> float:
    """When an attempt was on record; one that says itself that nobody was asked counts from when it says it began."""
    unasked = attempt.recorded_by.endswith(UNASKED)
    return (attempt.begun_at if unasked else max(attempt.begun_at, attempt.recorded_at)).timestamp()


def of_one(row: models.Operation, truth: Any) -> Iterator[str]:
    """Yield what is wrong with the record of one operation, by the recipient's truth of it."""
    yield from _completed(row, truth)
    yield from _known(row, truth)
    yield from _kept(row)


def _completed(row: models.Operation, truth: Any) -> Iterator[str]:
    """No completed record without a receipt, or a standing that excludes any effect."""
    for done in models.Completion.objects.filter(operation=row):
        if done.outcome == APPLIED:
            said = models.Reading.objects.filter(observation=done.receipt_id, says="applied", counts=True)
            if done.receipt_id is None or not said.exists():
                yield "completed record: it says that it happened, without a receipt"
            if not truth["tickets"]:
                yield "completed record: it says that it happened, and there is no ticket"
        else:
            if done.standing["finality"] != "excluded":
                yield "completed record: it says that nothing happened, and its standing excludes nothing"
            if truth["tickets"]:
                yield "completed record: it says that nothing happened, and there is a ticket"


def _known(row: models.Operation, truth: Any) -> Iterator[str]:
    """What is established is so."""
    if row.evidence == "applied" and not truth["tickets"]:
        yield f"established that {row.identity} happened, and there is no ticket"
    if row.finality == "excluded" and truth["tickets"]:
        yield f"excluded that {row.identity} happens, and there is a ticket"


def _kept(row: models.Operation) -> Iterator[str]:
    """The chain holds, and the cached columns are what is inferred from what is on record."""
    behind = chain.from_iterable(model._default_manager.filter(operation=row) for model in chained())
    links = tuple(sorted((Link(one) for one in behind), key=lambda link: link.position))
    for fault in within(Chain(row.id, row, links)):
        yield f"the chain of {row.identity} is broken at {fault.position}: {fault.what}"
    assert set(_CACHED) <= set(INFERRED)
    read = reading.operation(row.id)
    standing = read.standing(now=row.assessed_at)
    for name in _CACHED:
        if getattr(row, name) != getattr(standing, name):
            yield f"the cached {name} of {row.identity} is {getattr(row, name)}, and {getattr(standing, name)} is inferred"

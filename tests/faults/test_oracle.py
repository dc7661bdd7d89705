"""What the oracle says where our records and the recipient's truth differ."""

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from escalation.decisions.record_repair import repair_record
from escalation.models import RecordRepair
from escalation.policy import Role
from operations import models
from operations.core.actions import Action
from operations.recording import decide, writing
from operations.recording.unasked import UNASKED
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.decisions.risks import taker
from tests.escalation.people import with_role
from tests.faults import oracle

pytestmark = pytest.mark.django_db
NOTHING: dict[str, Any] = {"tickets": [], "passages": []}
A_TICKET: dict[str, Any] = {"tickets": [{"number": "T-1"}], "passages": []}
SENT = T0.timestamp() + 1


@pytest.fixture
def made() -> Made:
    """An operation that was answered with a ticket."""
    found = operation()
    found.issued("T-1", now=T0 + HOUR / 2)
    return found


def repaired(made: Made) -> RecordRepair:
    receipt = made.row.observations.latest("position").id
    return repair_record(made.id, taker(made, with_role("mira", Role.REVIEWER)), receipt=receipt, remark="")


def test_a_request_that_arrived_before_it_was_on_record_is_an_unrecorded_attempt(made):
    (said,) = oracle._attempts(made.row, [SENT - HOUR.total_seconds()])
    assert said.startswith("attempt unrecorded: 1 requests of order-1001 arrived")


def test_two_requests_of_one_attempt_are_an_unrecorded_attempt(made):
    assert [said.partition(":")[0] for said in oracle._attempts(made.row, [SENT, SENT])] == ["attempt unrecorded"] * 2


def test_a_request_that_arrived_once_is_the_attempt_on_record(made):
    assert list(oracle._attempts(made.row, [SENT])) == []


@pytest.mark.parametrize(("by", "counts"), [("a program", T0 + HOUR), (f"a program, {UNASKED}", T0)])
def test_only_an_attempt_that_says_it_went_out_unasked_counts_from_when_it_began(by, counts):
    attempt = models.Attempt(begun_at=T0, recorded_at=T0 + HOUR, recorded_by=by)
    assert oracle._on_record_at(attempt) == counts.timestamp()


def test_what_is_established_and_is_not_so_is_said(made):
    assert list(oracle._known(made.row, NOTHING)) == ["established that order-1001 happened, and there is no ticket"]
    assert list(oracle._known(made.row, A_TICKET)) == []


def test_a_completed_record_that_the_tickets_contradict_is_said(made):
    repaired(made)
    assert list(oracle._completed(made.row, NOTHING)) == [
        "completed record: it says that it happened, and there is no ticket"
    ]
    assert list(oracle._completed(made.row, A_TICKET)) == []


def case(*onces: object) -> Any:
    return SimpleNamespace(onces=list(onces))


def test_a_decision_that_was_taken_and_is_not_there_is_lost(made):
    assert list(oracle._decided(case(uuid4()), [made.row])) == [
        "decision lost or doubled: there are 0 of the one that was taken"
    ]


def test_a_decision_that_is_there_once_with_its_row_is_none_too_few(made):
    repaired(made)
    once = models.Decision.objects.get(operation=made.id).once
    assert list(oracle._decided(case(once), [made.row])) == []


def test_a_decision_without_its_doors_row_is_said(made):
    with writing(made.id, now=T0 + HOUR) as pen:
        revision = pen.operation.revision
        decide(pen, Action.RECORD, door="repair_record", once=uuid4(), revision=revision, content={}, by="mira")
        pen.finish()
    assert list(oracle._decided(case(), [made.row])) == ["decision without its own row: repair_record"]


def test_a_cached_column_that_is_not_what_is_inferred_is_said(made):
    models.Operation.objects.filter(id=made.id).update(duplicate_effect=True)
    assert list(oracle._kept(made.row)) == ["the cached duplicate_effect of order-1001 is True, and False is inferred"]

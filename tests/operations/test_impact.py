"""What a contract would change is told before it is published, and nothing is written by the telling."""

import pytest

from operations import models
from operations.contracts.loading import ContractRefused
from operations.core.facts import Claim
from operations.impact import Impact, impact
from operations.rereading import reread
from tests.escalation.building import T0, operation
from tests.operations.test_rereading import AN_HOUR, LATER, MINUTE, NO_CLOSING, TEXT, TWO_DAYS, published, under_way

pytestmark = pytest.mark.django_db


def found(text: str, **more: object) -> Impact:
    recipient = models.Recipient.objects.get()
    return impact(recipient.id, text=text, now=LATER, **more)  # type: ignore[arg-type]


def test_a_text_that_is_no_contract_changes_nothing_and_says_so():
    under_way()
    with pytest.raises(ContractRefused):
        found("format: 1\n")


def test_nothing_is_written():
    made = under_way()
    before = (made.row.revision, models.Reading.objects.count(), bytes(made.row.head))
    assert found(AN_HOUR).changes
    assert (made.row.revision, models.Reading.objects.count(), bytes(made.row.head)) == before


def test_the_contract_in_force_changes_nothing():
    under_way()
    assert found(TEXT) == Impact((), 1, 1, None)


def test_a_shorter_promise_is_told_with_what_stood_and_what_would():
    made = under_way()
    (change,) = found(AN_HOUR).changes
    assert (change.operation.id, change.differs) == (
        made.id,
        ("protection", "protection_until", "protection_reason", "permitted"),
    )
    assert (change.before.protection, change.after.protection) == ("active", "unestablished")
    assert change.before.protection_until == made.row.protection_until
    assert change.after.protection_reason == "lapsed"


def test_a_corrected_reading_is_told_with_what_would_be_permitted():
    published(NO_CLOSING)
    made = operation(contract=published(NO_CLOSING))
    made.recorded("closed", now=T0 + MINUTE)
    (change,) = found(TEXT).changes
    assert (change.before.evidence, change.after.evidence) == ("unknown", "not_applied")
    assert (change.before.finality, change.after.finality) == ("unestablished", "excluded")
    assert set(change.after.permitted) - set(change.before.permitted) == {"record", "propose_new"}
    assert set(change.before.permitted) - set(change.after.permitted) >= {"leave_unresolved", "except"}


def test_a_longer_promise_would_change_nothing_that_was_sent_under_the_shorter():
    under_way()
    assert found(TWO_DAYS).changes == ()


def test_settled_operations_are_not_looked_at():
    made = operation(contract=published())
    made.issued("T-1", now=T0 + MINUTE)
    assert found(AN_HOUR) == Impact((), 0, 0, None)


def test_the_look_is_bounded_and_goes_on_where_it_ended():
    names = ["one", "two", "three"]
    made = sorted([under_way(name).id for name in names])
    first = found(AN_HOUR, limit=2)
    assert (first.examined, first.open, first.next) == (2, 3, made[1])
    second = found(AN_HOUR, limit=2, after=first.next)
    assert (second.examined, second.open, second.next) == (1, 3, None)
    told = [change.operation.id for change in (*first.changes, *second.changes)]
    assert told == made


def test_what_was_told_is_what_comes():
    """The look and the sweep read alike: what the page says before is what the row says after."""
    published(NO_CLOSING)
    lost, misread = (
        operation("one", contract=published(NO_CLOSING), parcel="one"),
        operation("two", contract=published(NO_CLOSING), parcel="two"),
    )
    misread.recorded("closed", now=T0 + MINUTE)
    misread.failed(now=T0 + 2 * MINUTE)
    told = {change.operation.id: change.after for change in found(AN_HOUR).changes}
    assert set(told) == {lost.id, misread.id}
    published(AN_HOUR)
    reread(now=LATER)
    for operation_id, after in told.items():
        row = models.Operation.objects.get(id=operation_id)
        now = (row.evidence, row.finality, row.protection, row.protection_reason)
        assert now == (after.evidence, after.finality, after.protection, after.protection_reason)
    readings = models.Reading.objects.filter(operation=misread.id, contract__version=2)
    assert {row.says for row in readings} == {Claim.CLOSED, Claim.INDETERMINATE}

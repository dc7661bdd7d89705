"""What is to be told is there with the change that it is about, and only where a subscription asks for it."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.models import OutboxDue, OutboxEvent, Subscription
from escalation.models.subscription import EventKind
from escalation.policy import Role
from operations.core.missing import Fact
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.decisions.risks import DAY, taker
from tests.escalation.outbox.made import NOW, administrator, subscription
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("id").values_list("kind", flat=True))


def left(made):
    """A person stops here."""
    return leave_unresolved(
        made.id,
        taker(made, with_role("mira", Role.REVIEWER)),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ann",
        look_again_at=NOW + DAY,
        remark="",
    )


def test_without_a_subscription_nothing_is_noted():
    made = operation()
    made.issued("T-1", now=T0 + SECOND)
    assert kinds() == []


@pytest.mark.parametrize("how", [{"ended_at": T0, "ended_by": 0}, {"gone_at": T0}])
def test_for_a_program_that_is_told_no_more_nothing_is_noted(how):
    made = subscription()
    how = {**how, **({"ended_by": administrator()} if "ended_by" in how else {})}
    Subscription.objects.filter(pk=made.pk).update(**how)
    operation().issued("T-1", now=T0 + SECOND)
    assert kinds() == []


def test_what_a_program_did_not_ask_for_is_not_noted_for_it():
    other = contract_of(key="other", name="Other").recipient_id
    subscription(EventKind.DECIDED)
    subscription(recipients=[other], name="elsewhere")
    operation().issued("T-1", now=T0 + SECOND)
    assert kinds() == []


def test_a_new_operation_changes_nothing_that_was_known():
    subscription()
    operation(sealed=False)
    assert kinds() == []


def test_a_standing_that_changed_says_from_what_to_what():
    made = operation()
    subscription(EventKind.STANDING_CHANGED)
    made.issued("T-1", now=T0 + SECOND)
    [event] = OutboxEvent.objects.all()
    assert (event.kind, event.operation_id, event.made_at) == ("operation.standing_changed", made.id, T0 + SECOND)
    assert (event.about["from"]["evidence"], event.about["to"]["evidence"]) == ("unknown", "applied")
    assert event.about["revision"] == made.row.revision
    due = OutboxDue.objects.get()
    assert (due.event_id, due.at, due.since) == (event.pk, event.made_at, event.made_at)


def test_what_changes_nothing_of_what_is_known_is_no_event():
    subscription(EventKind.STANDING_CHANGED)
    made = operation()
    made.timed_out(now=T0 + SECOND)
    before = kinds()
    made.learns("wire", now=T0 + 2 * SECOND, attempt="a1", fact="reset")
    assert kinds() == before


def test_a_need_is_noted_with_the_case_that_it_opens():
    subscription(EventKind.NEEDS_PERSON)
    operation().timed_out(now=T0 + SECOND)
    assert kinds() == []
    calling.call(now=NOW, most=10)
    calling.call(now=NOW, most=10)
    assert kinds() == ["operation.needs_person"]


def test_a_decision_is_noted_and_what_it_owes():
    subscription(EventKind.DECIDED, EventKind.RESULT_OWED)
    made = operation()
    made.timed_out(now=T0 + SECOND)
    decided = left(made)
    assert kinds() == ["operation.decided", "operation.result_owed"]
    assert OutboxEvent.objects.earliest("id").about == {"decision": str(decided.decision_id)}


def test_a_result_that_is_settled_is_noted_as_owed_once():
    subscription(EventKind.RESULT_OWED)
    made = operation()
    made.recorded("issued", now=T0 + HOUR, ticket="T-1")
    assert kinds() == ["operation.result_owed"]


def test_a_change_that_is_undone_leaves_nothing_to_tell():
    made = operation()
    subscription()
    with transaction.atomic():
        made.issued("T-1", now=T0 + SECOND)
        transaction.set_rollback(True)
    assert kinds() == []


def test_each_program_is_told_under_an_id_of_its_own():
    made = operation()
    subscription(EventKind.STANDING_CHANGED)
    subscription(EventKind.STANDING_CHANGED, name="ledger")
    made.issued("T-1", now=T0 + SECOND)
    assert len(set(OutboxEvent.objects.values_list("key", flat=True))) == 2


def test_what_changes_pays_no_statement_for_what_is_told():
    def statements(identity: str) -> int:
        made = operation(identity)
        with CaptureQueriesContext(connection) as found:
            made.issued("T-1", now=T0 + SECOND)
        return len(found)

    statements("order-0")  # what is read once in a process is read by now
    without = statements("order-1")
    subscription()
    assert statements("order-2") == without
    assert kinds() != []


@pytest.mark.django_db(transaction=True)
def test_a_change_waits_for_nobody_who_writes_to_the_subscription():
    made = operation()
    held = subscription(EventKind.STANDING_CHANGED)
    begun, go = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                Subscription.objects.select_for_update(no_key=True).get(pk=held.pk)
                Subscription.objects.filter(pk=held.pk).update(failures=1, failing_since=T0)
                begun.set()
                go.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(30)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '200ms'")
            made.issued("T-1", now=T0 + SECOND)
    finally:
        go.set()
        thread.join()
    assert kinds() == ["operation.standing_changed"]

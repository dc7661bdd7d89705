"""A case is opened when a person is needed, lasts while any reason holds, and is nobody's to open or close."""

import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from escalation.cases.waking import wake
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.taking import Taker
from escalation.models import Case, CaseAct, ReasonHeld
from escalation.models.case import Act, CaseReason
from escalation.policy import EVERY_RECIPIENT, Role
from escalation.queue import Group, Question, counted
from operations import recording
from operations.core.facts import Sends
from operations.core.missing import Fact
from operations.recording import calling, planning
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import with_role
from tests.operations.granted import granted

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def lost(identity: str = "order-1001", **more) -> Made:
    """An operation whose reply was lost."""
    made = operation(identity, **more)
    made.timed_out(now=T0 + timedelta(seconds=10))
    return made


def cases(made: Made) -> list[Case]:
    return list(Case.objects.filter(operation=made.id).order_by("nth"))


def holding(case: Case) -> set[str]:
    return set(case.reasons.filter(ended_at=None).values_list("reason", flat=True))


def acts(case: Case) -> list[str]:
    return list(case.acts.order_by("id").values_list("act", flat=True))


@pytest.fixture(autouse=True)
def no_result_is_owed_too_long(settings):
    """What is owed to agents calls nobody here (test_owing.py)."""
    settings.OWED_WITHIN = 400 * 86_400.0


def test_what_is_on_its_way_inside_its_expected_time_opens_none():
    made = lost()
    assert cases(made) == []
    assert calling.call(now=T0 + timedelta(seconds=20), most=10) == 0
    assert cases(made) == []


def test_an_outcome_unknown_for_longer_than_expected_opens_one_by_the_sweep():
    made = lost()
    assert calling.call(now=T0 + HOUR, most=10) == 1
    [case] = cases(made)
    assert (case.nth, case.opened_at, case.closed_at, case.owner) == (1, T0 + HOUR, None, None)
    assert holding(case) == {CaseReason.UNKNOWN_TOO_LONG}
    assert acts(case) == [Act.OPENED]


def test_a_second_sweep_changes_nothing():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    assert calling.call(now=T0 + HOUR, most=10) == 0
    assert [acts(case) for case in cases(made)] == [[Act.OPENED]]


def test_a_contradiction_opens_one_at_once():
    made = lost()
    made.issued("T-1", now=T0 + MINUTE)
    assert cases(made) == []
    made.recorded("closed", now=T0 + 2 * MINUTE)
    [case] = cases(made)
    assert holding(case) == {CaseReason.CONFLICT}


def test_protection_that_is_about_to_lapse_while_unknown_adds_a_reason_to_the_open_case():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    assert calling.call(now=T0 + 24 * HOUR, most=10) == 1
    [case] = cases(made)
    assert holding(case) == {CaseReason.UNKNOWN_TOO_LONG, CaseReason.PROTECTION_ENDS}
    assert acts(case) == [Act.OPENED, Act.REASON]
    assert case.revision == 2


def test_after_an_outage_everything_that_came_due_meanwhile_is_one_case():
    made = lost(deadline=T0 + 2 * HOUR)
    calling.call(now=T0 + 30 * HOUR, most=10)
    [case] = cases(made)
    assert {CaseReason.UNKNOWN_TOO_LONG, CaseReason.PROTECTION_ENDS, CaseReason.DEADLINE} <= holding(case)
    assert acts(case) == [Act.OPENED]


def test_an_operation_registered_shortly_before_its_deadline_has_a_case_from_the_first():
    made = operation(deadline=T0 + MINUTE, sealed=False)
    [case] = cases(made)
    assert (case.opened_at, holding(case)) == (T0, {CaseReason.DEADLINE})


def test_evidence_that_settles_it_closes_the_case_and_ends_its_reasons():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    made.issued("T-1", now=T0 + HOUR + MINUTE)
    [case] = cases(made)
    assert (case.closed_at, holding(case)) == (T0 + HOUR + MINUTE, set())
    assert acts(case) == [Act.OPENED, Act.CLOSED]


def test_whoever_waited_with_an_older_time_closes_it_all_the_same():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    made.issued("T-1", now=T0 + 59 * MINUTE)
    [case] = cases(made)
    assert (case.opened_at, case.closed_at) == (T0 + HOUR, T0 + HOUR)


def test_a_reason_that_ends_alone_leaves_the_case_open():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    made.learns(
        "record", now=T0 + HOUR + MINUTE, asked_at=T0 + HOUR, status=200, body=made.says("pending", at=T0 + HOUR)
    )
    [case] = cases(made)
    assert case.closed_at is None
    assert Act.CLOSED not in acts(case)
    assert holding(case) == {CaseReason.PENDING_TOO_LONG}


def test_a_contradiction_after_the_end_opens_another_case():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    made.issued("T-1", now=T0 + HOUR + MINUTE)
    made.recorded("closed", now=T0 + 2 * HOUR)
    first, second = cases(made)
    assert (first.closed_at, second.nth, holding(second)) == (T0 + HOUR + MINUTE, 2, {CaseReason.CONFLICT})
    assert acts(second) == [Act.OPENED_AGAIN]


def leave(made: Made, *, until, now):
    taker = Taker(person=with_role("mira", Role.REVIEWER), revision=made.row.revision, once=uuid4(), now=now)
    leave_unresolved(made.id, taker, fact=Fact.WHETHER_IT_HAPPENED, told="Ada", look_again_at=until, remark="")


def test_who_leaves_it_unresolved_puts_the_case_off_until_the_time_to_look_again():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 5 * HOUR, now=T0 + 2 * HOUR)
    [case] = cases(made)
    assert case.snoozed_until == T0 + 5 * HOUR
    assert CaseReason.LEFT_UNRESOLVED in holding(case)
    assert wake(now=T0 + 4 * HOUR, most=10) == 0
    assert wake(now=T0 + 5 * HOUR, most=10) == 1
    [case] = cases(made)
    assert (case.snoozed_until, case.closed_at, acts(case)[-1]) == (None, None, Act.WOKEN)
    assert wake(now=T0 + 5 * HOUR, most=10) == 0


def test_leaving_it_before_anybody_was_called_opens_a_case_that_is_put_off():
    made = lost()
    leave(made, until=T0 + 5 * HOUR, now=T0 + timedelta(seconds=30))
    [case] = cases(made)
    assert (case.snoozed_until, holding(case)) == (T0 + 5 * HOUR, {CaseReason.LEFT_UNRESOLVED})


def test_a_change_of_what_is_known_wakes_it_before_its_time():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 5 * HOUR, now=T0 + 2 * HOUR)
    made.learns(
        "record", now=T0 + 3 * HOUR, asked_at=T0 + 3 * HOUR, status=200, body=made.says("pending", at=T0 + 3 * HOUR)
    )
    [case] = cases(made)
    assert case.snoozed_until is None
    woken = case.acts.get(act=Act.WOKEN)
    assert woken.note == "What is known has changed."


def test_an_answer_that_changes_nothing_does_not_wake_it():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 5 * HOUR, now=T0 + 2 * HOUR)
    made.failed(now=T0 + 3 * HOUR)
    assert cases(made)[0].snoozed_until == T0 + 5 * HOUR


def test_what_a_closing_window_has_woken_no_answer_sends_back():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 90 * HOUR, now=T0 + 2 * HOUR)
    calling.call(now=T0 + 24 * HOUR - 3 * MINUTE, most=10)
    assert cases(made)[0].snoozed_until is None
    made.failed(now=T0 + 24 * HOUR - 2 * MINUTE)
    [case] = cases(made)
    assert (case.snoozed_until, acts(case)[-1]) == (None, Act.WOKEN)
    found = counted(Question(now=T0 + 24 * HOUR - 2 * MINUTE, reads=EVERY_RECIPIENT))
    assert (found[Group.WITHIN_THE_HOUR], found[Group.LEFT_UNRESOLVED]) == (1, 0)


def test_what_is_sent_since_wakes_it():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 90 * HOUR, now=T0 + 2 * HOUR)
    intent = recording.Intent(attempt="a2", sends=Sends.ONE, scope="desk-east", begun_at=T0 + 3 * HOUR)
    grant = granted(made.id, now=T0 + 3 * HOUR)
    recording.begin(made.id, intent, now=T0 + 3 * HOUR, by="key", grant=grant)
    [case] = cases(made)
    assert case.snoozed_until is None
    assert case.acts.get(act=Act.WOKEN).note == "Something was sent since it was left."


def test_one_that_goes_wrong_keeps_no_other_waiting(monkeypatch, caplog):
    first, second = lost("order-1"), lost("order-2", parcel="Oak")
    whole = planning.planned

    def planned(operation, due, *, now):
        if operation.id == first.id:
            raise ValueError("unreadable")
        return whole(operation, due, now=now)

    monkeypatch.setattr(planning, "planned", planned)
    assert calling.call(now=T0 + HOUR, most=10) == 1
    assert [case.operation_id for case in Case.objects.all()] == [second.id]
    assert str(first.id) in caplog.text


def test_it_is_settled_while_put_off_and_closes():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    leave(made, until=T0 + 5 * HOUR, now=T0 + 2 * HOUR)
    made.issued("T-1", now=T0 + 3 * HOUR)
    [case] = cases(made)
    assert (case.closed_at, case.snoozed_until) == (T0 + 3 * HOUR, None)


def test_a_change_that_is_undone_leaves_no_case():
    made = lost()
    with pytest.raises(RuntimeError), recording.writing(made.id, now=T0 + HOUR) as pen:  # noqa: PT012
        pen.finish()
        assert Case.objects.exists()
        raise RuntimeError
    assert not Case.objects.exists()


def test_a_hundred_operations_are_attended_with_a_few_statements(django_assert_max_num_queries):
    from operations.recording.watching import tell

    made = [lost(f"order-{number}", parcel=f"P{number}") for number in range(30)]
    changed = _changed(made)
    with django_assert_max_num_queries(13):
        tell(changed, now=T0 + HOUR)
    assert Case.objects.count() == 30


def _changed(made):
    from operations.core.schedule import Need, Reason
    from operations.recording.watching import Changed

    need = Need(reason=Reason.UNKNOWN_TOO_LONG, at=0)
    return [Changed(operation=one.row, needs=(need,)) for one in made]


def test_the_database_keeps_one_open_case_an_operation():
    made = lost()
    calling.call(now=T0 + HOUR, most=10)
    with pytest.raises(IntegrityError, match="one_open_case_an_operation"), transaction.atomic():
        Case.objects.create(operation=made.row, recipient=made.row.recipient, nth=2, opened_at=T0, next_call_at=T0)


@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET {} = {}"])
@pytest.mark.parametrize(
    ("table", "column"),
    [("escalation_case", "opened_at"), ("escalation_reasonheld", "since"), ("escalation_caseact", "at")],
)
def test_what_a_case_was_can_not_be_rewritten(statement, table, column):
    lost()
    calling.call(now=T0 + HOUR, most=10)
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table, column, column))


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_open_one_case_and_say_so_once():
    made = [lost(f"order-{number}", parcel=f"P{number}") for number in range(8)]
    begin = threading.Barrier(2)
    called: list[int] = []

    def sweep() -> None:
        begin.wait()
        try:
            called.append(calling.call(now=T0 + HOUR, most=100))
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(called) == len(made)
    assert Case.objects.count() == len(made)
    assert CaseAct.objects.count() == len(made)
    assert ReasonHeld.objects.count() == len(made)

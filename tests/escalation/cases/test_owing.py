"""A case says that a result is owed for too long: from its time on, once, while nothing shows that it arrived."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from escalation.cases import owing
from escalation.cases.minding import Minder, put_off
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.models import Case, CaseAct, Owing, ReasonHeld, Waiting
from escalation.models.case import Act, CaseReason
from escalation.policy import EVERY_RECIPIENT, Role
from escalation.queue import Group, Question, placed
from operations import recording
from operations.core.missing import Fact
from operations.models import Delivery
from operations.recording import calling, delivering
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.closings import decided as closing_decided
from tests.escalation.closings import may_close
from tests.escalation.closings import now as closing_now
from tests.escalation.decisions.risks import DAY, taker
from tests.escalation.people import with_role
from tests.operations.dispatching import KEY
from tests.operations.dispatching import lost as lost_at_the_desk

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
LATE = T0 + HOUR


@pytest.fixture
def settled() -> Made:
    """An operation that the desk learnt to have happened, after its reply was lost; its agent is named."""
    made = operation()
    made.timed_out(now=T0)
    made.issued("T-1", now=T0)
    return made


def reasons(made: Made) -> set[str]:
    held = ReasonHeld.objects.filter(case__operation=made.id, case__closed_at=None, ended_at=None)
    return set(held.values_list("reason", flat=True))


def arrives(made: Made, *, now=LATE, step=delivering.Step.ACKNOWLEDGED, event="told:1") -> None:
    row = made.row
    delivering.collect(row, call="", run="", by="key unr_a", now=now)
    delivering.tell(row.id, delivering.Told(event=event, step=step, links=row.links), by="key unr_a", now=now)


def in_our_record(made: Made, *, now=T0) -> None:
    with recording.writing(made.id, now=now) as pen:
        recording.complete(pen, receipt=made.row.observations.get(channel="reply").id, by="mira")
        pen.finish()


def test_inside_its_time_nothing_opens(settled):
    assert owing.call(now=LATE - SECOND, most=10) == 0
    assert not Case.objects.filter(closed_at=None).exists()


def test_where_what_settled_it_is_the_agent_s_own_word_nobody_waits():
    made = operation()
    made.learns(
        "reply", now=T0, attempt="a1", status=201, body=made.says("issued", at=T0, ticket="T-1"), by="key unr_agent"
    )
    assert not Owing.objects.exists()
    assert owing.call(now=T0 + DAY, most=10) == 0


def test_where_no_agent_run_or_call_is_named_nobody_waits_until_somebody_fetches_it():
    made = operation(origin=recording.Origin())
    made.issued("T-1", now=T0)
    assert not Owing.objects.exists()
    delivering.collect(made.row, call="", run="", by="key unr_a", now=T0 + SECOND)
    assert Owing.objects.get().call_at == LATE


def test_what_only_closes_another_owes_nothing(collection_desk, monkeypatch):
    may_close(collection_desk, monkeypatch)
    collection_desk.control.tell(handling="accept")
    collection_desk.public.ask_for_ticket(KEY, parcel="Cedar")
    original = lost_at_the_desk()
    closing = closing_decided(original, with_role("mira", Role.OPERATOR), executor="agent").closing_id
    with recording.writing(closing, now=closing_now()) as pen:
        pen.finish()
    assert [row.pk for row in Owing.objects.all()] in ([], [original])


def test_from_its_time_on_it_is_a_reason_once_however_often_it_is_swept(settled):
    assert [owing.call(now=LATE + one, most=10) for one in (timedelta(0), HOUR, DAY)] == [1, 0, 0]
    assert reasons(settled) == {CaseReason.RESULT_OWED}
    assert ReasonHeld.objects.filter(reason=CaseReason.RESULT_OWED).count() == 1


@pytest.mark.parametrize(("named", "at"), [({"collection-desk": 60.0}, T0 + 60 * SECOND), ({"other": 60.0}, LATE)])
def test_how_long_it_may_be_owed_is_the_recipient_s_where_the_settings_name_it(settings, named, at):
    settings.OWED_WITHIN_FOR = named
    made = operation()
    made.issued("T-1", now=T0)
    assert Owing.objects.get().call_at == at


def test_the_case_ends_by_itself_as_delivery_is_evidenced(settled):
    owing.call(now=LATE, most=10)
    delivering.collect(settled.row, call="", run="", by="key unr_a", now=LATE)
    assert reasons(settled) == {CaseReason.RESULT_OWED}
    arrives(settled, now=LATE + SECOND)
    assert Case.objects.get(nth=Case.objects.count()).closed_at == LATE + SECOND
    assert not Owing.objects.exists()


def test_what_was_sent_without_a_reply_is_owed_still(settled):
    owing.call(now=LATE, most=10)
    arrives(settled, step=delivering.Step.SENT)
    assert reasons(settled) == {CaseReason.RESULT_OWED}


def test_what_arrived_in_time_calls_nobody(settled):
    arrives(settled, now=LATE - SECOND)
    assert owing.call(now=LATE + DAY, most=10) == 0


def test_a_decision_is_owed_too_and_its_reason_stands_beside_the_others():
    made = operation()
    made.timed_out(now=T0)
    calling.call(now=LATE, most=10)
    person = with_role("mira", Role.REVIEWER)
    leave_unresolved(
        made.id,
        taker(made, person, now=LATE),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada",
        look_again_at=LATE + DAY,
        remark="",
    )
    assert owing.call(now=LATE + HOUR, most=10) == 1
    assert reasons(made) == {CaseReason.UNKNOWN_TOO_LONG, CaseReason.LEFT_UNRESOLVED, CaseReason.RESULT_OWED}
    arrives(made, now=LATE + 2 * HOUR)
    assert reasons(made) == {CaseReason.UNKNOWN_TOO_LONG, CaseReason.LEFT_UNRESOLVED}


def test_what_is_contradicted_is_settled_no_more_and_owed_no_more(settled):
    owing.call(now=LATE, most=10)
    settled.recorded("closed", now=LATE + SECOND)
    assert not Owing.objects.exists()
    assert reasons(settled) == {CaseReason.CONFLICT}


def test_what_our_record_says_stands_in_the_queue_while_its_result_is_owed_too_long(settled):
    in_our_record(settled)
    assert not Waiting.objects.exists()
    owing.call(now=LATE, most=10)
    row = Waiting.objects.get()
    assert (row.reasons, row.situation, row.effect) == (["result_owed"], "recorded", "collection ticket")
    found, _ = placed(Question(now=LATE, reads=EVERY_RECIPIENT), after=None, size=5)
    assert [(one.number, one.group) for one in found] == [(settled.number, Group.THE_REST)]
    arrives(settled)
    assert not Waiting.objects.exists()


def test_it_can_be_put_off_and_comes_back(settled):
    owing.call(now=LATE, most=10)
    case, person = Case.objects.get(closed_at=None), with_role("mira", Role.REVIEWER)
    put_off(settled.id, Minder(person=person, seen=case.revision, now=LATE), until=LATE + HOUR, note="")
    assert Waiting.objects.get().left_until == LATE + HOUR
    assert owing.call(now=LATE + HOUR / 2, most=10) == 0


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_say_it_once():
    made = operation(contract=contract_of())
    made.issued("T-1", now=T0)
    begin = threading.Barrier(2)
    found = []

    def sweep():
        begin.wait()
        try:
            found.append(owing.call(now=LATE, most=10))
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(found) == 1
    assert list(CaseAct.objects.filter(act__in=[Act.OPENED, Act.OPENED_AGAIN]).values_list("reason", flat=True)) == [
        CaseReason.RESULT_OWED
    ]
    assert not Delivery.objects.exists()

"""A case calls its chain: one step at a time, each once a round, again when nobody answers, and never while it is quiet."""

import threading
from datetime import datetime, timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from escalation.access.chains import Step, set_chain
from escalation.cases import minding
from escalation.cases.calling import LOOK_AGAIN, OWNER_HAS, call
from escalation.cases.minding import Minder
from escalation.cases.pacing import SEEN_FOR
from escalation.cases.waking import wake
from escalation.models import Call, Case, CaseAct, Team, User
from escalation.models.case import Act
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import by, with_role
from tests.escalation.teams.made import MINUTE, chain, cover, rota, team, weekly

pytestmark = pytest.mark.django_db
OPENED = T0 + HOUR


def opened(identity: str = "order-1001") -> Made:
    """An operation whose reply was lost an hour ago, so that its case was opened at `OPENED`."""
    made = operation(identity)
    made.timed_out(now=T0 + timedelta(seconds=10))
    calling.call(now=OPENED, most=10)
    return made


def case_of(made: Made) -> Case:
    return Case.objects.get(operation=made.id)


def swept(at: datetime) -> list[tuple[int, int, str]]:
    """Sweep once, and return what that called: round, step, and whom."""
    known = set(Call.objects.values_list("pk", flat=True))
    call(now=at, most=10)
    fresh = Call.objects.exclude(pk__in=known).order_by("pk")
    return [(one.round, one.step, str(one.person or one.team or one.webhook)) for one in fresh]


def passed_over(made: Made) -> list[str]:
    return list(CaseAct.objects.filter(case__operation=made.id, act=Act.PASSED_OVER).values_list("note", flat=True))


def seen(made: Made, person: User, at: datetime) -> Minder:
    return Minder(person=person, seen=case_of(made).revision, now=at)


@pytest.fixture
def ada() -> User:
    return with_role("ada", Role.REVIEWER)


@pytest.fixture
def ben() -> User:
    return with_role("ben", Role.REVIEWER)


@pytest.fixture
def fallback(ada: User, ben: User) -> Team:
    """A team that owns the rest: ada is called, ten minutes later ben, and after twenty it begins again."""
    made = team("Desk", ada, ben, owns="")
    chain(made, (ada, 10), (ben, 20))
    return made


def test_where_no_team_owns_it_nobody_is_called_and_it_is_looked_at_again():
    made = opened()
    revision = case_of(made).revision
    assert swept(OPENED) == []
    case = case_of(made)
    assert (case.round, case.step, case.next_call_at, case.chain) == (1, 0, OPENED + LOOK_AGAIN, None)
    assert (case.revision, passed_over(made)) == (revision, [])


def test_a_chain_that_comes_later_is_called_then(ada):
    opened()
    swept(OPENED)
    chain(team("Desk", owns=""), (ada, 10))
    assert swept(OPENED + LOOK_AGAIN) == [(1, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_nothing_is_called_before_its_time():
    opened()
    swept(OPENED)
    assert swept(OPENED + 10 * MINUTE - timedelta(microseconds=1)) == []


@pytest.mark.usefixtures("fallback")
def test_while_somebody_has_seen_it_nobody_is_called_and_then_the_chain_goes_on(ada):
    made = opened()
    assert swept(OPENED) == [(1, 1, "ada")]
    minding.acknowledge(made.id, seen(made, ada, OPENED + 9 * MINUTE))
    assert swept(OPENED + 9 * MINUTE + SEEN_FOR - timedelta(seconds=1)) == []
    assert swept(OPENED + 9 * MINUTE + SEEN_FOR) == [(1, 2, "ben")]


@pytest.mark.usefixtures("fallback")
def test_while_it_is_put_off_nobody_is_called_and_then_a_new_round_begins(ada):
    made = opened()
    swept(OPENED)
    minding.put_off(made.id, seen(made, ada, OPENED + MINUTE), until=OPENED + 5 * HOUR, note="")
    assert swept(OPENED + 5 * HOUR - MINUTE) == []
    wake(now=OPENED + 5 * HOUR, most=10)
    assert swept(OPENED + 5 * HOUR) == [(2, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_what_was_put_off_is_called_for_when_it_was_not_woken_in_time(ada):
    made = opened()
    minding.put_off(made.id, seen(made, ada, OPENED), until=OPENED + 2 * HOUR, note="")
    assert swept(OPENED + 3 * HOUR) == [(1, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_what_wakes_it_before_its_time_calls_at_once(ada):
    made = opened()
    swept(OPENED)
    minding.put_off(made.id, seen(made, ada, OPENED + MINUTE), until=OPENED + 40 * HOUR, note="")
    calling.call(now=T0 + 24 * HOUR, most=10)  # the window is about to close
    assert swept(T0 + 24 * HOUR) == [(2, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_one_more_reason_ends_what_was_seen_and_calls_the_next_step_at_once(ada):
    made = opened()
    swept(OPENED)
    late = T0 + 24 * HOUR
    minding.acknowledge(made.id, seen(made, ada, late - MINUTE))
    calling.call(now=late, most=10)
    assert swept(late) == [(1, 2, "ben")]


@pytest.mark.usefixtures("fallback")
def test_a_closed_case_calls_nobody():
    made = opened()
    swept(OPENED)
    made.issued("T-1", now=OPENED + MINUTE)
    assert swept(OPENED + HOUR) == []


@pytest.mark.usefixtures("fallback")
def test_a_step_that_was_called_is_not_called_again_by_a_second_sweep():
    opened()
    assert swept(OPENED) == [(1, 1, "ada")]
    assert swept(OPENED) == []


@pytest.mark.usefixtures("fallback")
def test_the_database_refuses_a_second_call_of_a_step():
    made = opened()
    swept(OPENED)
    Case.objects.filter(operation=made.id).update(step=1)
    assert swept(OPENED + 10 * MINUTE) == []  # and the log says why


@pytest.mark.owner
@pytest.mark.usefixtures("fallback")
@pytest.mark.parametrize("statement", ["DELETE FROM escalation_call", "UPDATE escalation_call SET step = 7"])
def test_a_call_stays_as_it_was(statement):
    opened()
    swept(OPENED)
    with pytest.raises(DatabaseError, match="pgtrigger"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.usefixtures("fallback")
def test_when_nobody_answers_the_chain_begins_again():
    opened()
    begun = [swept(OPENED + after * MINUTE) for after in (0, 10, 30, 40, 60)]
    assert begun == [[(1, 1, "ada")], [(1, 2, "ben")], [(2, 1, "ada")], [(2, 2, "ben")], [(3, 1, "ada")]]


@pytest.mark.usefixtures("fallback")
def test_after_an_hour_without_a_worker_the_step_that_is_due_is_called_and_the_next_waits_its_whole_time():
    opened()
    assert swept(OPENED) == [(1, 1, "ada")]
    back = OPENED + 70 * MINUTE  # ben was due an hour ago, and ada again after him
    assert [swept(back), swept(back + timedelta(seconds=5))] == [[(1, 2, "ben")], []]
    assert swept(back + 20 * MINUTE) == [(2, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_whoever_took_it_has_seen_it_and_is_called_before_the_chain_when_that_lapses(ada):
    made = opened()
    assert [swept(OPENED), swept(OPENED + 10 * MINUTE)] == [[(1, 1, "ada")], [(1, 2, "ben")]]
    taken = OPENED + 11 * MINUTE
    minding.take(made.id, seen(made, ada, taken))
    assert swept(taken + SEEN_FOR - MINUTE) == []
    again = taken + SEEN_FOR
    assert swept(again) == [(2, 0, "ada")]
    assert [swept(again + OWNER_HAS - MINUTE), swept(again + OWNER_HAS)] == [[], [(2, 1, "ada")]]


@pytest.mark.usefixtures("fallback")
def test_to_whom_it_is_handed_is_called_at_once(ada, ben):
    made = opened()
    swept(OPENED)
    minding.hand_over(made.id, seen(made, ada, OPENED + MINUTE), to=ben, note="The desk East is asked.")
    assert swept(OPENED + MINUTE) == [(2, 0, "ben")]


@pytest.mark.usefixtures("fallback")
def test_when_the_owners_seen_lapses_the_owner_is_called_first(ada):
    made = opened()
    minding.take(made.id, seen(made, ada, OPENED))
    minding.acknowledge(made.id, seen(made, ada, OPENED + 20 * MINUTE))
    assert [swept(OPENED + SEEN_FOR), swept(OPENED + 20 * MINUTE + SEEN_FOR)] == [[], [(1, 0, "ada")]]


@pytest.mark.usefixtures("fallback")
def test_what_is_given_back_calls_its_chain_at_once(ada):
    made = opened()
    minding.take(made.id, seen(made, ada, OPENED))
    minding.give_back(made.id, seen(made, ada, OPENED + MINUTE))
    assert swept(OPENED + MINUTE) == [(1, 1, "ada")]


@pytest.mark.usefixtures("fallback")
def test_an_owner_who_left_is_passed_over_and_the_chain_goes_on_at_once(ada, ben):
    made = opened()
    minding.take(made.id, seen(made, ben, OPENED))
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert swept(OPENED + SEEN_FOR) == [(1, 1, "ada")]
    assert passed_over(made) == ["Whoever looks after it: ben is inactive."]


@pytest.mark.usefixtures("fallback")
def test_an_inactive_person_is_passed_over_once_said_and_the_next_is_called_at_once(ada):
    User.objects.filter(pk=ada.pk).update(is_active=False)
    made = opened()
    assert [swept(OPENED), swept(OPENED + 20 * MINUTE)] == [[(1, 2, "ben")], [(2, 2, "ben")]]
    assert passed_over(made) == ["Step 1, ada: ada is inactive."]


def test_somebody_who_may_not_look_after_it_is_passed_over(ben):
    made = opened()
    chain(team("Desk", owns=""), (with_role("vic", Role.VIEWER), 10), (ben, 10))
    assert swept(OPENED) == [(1, 2, "ben")]
    assert passed_over(made) == ["Step 1, vic: vic may not look after this recipient's cases."]


def test_an_empty_rota_is_passed_over_and_the_next_step_is_called_at_once(ben):
    made = opened()
    chain(team("Desk", owns=""), (rota("Nights"), 10), (ben, 10))
    assert swept(OPENED) == [(1, 2, "ben")]
    assert passed_over(made) == ["Step 1, whoever is on call in Nights: nobody is on call."]


def test_a_team_in_which_nobody_can_answer_is_passed_over(ada, ben):
    User.objects.filter(pk=ada.pk).update(is_active=False)
    made = opened()
    chain(team("Desk", owns=""), (team("Away", ada), 10), (team("None"), 10), (ben, 10))
    assert swept(OPENED) == [(1, 3, "ben")]
    nobody = "nobody in it may look after this recipient's cases."
    assert passed_over(made) == [f"Step 1, everybody in Away: {nobody} Step 2, everybody in None: {nobody}"]


def test_a_chain_in_which_nobody_can_be_called_is_gone_through_once_a_wait_and_said_once(ada):
    User.objects.filter(pk=ada.pk).update(is_active=False)
    made = opened()
    chain(team("Desk", owns=""), (ada, 10), (rota("Nights"), 15))
    assert [swept(OPENED), swept(OPENED + 15 * MINUTE)] == [[], []]
    case = case_of(made)
    assert (case.round, case.step, case.next_call_at) == (1, 0, OPENED + 30 * MINUTE)
    assert len(passed_over(made)) == 1


def test_a_team_a_rota_and_a_webhook_are_called(ada, ben):
    opened()
    nights = rota("Nights")
    weekly(nights, ada, ben)
    desk = team("Desk", ada, owns="")
    chain(desk, (desk, 5), (nights, 5), ("pager", 5))
    assert [swept(OPENED + after * MINUTE) for after in (0, 5, 10)] == [
        [(1, 1, "Desk")],
        [(1, 2, "ada")],
        [(1, 3, "pager")],
    ]
    by_rota = Call.objects.get(step=2)
    assert (by_rota.rota, by_rota.kind, by_rota.person) == (nights, "rota", ada)


def test_whoever_covers_is_on_call(ada, ben):
    opened()
    nights = rota("Nights")
    weekly(nights, ada)
    cover(nights, ben, since=OPENED, until=OPENED + HOUR)
    chain(team("Desk", owns=""), (nights, 60))
    assert [swept(OPENED), swept(OPENED + HOUR)] == [[(1, 1, "ben")], [(2, 1, "ada")]]


@pytest.mark.usefixtures("fallback")
def test_another_chain_begins_a_new_round_with_its_first_step(ben, fallback):
    opened()
    swept(OPENED)
    chain(fallback, (ben, 10))
    assert swept(OPENED + 10 * MINUTE) == [(2, 1, "ben")]


@pytest.mark.usefixtures("fallback")
def test_one_case_that_goes_wrong_keeps_no_other_waiting():
    first, _ = opened(), opened("order-1002")
    chain_of = case_of(first)
    Call.objects.create(case=chain_of, round=1, step=1, kind="webhook", webhook="x", at=OPENED)
    assert swept(OPENED) == [(1, 1, "ada")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("fallback")
def test_two_sweeps_at_once_on_two_connections_call_each_step_once():
    made = [opened(f"order-{number}") for number in range(8)]
    begin = threading.Barrier(2)
    called: list[int] = []

    def sweep() -> None:
        begin.wait()
        try:
            called.append(call(now=OPENED, most=100))
        finally:
            connection.close()

    threads = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(called) == len(made)
    assert sorted(Call.objects.values_list("case__operation", flat=True)) == sorted(one.id for one in made)
    assert set(Case.objects.values_list("step", flat=True)) == {2}


def test_a_chain_that_is_set_is_called_by_the_next_sweep_but_for_what_is_quiet(ada):
    root = by(with_role("root", Role.ADMINISTRATOR), at=OPENED + MINUTE)
    seen_, _ = opened(), opened("order-1002")
    swept(OPENED)
    minding.acknowledge(seen_.id, seen(seen_, ada, OPENED))
    set_chain(team("Desk", owns="").pk, [Step(ada, 10)], by=root)
    assert swept(OPENED + MINUTE) == [(1, 1, "ada")]
    assert case_of(seen_).next_call_at == OPENED + SEEN_FOR

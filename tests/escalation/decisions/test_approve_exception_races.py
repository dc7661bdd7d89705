"""Two real connections at one risk: one of two people accepts it, and evidence that comes meanwhile is never passed by."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import uuid4

import pytest
from django.db import connection

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.approve_exception import ChangedSinceProposed, NotWaiting, approve, decline
from escalation.decisions.business_exception import NotUsable, propose, use
from escalation.models import BusinessException, User
from escalation.policy import Role
from operations import models, recording
from operations.core.standing import Evidence
from tests.escalation.building import T0, Made, operation
from tests.escalation.decisions.risks import NOW, accepted, owner, proposed, risk, taker
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)
ROUNDS = 5


def lost(turn: int) -> Made:
    made = operation(f"order-{turn}", parcel=f"Cedar {turn}")
    made.timed_out(now=T0 + MINUTE)
    return made


@pytest.fixture
def people() -> tuple[User, User, User]:
    """One who proposes and two who may accept."""
    return with_role("mira", Role.REVIEWER), owner("ida"), owner("lena")


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Let each act on a connection of its own at the same moment; return what each led to, its refusal included."""
    ready = Barrier(len(acts))

    def act(one: Callable[[], object]) -> object:
        try:
            connection.ensure_connection()
            ready.wait(timeout=30)
            return one()
        except (StaleView, NotAllowed, NotWaiting, NotUsable, ChangedSinceProposed, recording.NotPermitted) as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(act, acts))


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_people_who_accept_at_once_one_does(people, turn):
    mira, ida, lena = people
    made = lost(turn)
    row = proposed(made, mira)
    first, second = taker(made, ida), taker(made, lena)
    found = at_once(lambda: approve(row.pk, first, remark="ida"), lambda: approve(row.pk, second, remark="lena"))
    assert sorted([type(one).__name__ for one in found]) == ["BusinessException", "StaleView"]
    assert models.Decision.objects.filter(operation=made.id).count() == 2
    stands = BusinessException.objects.get()
    assert stands.approved_by is not None
    assert stands.remark == stands.approved_by.username


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_one_who_accepts_and_one_who_declines_at_once_one_does(people, turn):
    mira, ida, lena = people
    made = lost(turn)
    row = proposed(made, mira)
    first, second = taker(made, ida), taker(made, lena)
    found = at_once(lambda: approve(row.pk, first, remark=""), lambda: decline(row.pk, second, remark="No."))
    assert sorted([type(one).__name__ for one in found]) == ["BusinessException", "StaleView"]
    stands = BusinessException.objects.get()
    assert (stands.approved_at is None) != (stands.declined_at is None)


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_evidence_that_comes_while_somebody_accepts_is_kept_and_leaves_nothing_to_use(people, turn):
    mira, ida, _ = people
    made = lost(turn)
    row = proposed(made, mira)
    seen = taker(made, ida)
    found = at_once(lambda: approve(row.pk, seen, remark=""), lambda: made.issued("T-1", now=NOW + MINUTE))
    assert made.row.evidence == Evidence.APPLIED
    stands = BusinessException.objects.get()
    assert isinstance(found[0], StaleView) == (stands.approved_by is None)
    successor = operation(f"order-{uuid4()}", parcel="Elm")
    with pytest.raises(recording.NotPermitted), recording.writing(made.id, now=NOW + MINUTE) as pen:
        use(pen, stands, successor=successor.id, by=mira)


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_the_same_form_sent_twice_at_once_proposes_once(people, turn):
    mira, _, _ = people
    made = lost(turn)
    form = taker(made, mira)
    found = at_once(lambda: propose(made.id, form, risk=risk()).pk, lambda: propose(made.id, form, risk=risk()).pk)
    assert found == [BusinessException.objects.get().pk] * 2
    assert models.Decision.objects.filter(operation=made.id).count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_an_exception_is_used_once_by_two_who_use_it_at_once(people, turn):
    mira, ida, _ = people
    made = lost(turn)
    row = accepted(made, mira, ida)
    successors = [operation(f"order-{uuid4()}", parcel=f"Elm {turn} {nth}").id for nth in range(2)]

    def using(successor):
        def used() -> BusinessException:
            with recording.writing(made.id, now=NOW) as pen:
                return use(pen, row, successor=successor, by=mira)

        return used

    found = at_once(*[using(successor) for successor in successors])
    assert sorted([type(one).__name__ for one in found]) == ["BusinessException", "NotUsable"]
    assert BusinessException.objects.get().successor_id in successors

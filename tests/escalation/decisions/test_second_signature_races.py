"""Real connections at one proposal: it is proposed once, signed once, and never signed past what came meanwhile."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.second_signature import decline, withdraw
from escalation.decisions.signing import NAMED, NotSignable
from escalation.decisions.taking import SecondNeeded
from escalation.models import RecordRepair, SecondSignature, User
from escalation.policy import May, Role
from operations import models, recording
from tests.escalation.building import T0, Made, operation
from tests.escalation.decisions.risks import NOW, taker
from tests.escalation.decisions.two_people import proposed, repairs, rule, signing
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)
ROUNDS = 5
REFUSED = (StaleView, NotAllowed, NotSignable, SecondNeeded, recording.NotPermitted)


def happened(turn: int) -> Made:
    made = operation(f"order-{turn}", parcel=f"Cedar {turn}")
    made.issued(f"T-{turn}", now=T0 + MINUTE)
    return made


@pytest.fixture
def people() -> tuple[User, User, User]:
    """One who proposes and two who may sign."""
    rule(May.REPAIR_RECORD)
    return with_role("asha", Role.REVIEWER), with_role("ben", Role.REVIEWER), with_role("lena", Role.REVIEWER)


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Let each act on a connection of its own at the same moment; return what each led to, its refusal included."""
    ready = Barrier(len(acts))

    def act(one: Callable[[], object]) -> object:
        try:
            connection.ensure_connection()
            ready.wait(timeout=30)
            return one()
        except REFUSED as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(act, acts))


def kinds(found: list[object]) -> list[str]:
    return sorted([type(one).__name__ for one in found])


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_one_form_sent_twice_at_once_proposes_once(people, turn):
    asha, _, _ = people
    made = happened(turn)
    form, decide = taker(made, asha), repairs(made)
    found = at_once(*[lambda: proposed(made, asha, decide, by=form).pk] * 2)
    assert found == [SecondSignature.objects.get().pk] * 2
    assert not models.Decision.objects.exists()


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_who_sign_at_once_one_decides(people, turn):
    asha, ben, lena = people
    made = happened(turn)
    decide = repairs(made)
    row = proposed(made, asha, decide)
    forms = [signing(made, ben, row), signing(made, lena, row)]
    found = at_once(lambda: decide(forms[0]), lambda: decide(forms[1]))
    assert kinds(found) in (["NotSignable", "RecordRepair"], ["RecordRepair", "StaleView"])
    decision = models.Decision.objects.get()
    row.refresh_from_db()
    assert row.signature == decision
    assert row.ended_by == User.objects.get(username=decision.decided_by)
    assert decision.content[NAMED]["proposed_by"] == "asha"


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_one_signature_sent_twice_at_once_decides_once(people, turn):
    asha, ben, _ = people
    made = happened(turn)
    decide = repairs(made)
    row = proposed(made, asha, decide)
    form = signing(made, ben, row)
    found = at_once(lambda: decide(form), lambda: decide(form))
    assert kinds(found) == ["RecordRepair", "RecordRepair"]
    assert (models.Decision.objects.count(), RecordRepair.objects.count()) == (1, 1)


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("other", ["declines", "takes it back"])
def test_what_one_ends_while_another_signs_ends_one_way(people, turn, other):
    asha, ben, lena = people
    made = happened(turn)
    decide = repairs(made)
    row = proposed(made, asha, decide)
    form = signing(made, ben, row)

    def end() -> object:
        if other == "declines":
            return decline(row.pk, person=lena, reason="The wrong parcel.", now=NOW)
        return withdraw(row.pk, person=asha, reason="", now=NOW)

    found = at_once(lambda: decide(form), end)
    row.refresh_from_db()
    signed = row.ended_as == "signed"
    assert kinds(found) == (["NotSignable", "RecordRepair"] if signed else ["NotSignable", "SecondSignature"])
    assert models.Decision.objects.count() == RecordRepair.objects.count() == int(signed)


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_nobody_signs_past_a_contradiction_that_comes_at_once(people, turn):
    asha, ben, _ = people
    made = happened(turn)
    decide = repairs(made)
    row = proposed(made, asha, decide)
    form = signing(made, ben, row)
    at_once(lambda: decide(form), lambda: made.recorded("closed", now=NOW))
    row.refresh_from_db()
    for decision in models.Decision.objects.all():  # signed first: then it stood on what was known
        assert (decision.standing["conflict"], row.signature_id) == (False, decision.pk)
    if row.signature_id is None:
        with pytest.raises((NotSignable, recording.NotPermitted)):
            decide(replace(signing(made, ben, row, now=NOW + MINUTE)))


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_who_proposes_and_who_decides_alone_at_once_leave_no_decision_of_one(people, turn):
    asha, ben, _ = people
    made = happened(turn)
    decide, form = repairs(made), taker(made, ben)
    found = at_once(lambda: proposed(made, asha, decide), lambda: decide(form))
    assert kinds(found) == ["SecondNeeded", "SecondSignature"]
    assert not models.Decision.objects.exists()

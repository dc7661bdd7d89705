"""Two connections at once at one original: one successor and one clear 409, or evidence that is stored and judged."""

from datetime import UTC, datetime, timedelta

import pytest

from escalation.models import NewOperation
from escalation.policy import Role
from operations import models
from tests.escalation.building import HOUR, Made, operation
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.people import with_role
from tests.escalation.successors import closed, typed
from tests.escalation.views.test_leave_races import at_once, posts

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5
MINUTE = timedelta(minutes=1)


def ended(turn: int) -> Made:
    return closed(f"order-{turn}", now=datetime.now(UTC) - HOUR, parcel=f"Cedar {turn}")


def lost(turn: int) -> Made:
    made = operation(f"order-{turn}", now=datetime.now(UTC) - HOUR, parcel=f"Cedar {turn}")
    made.timed_out(now=datetime.now(UTC) - 50 * MINUTE)
    return made


def one_successor() -> bool:
    counts = {NewOperation.objects.count(), models.Successor.objects.count(), models.Grant.objects.count()}
    return counts == {1} and models.Operation.objects.count() == 2


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_two_authorisers_one_gets_a_successor_and_one_a_409(turn):
    lena, noor = with_role("lena", Role.AUTHORISER), with_role("noor", Role.AUTHORISER)
    made = ended(turn)
    both = [posts(who, "new_operation", made, typed(made, f"new-{who}-{turn}")) for who in (lena, noor)]
    answers = at_once(*both)
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    assert one_successor()


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_one_request_number_for_two_originals_binds_one_operation(turn):
    lena, noor = with_role("lena", Role.AUTHORISER), with_role("noor", Role.AUTHORISER)
    first, second = ended(turn), ended(turn + 100)
    answers = at_once(
        posts(lena, "new_operation", first, typed(first, "new-1")),
        posts(noor, "new_operation", second, typed(second, "new-1")),
    )
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "belongs to another operation already" in refused.text
    assert NewOperation.objects.count() == models.Successor.objects.count() == models.Decision.objects.count() == 1


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_an_accepted_risk_is_used_for_one_of_two_successors(turn):
    lena, noor = with_role("lena", Role.AUTHORISER), with_role("noor", Role.AUTHORISER)
    made = lost(turn)
    risk = accepted(made, with_role("mira", Role.REVIEWER), owner(), now=datetime.now(UTC) - MINUTE)
    both = [posts(who, "new_operation", made, typed(made, f"new-{who}-{turn}")) for who in (lena, noor)]
    assert sorted(answer.status_code for answer in at_once(*both)) == [302, 409]
    assert one_successor()
    risk.refresh_from_db()
    assert risk.successor == NewOperation.objects.get().successor


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_evidence_that_comes_meanwhile_is_stored_and_never_passed_by(turn):
    lena = with_role("lena", Role.AUTHORISER)
    made = lost(turn)
    accepted(made, with_role("mira", Role.REVIEWER), owner(), now=datetime.now(UTC) - MINUTE)
    answer, stored = at_once(
        posts(lena, "new_operation", made, typed(made)), lambda: made.issued("T-1", now=datetime.now(UTC))
    )
    assert stored.created
    assert made.row.evidence == "applied"
    assert answer.status_code in (302, 409)
    taken = answer.status_code == 302
    assert NewOperation.objects.count() == models.Successor.objects.count() == int(taken)
    if taken:  # it stood on what was known before
        row = NewOperation.objects.get()
        assert row.decision.standing["evidence"] == "unknown"
        evidence = models.Observation.objects.filter(operation=made.id).latest("position")
        assert row.decision.position < evidence.position

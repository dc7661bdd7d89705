"""A case says that an agent asked for a person, and that the day has come to look back at a risk."""

from datetime import timedelta

import pytest

from escalation.cases.minding import Minder, put_off
from escalation.cases.reviewing import review
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.models import Case, CaseAct
from escalation.models.business_exception import Excuses, Loss
from escalation.models.case import Act, CaseReason
from escalation.policy import Role
from operations import models
from operations.core.missing import Fact
from operations.needing import ask_for_a_person
from operations.recording import Report
from operations.reporting import WORDS_CHANNEL
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.decisions.risks import DAY, accepted, owner, taker
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
SOON, LATER = T0 + timedelta(seconds=20), T0 + HOUR
REVIEW = T0 + 8 * DAY
STOPPING = {"excuses": Excuses.STOPPING, "loss": Loss.MISSING, "review_at": REVIEW}


@pytest.fixture
def lost() -> Made:
    """An operation whose reply was lost, still inside its expected time."""
    made = operation()
    made.timed_out(now=T0 + timedelta(seconds=10))
    return made


def asks(made: Made, *, now=SOON, event: str = "person:p1") -> None:
    told = Report(event=event, channel=WORDS_CHANNEL, received_at=now, authentic=False, words="Please look at it.")
    ask_for_a_person(made.id, told, now=now, source="key:agent")


def open_case(made: Made) -> Case:
    return Case.objects.get(operation=made.id, closed_at=None)


def holding(made: Made) -> set[str]:
    return set(open_case(made).reasons.filter(ended_at=None).values_list("reason", flat=True))


def acts(made: Made) -> list[str]:
    return list(CaseAct.objects.filter(case__operation=made.id).order_by("id").values_list("act", flat=True))


def test_an_agent_s_asking_opens_a_case_before_anybody_would_be_called(lost):
    assert not Case.objects.exists()
    asks(lost)
    assert holding(lost) == {CaseReason.AGENT_ASKS}
    assert lost.row.evidence == "unknown"


def test_asking_again_adds_nothing(lost):
    asks(lost)
    asks(lost)
    asks(lost, now=LATER, event="person:p2")
    assert holding(lost) == {CaseReason.AGENT_ASKS, CaseReason.UNKNOWN_TOO_LONG}
    assert acts(lost).count(Act.OPENED) == 1


def test_it_brings_back_what_was_put_off(lost):
    lost.timed_out(now=LATER)
    mira = with_role("mira", Role.REVIEWER)
    put_off(lost.id, Minder(person=mira, seen=open_case(lost).revision, now=LATER), until=LATER + DAY, note="")
    asks(lost, now=LATER + HOUR)
    assert open_case(lost).snoozed_until is None
    assert CaseAct.objects.get(act=Act.WOKEN).note == CaseReason.AGENT_ASKS.sentence


def test_it_stands_until_a_person_decides_something(lost):
    asks(lost)
    person = with_role("mira", Role.REVIEWER)
    leave_unresolved(
        lost.id,
        taker(lost, person, now=LATER),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada",
        look_again_at=LATER + DAY,
        remark="",
    )
    assert CaseReason.AGENT_ASKS not in holding(lost)
    asks(lost, now=LATER + HOUR, event="person:p2")
    assert CaseReason.AGENT_ASKS in holding(lost)


def test_evidence_that_settles_it_ends_the_asking_with_the_case(lost):
    asks(lost)
    lost.issued("T-1", now=LATER)
    assert not Case.objects.filter(closed_at=None).exists()


@pytest.fixture
def risked(lost: Made) -> Made:
    """The same, where stopping was accepted as a risk, to be looked back at in a week."""
    first, second = with_role("lena", Role.REVIEWER), owner("ida")
    accepted(lost, first, second, now=LATER, **STOPPING)
    return lost


def test_before_its_day_no_risk_is_looked_back_at(risked):
    assert review(now=REVIEW - timedelta(seconds=1), most=10) == 0
    assert not CaseAct.objects.filter(reason=CaseReason.RISK_REVIEW).exists()


def test_on_its_day_a_risk_is_a_reason_once_however_often_it_is_swept(risked):
    assert [review(now=REVIEW + one, most=10) for one in (timedelta(0), HOUR, DAY)] == [1, 0, 0]
    assert CaseReason.RISK_REVIEW in holding(risked)
    assert open_case(risked).snoozed_until is None


def test_the_reason_lasts_until_a_person_decides_something(risked):
    review(now=REVIEW, most=10)
    risked.failed(now=REVIEW + HOUR)
    assert CaseReason.RISK_REVIEW in holding(risked)
    accepted(
        risked,
        with_role("nora", Role.REVIEWER),
        owner("omar"),
        now=REVIEW + DAY,
        **{**STOPPING, "review_at": REVIEW + 9 * DAY},
    )
    assert CaseReason.RISK_REVIEW not in holding(risked)


def test_what_was_settled_meanwhile_is_not_looked_back_at(risked):
    risked.issued("T-1", now=LATER + HOUR)
    assert review(now=REVIEW, most=10) == 0


def test_what_expired_unused_put_nothing_at_risk(lost):
    accepted(lost, with_role("lena", Role.REVIEWER), owner("ida"), now=LATER, review_at=REVIEW)
    assert review(now=REVIEW, most=10) == 0
    assert models.Decision.objects.count() == 2

"""How operations that needed people ended, each way by its definition."""

import pytest

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.protected_repeat import protected_repeat
from escalation.decisions.record_repair import repair_record
from escalation.models.business_exception import Excuses, Loss
from escalation.overview.counting import plan
from escalation.overview.ended import Ended, ended
from escalation.overview.ranges import Asked
from escalation.policy import Reads, Role
from operations import models
from operations.core.missing import Fact
from tests.escalation.decisions.risks import accepted, owner, taker
from tests.escalation.overview.stages import DAY, HOUR, MINUTE, T0, Made, asked, lost
from tests.escalation.people import with_role
from tests.escalation.successors import authorised

pytestmark = pytest.mark.django_db
NOTHING = dict.fromkeys(("evidence", "repeat", "repair", "new_operation", "exception", "left_unresolved"), 0)


def only(**ways: int) -> dict[str, int]:
    return {**NOTHING, **ways}


def how(asked: Asked) -> Ended:
    return ended(asked, plan(asked.span))


def ways(found: Ended) -> dict[str, int | None]:
    return {name: getattr(found, name) for name in NOTHING}


def repeated(made: Made, *, now) -> None:
    person = with_role("repeats", Role.OPERATOR)
    protected_repeat(made.id, taker(made, person, now=now), executor="agent")


def left(made: Made, *, now, person=None) -> None:
    leave_unresolved(
        made.id,
        taker(made, person or with_role("leaves", Role.REVIEWER), now=now),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada at the desk",
        look_again_at=now + DAY,
        remark="",
    )


def test_what_is_still_open_has_ended_in_no_way():
    lost()
    assert ways(how(asked())) == NOTHING


def test_what_the_recipient_said_settles_by_evidence():
    lost().issued("T-1", now=T0 + HOUR)
    lost("order-2").recorded("closed", now=T0 + HOUR)
    assert ways(how(asked())) == only(evidence=2)


def test_what_is_settled_before_anybody_is_needed_did_not_end():
    from tests.escalation.building import operation

    operation().issued("T-1", now=T0 + MINUTE)
    assert ways(how(asked())) == NOTHING


def test_what_is_settled_after_a_repeat_ended_by_the_repeat_and_not_by_evidence():
    made = lost()
    repeated(made, now=T0 + 10 * MINUTE)
    assert ways(how(asked())) == NOTHING
    made.issued("T-1", now=T0 + HOUR)
    assert ways(how(asked())) == only(repeat=1)


def test_a_record_is_repaired_once_an_operation():
    made = lost()
    made.issued("T-1", now=T0 + HOUR)
    receipt = models.Observation.objects.filter(operation=made.id).latest("position").id
    keeper = with_role("keeper", Role.REVIEWER)
    for later in (1, 2):
        repair_record(made.id, taker(made, keeper, now=T0 + later * HOUR), receipt=receipt, remark="")
    assert ways(how(asked())) == only(evidence=1, repair=1)
    assert ways(how(asked(T0 + 2 * HOUR))) == NOTHING


def test_a_risk_that_was_taken_to_stop_is_an_exception_and_one_that_was_not_is_none():
    first, second = with_role("first", Role.REVIEWER), owner()
    stop = {"excuses": Excuses.STOPPING, "loss": Loss.HAPPENED}
    accepted(lost(), first, second, now=T0 + HOUR, **stop)
    accepted(lost("order-2"), first, second, now=T0 + HOUR)  # which excuses a second operation, not created yet
    assert ways(how(asked())) == only(exception=1)


def test_a_second_operation_is_a_new_operation_and_no_exception():
    made = lost()
    accepted(made, with_role("first", Role.REVIEWER), owner(), now=T0 + 10 * MINUTE)
    authorised(made, with_role("lena", Role.AUTHORISER), by_exception=True)
    assert ways(how(asked())) == only(new_operation=1)


def test_what_is_left_again_is_left_once():
    made, person = lost(), with_role("leaves", Role.REVIEWER)
    left(made, now=T0 + HOUR, person=person)
    left(made, now=T0 + 2 * HOUR, person=person)
    assert ways(how(asked())) == only(left_unresolved=1)
    assert ways(how(asked(T0 + 2 * HOUR))) == NOTHING


def test_ways_of_other_times_and_recipients_are_not_counted():
    made = lost()
    made.issued("T-1", now=T0 + HOUR)
    left(lost("order-2"), now=T0 + HOUR)
    assert ways(how(asked(T0 - DAY, T0 + HOUR))) == NOTHING
    other = lost("order-3", key="other-desk")
    here = Reads(frozenset([other.row.recipient_id]))
    assert ways(how(asked(reads=here))) == NOTHING

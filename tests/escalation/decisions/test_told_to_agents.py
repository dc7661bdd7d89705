"""Every door of this desk has a word in which an agent is told of its decisions."""

import pytest

from escalation.decisions import (
    approve_exception,
    business_exception,
    close_original,
    leave_unresolved,
    new_operation,
    record_repair,
)
from operations.api.decided import SAYS, Says


@pytest.mark.parametrize(
    ("door", "says"),
    [
        (record_repair.NAME, Says.RECORDED),
        (business_exception.NAME, Says.RISK_PROPOSED),
        (approve_exception.APPROVE, Says.RISK_ACCEPTED),
        (approve_exception.DECLINE, Says.RISK_DECLINED),
        (new_operation.NAME, Says.NEW_OPERATION_AUTHORISED),
        (close_original.NAME, Says.CLOSING_AUTHORISED),
        (leave_unresolved.NAME, Says.LEFT_UNRESOLVED),
    ],
)
def test_a_door_says_what_was_decided_and_no_more(door, says):
    assert SAYS[door] is says

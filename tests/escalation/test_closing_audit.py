"""What was decided about closing an original, and the link, are in the chain: whoever changes either is found."""

from datetime import timedelta

import pytest

from escalation.policy import Role
from operations import models
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.closings import closing_contract, decided
from tests.escalation.people import with_role
from tests.escalation.test_verify_audit import ran, tampered
from tests.operations.auditing.superuser import execute

__all__ = ["tampered"]
pytestmark = [pytest.mark.owner, pytest.mark.django_db(transaction=True)]


def asked_to_close():
    """An original whose reply was lost, and the request that closes it, for the agent to send."""
    made = operation()
    made.timed_out(now=T0 + timedelta(minutes=1))
    closing_contract()
    decided(made.id, with_role("mira", Role.OPERATOR), executor="agent", at=T0 + HOUR)
    return made


def test_a_clean_record_of_a_closing_is_clean(tampered):
    asked_to_close()
    assert ran()[0] == 0


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE escalation_closeoriginal SET takes_back = 'undone'", "differs from its decision in takes_back"),
        ("DELETE FROM escalation_closeoriginal", "removed. Only its decision is left."),
        ("UPDATE operations_closing SET named_by = 'somebody'", "closing"),
        ("UPDATE operations_closing SET reference = 'pi_2'", "closing"),
        ("DELETE FROM operations_closing", "removed"),
    ],
)
def test_whoever_changes_what_was_decided_or_linked_is_found(tampered, statement, says):
    asked_to_close()
    assert execute(statement) == 1
    code, said = ran()
    assert (code, says in said) == (1, True), said


def test_the_link_stands_in_the_chain_of_the_original_behind_its_decision(tampered):
    made = asked_to_close()
    link, decision = models.Closing.objects.get(), models.Decision.objects.get()
    assert (link.operation_id, link.position) == (made.id, decision.position + 1)

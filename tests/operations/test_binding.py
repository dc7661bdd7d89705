"""A contract's promises are bound to the kind of request that it is about, and to no other."""

import pytest

from operations.binding import NotOfThisContract, binding_of
from operations.recording import Origin
from tests.operations.rows import contract, request

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("more", "field", "rule"),
    [
        ({"method": "GET"}, "method", "contract_method"),
        ({"method": "post"}, "method", "contract_method"),
        ({"target": "/desks/East"}, "target", "contract_target"),
        ({"target": "/desks/East/tickets/T-1"}, "target", "contract_target"),
        ({"target": "/desks//tickets"}, "target", "contract_target"),
        ({"headers": (("idempotency-key", "order-9"),)}, "identity", "identity_not_carried"),
        ({"headers": (("idempotency-key", "order-1"),) * 2}, "identity", "identity_not_carried"),
    ],
)
def test_another_request_is_not_bound(more, field, rule):
    with pytest.raises(NotOfThisContract) as refused:
        binding_of(contract(), request(**more), origin=Origin())
    assert (refused.value.field, refused.value.rule) == (field, rule)


def test_what_is_bound_says_its_effect_and_what_it_is_about():
    one = binding_of(contract(), request(), origin=Origin(agent="a"))
    other = binding_of(contract(), request("order-2", place="West"), origin=Origin())
    assert one.effect == "Issue one collection ticket for parcel Cedar at desk East"
    assert one.subject == other.subject != ""
    assert (one.identity_known, one.origin.agent) == (True, "a")


def test_a_request_that_carries_no_identity_is_bound_and_known_by_its_callers_name_alone():
    one = binding_of(contract(), request(headers=()), origin=Origin())
    assert (one.identity_known, one.representation.identity) == (False, "order-1")


def test_the_letter_case_of_a_header_does_not_matter():
    asked = request(headers=(("Idempotency-Key", "order-1"), ("Content-Type", "application/json")))
    assert binding_of(contract(), asked, origin=Origin()).identity_known

"""A payment order at Modern Treasury: the key keeps successes only, so no repeat is sure to be harmless."""

import pytest

from operations.contracts.asked import question
from operations.contracts.specimen import representation
from operations.core.facts import Claim, Correlation
from operations.core.protection import ProtectionReason
from operations.core.standing import Evidence
from tests.contracts.library_readings import Case, named

ORDER = {
    "id": "c5f4009c-bdd6-4cc1-84b2-17974ac9e77a",
    "amount": 20000,
    "direction": "credit",
    "currency": "USD",
    "originating_account_id": "0f8e3719-3dfd-4613-9bbf-c0333781b59f",
    "receiving_account_id": "5acec2ef-987b-4260-aa97-b719eeb0a8d5",
    "external_id": "payout-77",
    "status": "sent",
}


def lost() -> Case:
    """Return an order whose reply was lost."""
    case = Case("modern-treasury")
    case.send()
    case.learn("wire", fact="reset")
    return case


def test_a_repeat_is_not_permitted_while_failures_leave_no_trace():
    case = lost()
    assert case.standing().protection_reason is ProtectionReason.OUTCOMES_NOT_COVERED
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


def test_an_empty_list_is_no_sign_that_there_is_no_order():
    case = lost()
    assert case.learn("list", status=200, json_body=[]).says is Claim.INDETERMINATE
    assert case.standing().evidence is Evidence.UNKNOWN


def test_the_first_resource_of_another_route_is_not_our_order():
    case = lost()
    counterparty = {"id": "0f0f0f0f-0000-4000-8000-000000000001", "object": "counterparty", "status": "approved"}
    assert case.learn("reply", status=200, json_body=counterparty).correlation is Correlation.WEAK
    assert case.standing().evidence is Evidence.UNKNOWN


@pytest.mark.parametrize("other", [{"amount": 25000}, {"direction": "debit"}, {"external_id": "payout-78"}])
def test_an_order_that_differs_in_anything_bound_is_somebody_else_s(other):
    assert lost().learn("reply", status=200, json_body=ORDER | other).correlation is Correlation.MISMATCH


@pytest.mark.parametrize("status", ["cancelled", "denied", "failed", "returned", "reversed"])
def test_an_order_that_is_over_settles_nothing_about_copies(status):
    case = lost()
    assert case.learn("list", status=200, json_body=[ORDER | {"status": status}]).says is Claim.INDETERMINATE
    assert "propose_new" not in case.may()


def test_a_status_that_nobody_explains_is_read_as_nothing():
    assert lost().learn("reply", status=200, json_body=ORDER | {"status": "pending"}).says is Claim.INDETERMINATE


def test_the_list_is_asked_by_the_number_that_the_request_carried():
    document = named("modern-treasury")
    asked = question(document, "list", request=representation(document))
    assert (asked.target, asked.asked_by) == ("/api/payment_orders?external_id=payout-77&per_page=100", "identity")


def test_an_order_is_found_again_among_others():
    case = lost()
    found = case.learn("list", status=200, json_body=[ORDER | {"external_id": None, "amount": 5}, ORDER])
    assert (found.says, found.effect_refs) == (Claim.APPLIED, (ORDER["id"],))
    assert "record" in case.may()


def test_two_orders_under_one_number_are_a_duplicate():
    case = lost()
    case.learn("list", status=200, json_body=[ORDER, ORDER | {"id": "11111111-1111-4111-8111-111111111111"}])
    assert len(case.standing().effect_refs) == 2

"""An operation is bound once, with its first attempt, or nothing is written at all."""

from threading import Barrier, Thread

import pytest
from django.db import connection, connections

from operations import models, reading
from operations.core.facts import Sends
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.operation import INFERRED
from operations.recording import ConfrontsOpenOperation, NewProposal, register
from operations.recording.pen import bound_row, row_of
from tests.operations.rows import BY, NOW, binding, contract, intent, later, observed, registered, request

pytestmark = pytest.mark.django_db


def counts():
    return models.Operation.objects.count(), models.Attempt.objects.count()


def test_another_representation_under_the_same_identity_is_a_new_proposal_and_nothing_is_written():
    first = registered()
    with pytest.raises(NewProposal) as refused:
        register(binding(request(parcel="Oak")), intent=intent("a2"), now=later(5), by=BY)
    assert refused.value.operation_id == first.operation_id
    assert "/body/parcel" in [difference.pointer for difference in refused.value.comparison.differences]
    assert counts() == (1, 1)


def test_a_fresh_identity_about_the_same_parcel_confronts_the_open_operation_and_nothing_is_written():
    first = registered()
    with pytest.raises(ConfrontsOpenOperation) as refused:
        register(binding(request("order-2", place="West")), intent=intent("a2"), now=later(5), by=BY)
    assert refused.value.operation_id == first.operation_id
    assert counts() == (1, 1)


def test_a_person_may_say_that_both_are_meant():
    registered()
    asked = binding(request("order-2", place="West"))
    assert register(asked, intent=intent("a2"), now=later(5), by=BY, independent=True).created


def test_a_settled_operation_confronts_nobody():
    first = registered()
    observed(first.operation_id, "applied", effect_refs=("T-1",))
    assert register(binding(request("order-2")), intent=intent("a2"), now=later(90), by=BY).created


def test_another_parcel_confronts_nobody():
    registered()
    assert register(binding(request("order-2", parcel="Oak")), intent=intent("a2"), now=later(5), by=BY).created


def test_the_same_request_at_another_recipient_is_another_operation():
    registered()
    assert registered(contract=contract("other")).created


def test_the_same_registration_again_is_the_same_operation():
    first, again = registered(), registered()
    assert (first.created, again.created) == (True, False)
    assert again.operation_id == first.operation_id
    assert counts() == (1, 1)


def test_an_identity_that_was_not_sent_still_names_one_operation():
    first, again = [registered(identity_known=False, subject="") for _ in range(2)]
    assert (first.created, again.created, again.operation_id) == (True, False, first.operation_id)
    assert models.Operation.objects.get().protection_reason == "identity_unknown"


def test_an_operation_and_its_first_attempt_are_one_statement(django_assert_num_queries):
    asked = binding(subject="")
    with django_assert_num_queries(3) as queries:  # a savepoint around it, in a test
        register(asked, intent=intent(), now=NOW, by=BY)
    assert [query["sql"].split()[0] for query in queries] == ["SAVEPOINT", "WITH", "RELEASE"]


def test_what_was_asked_for_is_kept_to_the_byte():
    asked = request(body=b'{"parcel": 1.0}\n', arguments=b'{"parcel": 1.0, "place": "East"}')
    found = models.Operation.objects.get(id=registered(asked).operation_id)
    assert reading.representation(found) == asked
    assert found.digest == asked.digest
    assert found.effect == "Issue one collection ticket for parcel 1.0 at desk East"


def test_a_new_operation_is_unknown_and_its_record_is_not_complete():
    found = models.Operation.objects.get(id=registered().operation_id)
    assert (found.evidence, found.finality) == ("unknown", "unestablished")
    assert (found.protection, found.protection_reason) == ("unestablished", "record_incomplete")
    assert found.situation == "anything else"
    assert ["what_else_was_sent", []] in found.missing


def test_the_first_link_of_the_chain_is_the_bound_request():
    found = models.Operation.objects.get(id=registered().operation_id)
    attempt = found.attempts.get()
    first = link(NOTHING_BEFORE, bound_row(found))
    assert attempt.position == 1
    assert bytes(attempt.digest) == link(first, row_of(attempt))
    assert (bytes(found.head), found.links) == (bytes(attempt.digest), 2)


def test_an_operation_has_a_number_for_the_phone():
    one, two = registered(), registered(request("order-2", parcel="Oak"))
    numbers = models.Operation.objects.in_bulk([one.operation_id, two.operation_id])
    assert numbers[two.operation_id].number > numbers[one.operation_id].number


def test_facts_are_what_was_recorded():
    found = reading.operation(registered().operation_id)
    (sent,) = found.facts.attempts
    assert (sent.id, sent.at, sent.sends, sent.scope) == ("a1", NOW.timestamp(), Sends.ONE, "desk/main")
    assert found.facts.operation.identity_known
    assert not found.facts.operation.attempts_complete


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("identities", [("order-1", "order-1"), ("order-1", "order-2")])
def test_of_two_at_once_one_is_bound(identities):
    """The same identity is one operation; two identities about one parcel confront each other."""
    asked = [binding(request(identity)) for identity in identities]
    start, ended = Barrier(2), []

    def run(number):
        start.wait(timeout=10)
        try:
            ended.append(register(asked[number], intent=intent(), now=NOW, by=BY).created)
        except ConfrontsOpenOperation:
            ended.append(False)
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert sorted(ended) == [False, True]
    assert counts() == (1, 1)
    connection.close()


def test_the_first_link_is_of_what_can_never_change_alone():
    """The version that an operation is judged by changes later, under the name of its column too."""
    found = registered()
    row = models.Operation.objects.get(id=found.operation_id)
    changing = {field.attname for field in models.Operation._meta.concrete_fields if field.name in INFERRED}
    assert changing.isdisjoint(bound_row(row))
    assert "judged_by_id" in changing

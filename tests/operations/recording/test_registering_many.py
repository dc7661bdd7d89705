"""Many are registered in one transaction, each as it would be alone; two batches at once don't wait in a ring."""

from itertools import count
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection, connections

from operations import models
from operations.models.chain import NOTHING_BEFORE, link
from operations.recording import (
    AttemptDiffers,
    ConfrontsOpenOperation,
    NewProposal,
    Registered,
    register,
    register_many,
    registering_many,
)
from operations.recording.pen import bound_row, row_of
from tests.operations.rows import BY, NOW, binding, contract, intent, later, observed, registered, request

pytestmark = pytest.mark.django_db


def wanted(identity, *, attempt="a1", parcel=None, **more) -> Any:
    return binding(request(identity, parcel=parcel or f"parcel of {identity}"), **more), intent(attempt)


def many(*items, now=NOW) -> Any:
    return register_many(items, now=now, by=BY)


def counts() -> Any:
    return models.Operation.objects.count(), models.Attempt.objects.count()


def test_nothing_is_registered_of_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert many() == []


def test_each_refused_one_stops_no_other():
    first = registered()
    found = many(
        wanted("order-2"),
        (binding(request(place="West")), intent()),
        (binding(), intent(scope="desk/other")),
        wanted("order-3", parcel="Cedar"),
        wanted("order-4"),
    )
    kinds = [type(one) for one in found]
    assert kinds == [Registered, NewProposal, AttemptDiffers, ConfrontsOpenOperation, Registered]
    assert found[1].operation_id == found[3].operation_id == first.operation_id
    assert counts() == (3, 3)


def test_what_is_written_is_what_would_be_written_alone():
    (found,) = many(wanted("order-1"))
    alone = register(*[wanted("order-1", contract=contract("other"))[0]], intent=intent(), now=NOW, by=BY)
    one, other = (
        models.Operation.objects.get(id=found.operation_id),
        models.Operation.objects.get(id=alone.operation_id),
    )
    different = {"id", "number", "recipient_id", "contract_id", "head"}
    for field in models.Operation._meta.concrete_fields:
        if field.attname not in different:
            assert getattr(one, field.attname) == getattr(other, field.attname), field
    attempt = one.attempts.get()
    assert bytes(attempt.digest) == link(link(NOTHING_BEFORE, bound_row(one)), row_of(attempt))
    assert (bytes(one.head), one.links) == (bytes(attempt.digest), 2)


def test_one_on_record_answers_though_another_is_open_about_the_same():
    first = registered()
    register(binding(request("order-2")), intent=intent(), now=NOW, by=BY, independent=True)
    (found,) = many((binding(), intent()))
    assert found == Registered(first.operation_id, created=False)


def test_a_settled_one_on_record_confronts_nobody_in_its_batch():
    first = registered()
    observed(first.operation_id, "applied", effect_refs=("T-1",))
    found = many((binding(), intent()), wanted("order-2", parcel="Cedar"), now=later(90))
    assert [one.created for one in found] == [False, True]


def test_an_identity_that_was_not_sent_still_names_one_operation():
    found = many(*[wanted("order-1", identity_known=False, subject="") for _ in range(2)])
    assert [one.created for one in found] == [True, False]
    assert counts() == (1, 1)


def test_two_of_unknown_identity_about_one_thing_confront_each_other():
    found = many(*[wanted(name, parcel="Cedar", identity_known=False) for name in ("order-1", "order-2")])
    assert isinstance(found[1], ConfrontsOpenOperation)
    assert found[1].operation_id == found[0].operation_id


def test_the_same_identity_at_two_recipients_is_two_operations():
    found = many(wanted("order-1"), wanted("order-1", contract=contract("other")))
    assert [one.created for one in found] == [True, True]


@pytest.mark.django_db(transaction=True)
def test_two_batches_at_once_register_each_identity_once():
    """In opposite order, so that they would wait for each other if each took its own."""
    contract()
    items = [wanted(f"order-{number}") for number in range(60)]
    start, ended = Barrier(2), []

    def run(some) -> Any:
        start.wait(timeout=10)
        try:
            ended.append(register_many(some, now=NOW, by=BY))
        finally:
            connections.close_all()

    threads = [Thread(target=run, args=(some,)) for some in (items, items[::-1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(ended) == 2
    assert counts() == (60, 60)
    assert sum(isinstance(one, Registered) and one.created for outcomes in ended for one in outcomes) == 60
    connection.close()


def test_an_identity_that_is_taken_while_the_batch_is_written_is_on_record(monkeypatch):
    """Whoever looked first wrote second: the rest of the batch is written all the same."""
    first = registered(request("order-2"), subject="")
    monkeypatch.setattr(registering_many, "_holders", _blind_once())
    found = many(
        *[wanted(f"order-{number}", subject="") for number in (1, 3)],
        (binding(request("order-2"), subject=""), intent()),
    )
    assert [one.created for one in found] == [True, True, False]
    assert found[2].operation_id == first.operation_id
    assert counts() == (3, 3)


def _blind_once() -> Any:
    """What is on record is not seen at the first look, as if it had come a moment later."""
    see, looks = registering_many._holders, count()
    return lambda some: see(some) if next(looks) else {}

"""Each item of a batch comes out as it would alone, a bad one stops no other, and the whole again changes nothing."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from operations import models
from tests.operations.api.calls import NOTHING, changed, program, registration, reply, rows
from tests.operations.granted import granted
from tests.operations.rows import NOW, later

pytestmark = pytest.mark.django_db

NAMED = {"recipient": "desk", "identity": "order-1"}
FACT = {"event": "f1", "attempt": "a1", "fact": "timeout"}
WORDS = {"event": "w1", "words": "Done."}


def item(kind, body, **more) -> Any:
    return {"kind": kind, **body, **more}


def register(number, **more) -> Any:
    return item("register", registration(f"order-{number}", parcel=f"parcel-{number}", **more))


def sent(caller, items, **more) -> Any:
    found = caller.post("/batch", {"items": items, **more})
    assert found.status == 200, found.body
    assert [one["index"] for one in found.body["results"]] == list(range(len(items)))
    return found.body["results"]


def outcomes(caller, items, **more) -> Any:
    """Each item's status, with the rule of its problem."""
    found = sent(caller, items, **more)
    return [(one["status"], one["body"].get("type", "").removeprefix("urn:unresolved:")) for one in found]


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        ({}, "/items", "missing"),
        ({"items": []}, "/items", "too_short"),
        ({"items": [{}] * 1001}, "/items", "too_long"),
        ({"items": {"0": {}}}, "/items", "list_type"),
        ({"items": [{}], "atomic": True}, "/atomic", "extra_forbidden"),
        ([], "", "model_type"),
        ("aaa", "", "model_type"),
        (None, "", "model_type"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_batch_that_is_none_is_refused_whole(wire, body, field, rule):
    found = wire.post("/batch", body)
    assert (found.status, found.wrong) == (422, [(field, rule)])
    assert rows() == NOTHING


BAD = [
    (None, "", "model_type"),
    ([], "", "model_type"),
    ({}, "/kind", "one_of"),
    ({"kind": ["register"]}, "/kind", "one_of"),
    ({"kind": "decide"}, "/kind", "one_of"),
    (changed(register(1), "/identity", ...), "/identity", "missing"),
    (changed(register(1), "/request/method", "PUT"), "/request/method", "contract_method"),
    (item("seal", {}), "", "which"),
    (item("seal", {}, recipient="desk"), "", "which"),
    (item("seal", {}, operation="0" * 32, **NAMED), "/operation", "is_instance_of"),
    (item("seal", {}, operation="x" * 36), "/operation", "uuid"),
    (item("begin", {"id": "a2"}, **NAMED), "/sends", "missing"),
    (item("reply", reply(), **NAMED, channel="record"), "/channel", "channel"),
]


@pytest.mark.parametrize(("bad", "field", "rule"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_item_is_named_and_stops_no_other(wire, bad, field, rule):
    found = sent(wire, [register(1), bad, register(2)])
    assert [one["status"] for one in found] == [201, 422, 201]
    (error,) = found[1]["body"]["errors"]
    assert (error["field"], error["rule"]) == (field, rule)
    assert models.Operation.objects.count() == 2


def test_each_item_is_refused_as_it_would_be_alone(wire, operation):
    assert outcomes(
        wire,
        [
            item("register", registration(place="West")),
            item("register", registration("order-2")),
            item("register", changed(registration(), "/attempt/sends", "many")),
            item("register", registration(recipient="other")),
            item("begin", {"id": "a2", "sends": "one"}, **NAMED),
            item("words", WORDS, **NAMED),
            item("seal", {}, recipient="desk", identity="nobody's"),
            item("seal", {}, operation="00000000-0000-0000-0000-000000000000"),
        ],
    ) == [
        (409, "new_proposal"),
        (409, "confronts_open_operation"),
        (409, "attempt_differs"),
        (403, "missing_recipient"),
        (409, "not_permitted"),
        (403, "missing_scope"),
        (404, "no_such_operation"),
        (404, "no_such_operation"),
    ]
    assert rows() == (1, 1, 0, 0, 0)


def test_an_agents_batch_says_words_and_nothing_of_the_wire(agent, operation):
    assert outcomes(
        agent,
        [item("reply", reply(), **NAMED), item("fact", FACT, **NAMED), item("seal", {}, **NAMED),
         item("words", WORDS, **NAMED)],
    ) == [(403, "missing_scope")] * 3 + [(201, "")]  # fmt: skip


def test_a_journal_is_shipped_in_order(wire, clock):
    clock.shift(30)
    items = [item("register", registration()), item("fact", FACT, **NAMED), item("seal", {}, **NAMED)]
    items[0]["attempt"]["begun_at"] = "2026-05-04T09:00:00Z"
    found = sent(wire, items)
    bound = models.Operation.objects.get()
    with_grant = {"grant": str(granted(bound.id, now=later(30))), "digest": bound.digest}
    more = [
        item("begin", {"id": "a2", "sends": "one", **with_grant}, **NAMED),
        register(2),
        item("reply", reply(attempt="a2"), **NAMED),
    ]
    found += sent(wire, more)
    assert [one["status"] for one in found] == [201, 201, 200, 201, 201, 201]
    assert rows() == (2, 3, 2, 2, 1)
    assert models.Operation.objects.get(identity="order-1").evidence == "applied"
    assert found[5]["body"]["standing"] is None


def test_sent_again_it_changes_nothing(wire, clock):
    items = [item("register", registration()), item("fact", FACT, **NAMED), item("seal", {}, **NAMED), register(2)]
    first = sent(wire, items)
    before = rows(), list(models.Operation.objects.order_by("id").values("revision", "head"))
    clock.shift(60)
    again = sent(wire, items)
    assert [one["status"] for one in again] == [200, 200, 200, 200]
    assert [one["body"].get("operation") for one in again] == [one["body"].get("operation") for one in first]
    assert (rows(), list(models.Operation.objects.order_by("id").values("revision", "head"))) == before


def test_the_batchs_clock_stands_for_items_that_have_none(wire):
    items = [register(1), register(2, clock="2026-05-04T08:59:55Z")]
    for one in items:
        one["attempt"]["begun_at"] = "2026-05-04T07:59:50Z"
    sent(wire, items, clock="2026-05-04T08:00:00Z")
    begun = models.Attempt.objects.order_by("operation__identity").values_list("begun_at", flat=True)
    assert [(NOW - at).total_seconds() for at in begun] == [10, 3605]


def test_the_same_identity_twice_in_a_batch_is_one_operation(wire):
    items = [register(1), register(1, attempt="a2"), changed(register(1), "/request/scope", "desk/other"), register(1)]
    assert outcomes(wire, items) == [(201, ""), (200, ""), (409, "new_proposal"), (200, "")]
    assert rows() == (1, 1, 0, 0, 0)


def test_two_identities_about_one_thing_in_a_batch_confront_each_other(wire):
    found = sent(wire, [item("register", registration("order-1")), item("register", registration("order-2"))])
    assert [one["status"] for one in found] == [201, 409]
    assert found[1]["body"]["operation"] == found[0]["body"]["operation"]
    assert rows() == (1, 1, 0, 0, 0)


def test_a_thousand_registrations_are_a_few_statements(wire, django_assert_max_num_queries):
    items = [register(number) for number in range(1000)]
    with django_assert_max_num_queries(20):
        found = sent(wire, items)
    assert {one["status"] for one in found} == {201}
    assert rows()[:2] == (1000, 1000)


def test_a_thousand_duplicates_are_a_few_statements(wire, django_assert_max_num_queries):
    items = [register(number) for number in range(1000)]
    sent(wire, items)
    with django_assert_max_num_queries(20):
        found = sent(wire, items)
    assert {one["status"] for one in found} == {200}


identities, parcels, places = (
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from(["Cedar", "Oak"]),
    st.sampled_from(["E", "W"]),
)
asked = st.builds(
    lambda identity, parcel, place, attempt: item(
        "register", registration(identity, parcel=parcel, place=place, attempt=attempt)
    ),
    identities,
    parcels,
    places,
    st.sampled_from(["a1", "a2"]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(asked, min_size=1, max_size=6))
def test_a_batch_comes_out_as_the_single_calls_would(items):
    """Two desks that know nothing of each other: one is told item by item, the other all at once."""
    alone, together = f"alone-{models.Operation.objects.count()}", f"together-{models.Operation.objects.count()}"
    caller = program("transport", recipients=(alone, together))
    single = [
        caller.post("/operations", {k: v for k, v in one.items() if k != "kind"} | {"recipient": alone})
        for one in items
    ]
    found = sent(caller, [{**one, "recipient": together} for one in items])
    for one, other in zip(single, found, strict=True):
        assert one.status == other["status"]
        assert _unnamed(one.body, alone) == _unnamed(other["body"], together)
    assert (
        models.Operation.objects.filter(recipient__key=alone).count()
        == models.Operation.objects.filter(recipient__key=together).count()
    )


def _unnamed(body, recipient) -> Any:
    """The body with the operation's identity in the place of its id."""
    row = models.Operation.objects.get(id=body["operation"], recipient__key=recipient)
    return {**json.loads(json.dumps(body)), "operation": row.identity}

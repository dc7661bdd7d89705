"""A list comes in pages that show every operation once, whatever is registered meanwhile."""

import base64
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from operations.api.pages import Filters, cursor_after
from operations.models.identifiers import uuid7
from tests.operations.api.calls import program, registration
from tests.operations.rows import NOW, observed

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(wire, clock) -> Any:
    """Three operations, the oldest first."""
    ids = []
    for number, parcel in enumerate(("Cedar", "Oak", "Yew")):
        more: Any = {"origin": {"agent": f"agent-{number}", "run": "r1"}}
        ids.append(wire.post("/operations", registration(f"order-{number}", parcel=parcel, **more)).body["operation"])
        clock.shift(10)
    return ids


def listed(reader, **filters) -> Any:
    found = reader.get(f"/operations?{urlencode(filters)}")
    assert found.status == 200, found.body
    return [one["id"] for one in found.body["items"]]


WRONG_CURSORS = {
    "no base64": "%%%",
    "empty": "",
    "no JSON": base64.urlsafe_b64encode(b"nothing").decode().rstrip("="),
    "another shape": base64.urlsafe_b64encode(b'{"v": 1}').decode().rstrip("="),
    "another version": base64.urlsafe_b64encode(json.dumps([2, uuid7(NOW).hex]).encode()).decode().rstrip("="),
    "no id": base64.urlsafe_b64encode(b'[1, "x"]').decode().rstrip("="),
    "a number": base64.urlsafe_b64encode(b"[1, 7]").decode().rstrip("="),
    "deep": base64.urlsafe_b64encode(b"[" * 100).decode().rstrip("="),
    "spelt otherwise": cursor_after(uuid7(NOW)) + "=",
    "long": "A" * 201,
    "not ASCII": "é",
}


@pytest.mark.parametrize("cursor", WRONG_CURSORS.values(), ids=WRONG_CURSORS)
def test_a_cursor_that_is_none_of_ours_is_refused(reader, three, cursor):
    found = reader.get(f"/operations?{urlencode({'cursor': cursor})}")
    assert (found.status, found.wrong[0][0]) == (422, "cursor")


@pytest.mark.parametrize(
    ("query", "field", "rule"),
    [
        ("limit=0", "limit", "greater_than_equal"),
        ("limit=201", "limit", "less_than_equal"),
        ("limit=all", "limit", "int_parsing"),
        ("evidence=maybe", "evidence", "enum"),
        ("conflict=perhaps", "conflict", "bool_parsing"),
        ("created_since=2026-05-04", "created_since", "rfc_3339"),
        ("identity=a%00b", "identity", "no_control"),
        ("offset=10", "offset", "extra_forbidden"),
        ("limit=1&limit=2", "limit", "given_twice"),
        ("recipient=", "recipient", "string_too_short"),
    ],
)
def test_a_wrong_parameter_is_named(reader, three, query, field, rule):
    found = reader.get(f"/operations?{query}")
    assert (found.status, found.wrong) == (422, [(field, rule)])
    assert found.body["errors"][0]["at"] == "query"


def test_the_newest_comes_first(reader, three):
    assert listed(reader) == three[::-1]


def test_pages_show_every_operation_once_while_others_come(reader, wire, three):
    first = reader.get("/operations?limit=1").body
    wire.post("/operations", registration("order-9", parcel="Elm"))
    second = reader.get(f"/operations?limit=1&cursor={first['next']}").body
    third = reader.get(f"/operations?limit=1&cursor={second['next']}").body
    assert [page["items"][0]["id"] for page in (first, second, third)] == three[::-1]
    assert third["next"] is None


def test_the_last_page_says_that_it_is_the_last(reader, three):
    found = reader.get("/operations?limit=3").body
    assert (len(found["items"]), found["next"]) == (3, None)


FILTERS = [
    ({"identity": "order-1"}, [1]),
    ({"agent": "agent-2"}, [2]),
    ({"run": "r1"}, [2, 1, 0]),
    ({"run": "r2"}, []),
    ({"evidence": "applied"}, [1]),
    ({"finality": "settled"}, [1]),
    ({"protection": "active"}, [0]),
    ({"sealed": "true"}, [0]),
    ({"sealed": "false"}, [2, 1]),
    ({"conflict": "true"}, [2]),
    ({"conflict": "false"}, [1, 0]),
    ({"created_since": "2026-05-04T09:00:10Z"}, [2, 1]),
    ({"created_before": "2026-05-04T09:00:10Z"}, [0]),
    ({"created_before": "2026-05-04T11:00:10+02:00"}, [0]),
    ({"recipient": "desk", "evidence": "unknown", "sealed": "false"}, [2]),
]


@pytest.mark.parametrize(("filters", "places"), FILTERS, ids=lambda value: str(value)[:60])
def test_filters_are_joined_by_and(reader, wire, three, filters, places):
    wire.post(f"/operations/{three[0]}/seal", {})
    observed(three[1], "applied", effect_refs=("T-1",), at=15)
    for number, claim in enumerate(("applied", "closed")):
        observed(three[2], claim, event=f"e{number}", at=25)
    assert listed(reader, **filters) == [three[place] for place in places]


def test_every_filter_is_tried():
    tried = {name for filters, _ in FILTERS for name in filters} | {"limit", "cursor"}
    assert set(Filters.model_fields) - tried == {"call", "tool"}  # as run, column for column


def test_a_key_for_two_recipients_sees_both_or_one(three):
    both = program("transport", "read", recipients=("desk", "other"))
    there = both.post("/operations", registration(recipient="other")).body["operation"]
    assert listed(both) == [there, *three[::-1]]
    assert listed(both, recipient="other") == [there]


def test_a_page_is_one_statement_for_its_rows(reader, three, django_assert_num_queries):
    with django_assert_num_queries(3) as queries:  # the key, that it was used, the page
        reader.get("/operations")
    assert sum("operations_operation" in query["sql"] for query in queries) == 1

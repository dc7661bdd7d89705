"""Whatever is sent, the answer is a problem that names the fault, nothing is written, and the desk stays up."""

import json
from typing import Any

import pytest
from django.test import RequestFactory
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from operations import models
from operations.api.door import MOST_BYTES, MOST_BYTES_OF_A_BATCH
from tests.operations.api.calls import NOTHING, Program, program, registration, reply, rows

pytestmark = pytest.mark.django_db

RIGHT = json.dumps(registration()).encode()
BODIES = {
    "nothing": (b"", "", "missing"),
    "no JSON": (b"hello", "", "syntax"),
    "cut off": (RIGHT[:-1], "", "syntax"),
    "more than one value": (RIGHT + b"{}", "", "trailing_text"),
    "not UTF-8": (b'{"identity": "\xff"}', "", "utf_8"),
    "a byte order mark": (b"\xef\xbb\xbf" + RIGHT, "", "byte_order_mark"),
    "a name twice": (b'{"recipient": "desk", "recipient": "other"}', "/recipient", "duplicate_name"),
    "a name twice below": (b'{"attempt": {"id": "a", "id": "b"}}', "/attempt/id", "duplicate_name"),
    "NaN": (b'{"identity": NaN}', "/identity", "not_a_number"),
    "infinite": (b'{"identity": 1e999}', "/identity", "number_too_large"),
    "many digits": (b'{"identity": ' + b"9" * 5000 + b"}", "/identity", "number_too_large"),
    "half a pair": (b'{"identity": "\\ud800"}', "/identity", "lone_surrogate"),
    "deep": (b'{"origin": ' + b"[" * 17 + b"]" * 17 + b"}", "", "too_deep"),
    "very deep": (b"[" * 100_000, "", "too_deep"),
    "very deep objects": (b'{"a":' * 100_000, "", "too_deep"),
    "a list": (b"[]", "", "model_type"),
    "text": (b'"aaa"', "", "model_type"),
    "a number": (b"7", "", "model_type"),
    "null": (b"null", "", "model_type"),
}


@pytest.mark.parametrize(("body", "field", "rule"), BODIES.values(), ids=BODIES)
def test_a_body_that_two_readers_could_understand_differently_is_refused(wire, body, field, rule):
    found = wire.call("POST", "/operations", body)
    assert found.status == 422
    assert found.headers["Content-Type"] == "application/problem+json"
    assert found.wrong[0] == (field, rule)
    assert rows() == NOTHING


def test_a_thousand_unknown_fields_are_named_by_the_first(wire):
    found = wire.post("/operations", {**registration(), **{f"field {number}": 1 for number in range(1000)}})
    assert (found.status, len(found.body["errors"])) == (422, 20)
    assert "1000 fields are wrong" in found.body["detail"]


def test_a_long_name_is_named_cut_off(wire):
    found = wire.post("/operations", {**registration(), "é\u202e" * 100_000: 1})
    assert found.status == 422
    assert len(json.dumps(found.body)) < 4_000


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_another_kind_of_content_is_not_read(wire, kind):
    found = wire.call("POST", "/operations", RIGHT, CONTENT_TYPE=kind)
    assert (found.status, found.rule) == (415, "not_json")
    assert rows() == NOTHING


def test_an_encoded_body_is_not_unpacked(wire):
    found = wire.call("POST", "/operations", RIGHT, HTTP_CONTENT_ENCODING="gzip")
    assert (found.status, found.rule) == (415, "encoded")


@pytest.mark.parametrize("length", ["", "-1", "many", "1e3", "²"])
def test_a_body_of_unknown_length_is_not_read(wire, length):
    found = wire.call("POST", "/operations", RIGHT, CONTENT_LENGTH=length)
    assert (found.status, found.rule) == (411, "no_length")


@pytest.mark.parametrize(("address", "most"), [("/operations", MOST_BYTES), ("/batch", MOST_BYTES_OF_A_BATCH)])
def test_a_huge_body_is_refused_before_it_is_read(wire, address, most):
    class Unread:
        def read(self, *_) -> Any:
            raise AssertionError("the body was read")

    from operations.api.v1 import api

    view = next(
        one
        for router in api._get_bound_routers()
        for path, one in router.path_operations.items()
        if "/" + path.strip("/") == address
    ).get_view()
    request = RequestFactory().post("/", b"{}", content_type="application/json")
    request.META |= {"CONTENT_LENGTH": str(most + 1), "HTTP_AUTHORIZATION": f"Bearer {wire.key}"}
    request._stream = Unread()  # type: ignore[assignment]
    found = view(request)
    assert (found.status_code, json.loads(found.content)["most"]) == (413, most)


def test_a_length_of_many_digits_is_refused(wire):
    assert wire.call("POST", "/operations", RIGHT, CONTENT_LENGTH="9" * 5000).status == 413


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize("address", ["/operations", "/batch", "/operations/x/seal", "/openapi.json"])
def test_there_is_no_other_method(wire, method, address):
    found = wire.call(method, address)
    assert (found.status, found.rule) == (405, "no_such_method")
    assert found.headers["Allow"]


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE operations_operation; --", "<script>alert(1)</script>", "\u202eetalp", "💥", "%s %(a)s {0}"]
)
def test_strange_text_is_kept_as_it_is(wire, reader, text):
    body = registration(text, parcel=text, origin={"agent": text})
    found = wire.post("/operations", body)
    if found.status == 422:  # the header can't carry it
        assert found.wrong[0][0].startswith("/request/headers")
        return
    kept = models.Operation.objects.get(id=found.body["operation"])
    assert (kept.identity, kept.agent) == (text, text)
    shown = reader.get(f"/operations/{kept.id}")
    assert shown.body["identity"] == text
    assert shown.headers["Content-Type"] == "application/json"


def test_what_the_desk_fails_at_says_nothing_of_its_inside(wire, monkeypatch, caplog):
    from operations import recording

    def broken(*_, **__) -> Any:
        raise RuntimeError("a secret")

    monkeypatch.setattr(recording, "register", broken)
    found = wire.post("/operations", registration())
    assert (found.status, found.rule) == (500, "unexpected")
    assert "secret" not in json.dumps(found.body)
    assert "a secret" in caplog.text
    assert rows() == NOTHING


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def places(body, way=()) -> Any:
    yield way
    pairs = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for name, child in pairs:
        yield from places(child, (*way, name))


def put(body, way, value) -> Any:
    if not way:
        return value
    if isinstance(body, dict):
        return {**body, way[0]: put(body[way[0]], way[1:], value)}
    return [*body[: way[0]], put(body[way[0]], way[1:], value), *body[way[0] + 1 :]]


STARTS = {
    "/operations": registration(),
    "/operations/{id}/attempts": {"id": "a2", "sends": "one", "scope": "desk/main", "begun_at": "2026-05-04T09:00:00Z"},
    "/operations/{id}/replies": reply(received_at="2026-05-04T09:00:00Z"),
    "/operations/{id}/facts": {"event": "f", "attempt": "a1", "fact": "timeout"},
    "/operations/{id}/words": {"event": "w", "words": "Done."},
    "/batch": {"items": [{"kind": "register", **registration("order-2", parcel="Oak")}], "clock": None},
}


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_value_in_any_place_is_taken_or_named(data):
    caller = program("transport", "agent")
    operation = caller.post("/operations", registration("order-0", parcel="Yew")).body["operation"]
    address = data.draw(st.sampled_from(sorted(STARTS)))
    start = STARTS[address]
    way = data.draw(st.sampled_from(list(places(start))))
    body = put(start, way, data.draw(json_values))
    found = caller.call("POST", address.replace("{id}", operation), json.dumps(body).encode())
    assert found.status in (200, 201, 409, 422), found.body
    if found.status == 422:
        assert found.wrong


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
@example(b'{"items": [{"kind": "register", "deadline": "2026-05-04T09:00:00+99:99"}]}')
def test_any_bytes_are_a_problem_and_nothing_else(body):
    caller = program("transport")
    for address in ("/operations", "/batch"):
        found = caller.call("POST", address, body)
        assert found.status in (200, 422)
        assert found.status == 422 or {one["status"] for one in found.body["results"]} == {422}
    assert models.Operation.objects.count() == 0


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=80))
def test_any_query_is_answered(text):
    from urllib.parse import quote

    caller = program("read")
    for name in ("cursor", "identity", "limit", "created_since", "conflict", "evidence", "recipient"):
        assert caller.get(f"/operations?{name}={quote(text)}").status in (200, 403, 422)


def test_a_key_in_the_wrong_place_is_no_key():
    key = program("read").key
    assert Program("").get(f"/operations?key={key}").status == 401

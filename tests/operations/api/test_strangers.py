"""Every endpoint turns away whoever has no key, the wrong one, one without the scope, or one for somebody else."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern

from operations.api.door import Key
from operations.api.v1 import api, urls
from operations.keys import SCOPES
from tests.operations.api.calls import BASE, NOTHING, Program, program, registration, reply, rows

pytestmark = pytest.mark.django_db

# What a caller may do with one scope alone; the rest of the scopes is refused.
MAY = {
    ("POST", "operations"): {"transport", "agent"},
    ("GET", "operations"): {"read"},
    ("GET", "operations/{id}"): set(SCOPES),
    ("GET", "operations/{id}/standing"): set(SCOPES),
    ("POST", "operations/{id}/attempts"): {"transport", "agent", "collect"},
    ("GET", "operations/{id}/grant"): {"transport", "collect"},
    ("POST", "operations/{id}/result"): {"transport", "collect", "agent"},
    ("POST", "operations/{id}/deliveries"): {"transport", "collect", "agent"},
    ("POST", "operations/{id}/replies"): {"transport"},
    ("POST", "operations/{id}/facts"): {"transport"},
    ("POST", "operations/{id}/words"): {"agent"},
    ("POST", "operations/{id}/person"): {"agent"},
    ("POST", "operations/{id}/seal"): {"transport"},
    ("POST", "batch"): {"transport", "agent"},
    ("GET", "openapi.json"): set(SCOPES),
}
BODIES = {
    "operations": registration(),
    "attempts": {"id": "a2", "sends": "many"},
    "result": {},
    "deliveries": {"event": "e1", "step": "acknowledged", "links": 2},
    "replies": reply(),
    "facts": {"event": "e1", "attempt": "a1", "fact": "timeout"},
    "words": {"event": "e1", "words": "It is done."},
    "person": {"event": "e1", "words": "Please look at it."},
    "seal": {},
    "batch": {"items": [{"kind": "register", **registration()}]},
}


def endpoints() -> Any:
    """Every endpoint of the router, as (method, address)."""
    return [
        (method, path.strip("/").replace("{operation_id}", "{id}"))
        for router in api._get_bound_routers()
        for path, view in router.path_operations.items()
        for one in view.operations
        for method in one.methods
    ]


def send(caller, method, address, *, operation=None) -> Any:
    body = json.dumps(BODIES[address.rpartition("/")[2]]).encode() if method == "POST" else None
    return caller.call(method, "/" + address.replace("{id}", operation or str(uuid4())), body)


def test_the_table_of_scopes_names_every_endpoint():
    assert sorted(endpoints()) == sorted(MAY)


def test_every_address_is_one_of_the_routers():
    """But for the root, which is nobody's and asks to sign in."""
    addresses = {str(one.pattern).replace("<operation_id>", "{id}") for one in urls[0] if isinstance(one, URLPattern)}
    assert addresses == {address for _, address in endpoints()} | {""}
    assert Client().get(f"{BASE}/").status_code == 302


def test_every_endpoint_has_a_key_at_its_door():
    for router in api._get_bound_routers():
        for view in router.path_operations.values():
            for one in view.operations:
                assert any(isinstance(guard, Key) for guard in one.auth_callbacks)


WRONG_KEYS = {
    "none": "",
    "empty": "Bearer ",
    "another kind": "Basic dXNlcjpwYXNz",
    "no key": "Bearer swordfish",
    "an id that nobody has": f"Bearer unr_{'0' * 16}.{'A' * 43}",
    "long": "Bearer unr_" + "0" * 100_000,
    "strange": "Bearer unr_\xe9\x00.x",
}


@pytest.mark.parametrize("header", WRONG_KEYS.values(), ids=WRONG_KEYS)
@pytest.mark.parametrize(("method", "address"), MAY)
def test_without_a_valid_key_there_is_one_answer(method, address, header):
    found = send(Program(""), method, address) if not header else _with(header, method, address)
    assert (found.status, found.rule) == (401, "no_key")
    assert found.body["detail"] == "Send a valid key: Authorization: Bearer unr_<id>.<secret>."
    assert found.headers["WWW-Authenticate"] == "Bearer"
    assert rows() == NOTHING


def _with(header, method, address) -> Any:
    body = json.dumps(BODIES[address.rpartition("/")[2]]).encode() if method == "POST" else None
    return Program("").call(method, "/" + address.replace("{id}", str(uuid4())), body, HTTP_AUTHORIZATION=header)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize(("method", "address"), MAY)
def test_a_key_does_what_its_scope_says_and_nothing_else(method, address, scope):
    caller = program(scope)
    found = send(caller, method, address)
    if scope in MAY[method, address]:
        assert found.status in (200, 201, 403, 404)
        assert found.status != 403 or found.body["scope"] == "transport"  # an agent who says that it sends once
        return
    assert (found.status, found.rule) == (403, "missing_scope")
    assert set(found.body["scope"].split(" or ")) == MAY[method, address]
    assert rows() == NOTHING


@pytest.mark.parametrize(("method", "address"), [one for one in MAY if "{id}" in one[1]])
def test_an_operation_of_another_recipient_is_not_there(method, address, operation):
    stranger = program(*SCOPES, recipients=("other",))
    before = rows()
    found = send(stranger, method, address, operation=operation)
    nowhere = send(stranger, method, address)
    assert (found.status, found.rule) == (404, "no_such_operation")
    assert found.body == nowhere.body
    assert rows() == before


@pytest.mark.parametrize("recipient", ["desk", "nobody"])
def test_a_recipient_that_the_key_is_not_for_is_named_known_or_not(recipient, wire):
    stranger = program(*SCOPES, recipients=("other",))
    for found in (
        stranger.post("/operations", registration(recipient=recipient)),
        stranger.get(f"/operations?recipient={recipient}"),
    ):
        assert (found.status, found.rule, found.body["recipient"]) == (403, "missing_recipient", recipient)
    assert rows() == NOTHING


def test_a_list_shows_the_keys_recipients_alone(wire, operation):
    assert program("read", recipients=("other",)).get("/operations").body["items"] == []
    assert [one["id"] for one in program("read").get("/operations").body["items"]] == [operation]


def test_a_session_opens_no_endpoint_that_writes(client, django_user_model, operation):
    client.force_login(django_user_model.objects.create_user("somebody"))
    found = client.post(f"{BASE}/operations", json.dumps(registration()), content_type="application/json")
    assert found.status_code == 401
    assert client.get(f"{BASE}/operations/{operation}").status_code == 401


def test_there_is_nothing_that_decides():
    words = {"decide", "approve", "authorise", "repair", "record", "except", "independent", "leave_unresolved"}
    assert not [one for one in endpoints() if words & set(one[1].split("/"))]
    assert "independent" not in json.dumps(api.get_openapi_schema())

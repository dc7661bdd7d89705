"""An agent is told which operation carries its intent from now on, and begins that one's first attempt."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from operations import recording
from operations.core.actions import Action
from tests.operations.api.calls import Program, in_base64
from tests.operations.rows import BY, NOW, binding, observed, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def superseded(operation: str) -> str:
    """The id of an operation that was closed, and that a new one took the place of."""
    recording.seal(UUID(operation), now=NOW, by=BY)
    observed(operation, "closed", at=0)
    with recording.writing(UUID(operation), now=NOW) as pen:
        decision = recording.decide(
            pen,
            Action.PROPOSE_NEW,
            door="new_operation",
            once=uuid4(),
            revision=pen.operation.revision,
            content={},
            by="lena",
        )
        new = recording.succeed(
            pen, decision, binding=binding(request("order-2")), grant_ends_at=NOW + timedelta(minutes=15), by="lena"
        )
        recording.name_successor(pen, decision, successor=new, by="lena")
        pen.finish()
    return operation


def told(program: Program, operation: str) -> dict[str, Any]:
    (only,) = program.get(f"/operations/{operation}/standing").body["decisions"]
    found: dict[str, Any] = only
    return found


def test_the_original_is_repeated_no_more(wire, superseded):
    found = wire.post(f"/operations/{superseded}/attempts", {"id": "a2", "sends": "one"})
    assert (found.status, found.rule) == (409, "not_permitted")


def test_the_new_operation_is_named_with_its_exact_request(reader, superseded):
    said = told(reader, superseded)
    assert (said["says"], said["agent"]) == ("new_operation_authorised", "do_not_resend")
    new = said["superseded_by"]
    asked = request("order-2")
    assert new["identity"] == "order-2"
    assert new["request"] == {
        "method": "POST",
        "target": "/desks/East/tickets",
        "headers": [list(line) for line in asked.headers],
        "body": in_base64(asked.body or b""),
        "arguments": in_base64(asked.arguments or b""),
        "scope": "desk/main",
        "digest": asked.digest,
    }
    assert reader.get(f"/operations/{new['operation']}").body["attempts"] == []


def test_without_its_grant_the_first_attempt_does_not_begin(wire, superseded):
    new = told(wire, superseded)["superseded_by"]
    found = wire.post(f"/operations/{new['operation']}/attempts", {"id": "b1", "sends": "one"})
    assert (found.status, found.rule) == (409, "grant_needed")


def test_with_its_grant_the_first_attempt_begins_once(wire, superseded):
    new = told(wire, superseded)["superseded_by"]
    grant = wire.get(f"/operations/{new['operation']}/grant").body
    begin = {"id": "b1", "sends": "one", "grant": grant["grant"], "digest": grant["digest"]}
    assert grant["digest"] == new["request"]["digest"]
    begun = wire.post(f"/operations/{new['operation']}/attempts", begin)
    assert (begun.status, begun.body["number"]) == (201, 1)
    again = wire.post(f"/operations/{new['operation']}/attempts", {**begin, "id": "b2"})
    assert again.status == 409


def test_nobodys_name_is_told_to_the_agent(reader, superseded):
    assert "lena" not in str(told(reader, superseded))

"""An agent tells the desk over MCP, by stdio: each call may be said again, and none of it settles anything."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from operations import models, recording
from operations.keys import create_key
from tests.client.mcp.agents import ORDER, call, here, stdio, talk
from tests.client.mcp.proxied import CALL, protects, publish
from tests.operations.granted import granted

pytestmark = pytest.mark.django_db
TOOLS = ["record_operation", "record_attempt", "record_observation", "ask_permitted_actions", "collect_resolution"]
RECEIPT = {"state": "issued", "key": "order-1001", "ticket": {"number": "T-1001"}}


async def begun(client: Any) -> str:
    """The id of an operation on record, whose first attempt was given leave."""
    found = await call(client, "record_operation", **ORDER)
    told = await call(client, "record_attempt", operation=found["operation"], attempt_id="try-1")
    assert told["send"] is True
    operation: str = found["operation"]
    return operation


def seen(operation: str, **more: Any) -> dict[str, Any]:
    told = {"operation": operation, "attempt_id": "try-1", "source": "recipient", "kind": "receipt", "payload": RECEIPT}
    return {**told, **more}


def test_it_has_these_tools_and_says_of_each_what_it_changes(listening, key):
    async def says(client):
        return (await client.list_tools()).tools, client.instructions

    tools, about = talk(here(listening.url, key), says)
    assert [tool.name for tool in tools] == TOOLS
    hints = [tool.annotations for tool in tools]
    assert [hint.read_only_hint for hint in hints] == [False] * 3 + [True] * 2
    assert [(hint.destructive_hint, hint.idempotent_hint) for hint in hints[:3]] == [(False, True)] * 3
    assert "do not perform effectful calls" in about


def test_a_whole_story_said_twice_is_on_record_once(listening, key):
    async def says(client):
        one = [await call(client, "record_operation", **ORDER) for _ in range(2)]
        operation = one[0]["operation"]
        attempt = {"operation": operation, "attempt_id": "try-1"}
        two = [await call(client, "record_attempt", **attempt) for _ in range(3)]
        three = [await call(client, "record_observation", **seen(operation)) for _ in range(2)]
        return one, two, three, await call(client, "ask_permitted_actions", operation=operation)

    one, two, three, asked = talk(stdio(listening.url, key), says)
    assert one[0] == one[1]
    assert (one[0]["send_this_key"], one[0]["next"]) == ("order-1001", "held")
    assert [told["send"] for told in two] == [True, False, False]
    assert [(told["settles"], told["evidence"]) for told in three] == [(False, "unknown")] * 2
    assert (asked["evidence"], "repeat" in asked["permitted"]) == ("unknown", False)
    assert (models.Operation.objects.count(), models.Attempt.objects.count()) == (1, 1)
    assert models.Observation.objects.count() == 2  # the leave that was given, and the receipt


def test_what_is_reported_is_labelled_as_an_agents_word(listening, key):
    async def says(client):
        await call(client, "record_observation", **seen(await begun(client)))

    talk(here(listening.url, key), says)
    operation = models.Operation.objects.get()
    assert (operation.agent, operation.tool) == ("agent-reported (MCP)", "issue_ticket")
    assert all(one.words.startswith("Agent-reported: ") for one in models.Observation.objects.all())


def test_no_source_and_no_receipt_settles_anything(listening, key):
    async def says(client):
        operation = await begun(client)
        for source in ("model", "tool", "recipient", "person"):
            for number in ("order-1001", "order-9999"):
                told = seen(operation, source=source, payload={**RECEIPT, "key": number})
                yield await call(client, "record_observation", **told)

    async def all_of(client):
        return [told async for told in says(client)]

    found = talk(here(listening.url, key), all_of)
    assert [(told["evidence"], told["next"], told["settles"]) for told in found] == [("unknown", "held", False)] * 8
    operation = models.Operation.objects.get()
    assert (operation.evidence, operation.attempts.count()) == ("unknown", 1)


def test_a_second_attempt_is_never_given_leave_by_itself(listening, key):
    async def says(client):
        operation = await begun(client)
        return await call(client, "record_attempt", operation=operation, attempt_id="try-2")

    told = talk(here(listening.url, key), says)
    assert (told["send"], told["next"]) == (False, "held")
    assert "grant" in told["reason"]


def test_each_call_may_be_said_again_after_its_reply_was_lost(listening, key):
    async def twice(client, tool, /, **arguments):
        listening.loses = ""
        lost = await call(client, tool, **arguments)
        return lost, await call(client, tool, **arguments)

    async def says(client):
        lost, found = await twice(client, "record_operation", **ORDER)
        assert (lost["error"], lost["is_error"]) == ("desk_unreachable", True)
        assert "Do not perform effectful calls" in lost["says"]
        operation = found["operation"]
        return operation, [
            await twice(client, "record_attempt", operation=operation, attempt_id="try-1"),
            await twice(client, "record_observation", **seen(operation)),
            await twice(client, "ask_permitted_actions", operation=operation),
            await twice(client, "collect_resolution", operation=operation),
        ]

    operation, found = talk(stdio(listening.url, key), says)
    assert all(lost["error"] == "desk_unreachable" and lost["send"] is False for lost, _ in found)
    assert all(again["operation"] == operation and not again["is_error"] for _, again in found)
    assert (models.Operation.objects.count(), models.Attempt.objects.count()) == (1, 1)


def test_a_leave_whose_word_was_lost_is_not_given_a_second_time(listening, key):
    async def says(client):
        found = await call(client, "record_operation", **ORDER)
        attempt = {"operation": found["operation"], "attempt_id": "try-1"}
        listening.loses = "/words"
        lost = await call(client, "record_attempt", **attempt)
        return lost, await call(client, "record_attempt", **attempt)

    lost, again = talk(here(listening.url, key), says)
    assert (lost["error"], lost["send"], again["is_error"], again["send"]) == ("desk_unreachable", False, False, False)


def test_while_the_desk_is_away_it_says_that_nothing_may_be_sent(listening, key):
    async def says(client):
        listening.down = True
        return await call(client, "record_operation", **ORDER)

    told = talk(here(listening.url, key), says)
    assert (told["is_error"], told["send"], told["error"]) == (True, False, "desk_unreachable")
    assert "Do not perform effectful calls" in told["says"]
    assert models.Operation.objects.count() == 0


def test_other_bytes_under_the_same_key_are_refused(listening, key):
    async def says(client):
        await call(client, "record_operation", **ORDER)
        other = {**ORDER["request"], "body": '{"parcel": "Elm"}'}
        return await call(client, "record_operation", **{**ORDER, "request": other})

    told = talk(here(listening.url, key), says)
    assert (told["is_error"], told["error"], told["send"]) == (True, "new_proposal", False)


def test_a_fresh_key_about_the_same_thing_is_refused(listening, key):
    async def says(client):
        await call(client, "record_operation", **ORDER)
        request = {**ORDER["request"], "headers": {**ORDER["request"]["headers"], "Idempotency-Key": "order-2"}}
        return await call(client, "record_operation", **{**ORDER, "operation_key": "order-2", "request": request})

    told = talk(here(listening.url, key), says)
    assert (told["error"], told["send"]) == ("confronts_open_operation", False)


def test_what_is_owed_is_fetched_at_once_and_its_arrival_told(listening, key):
    async def says(client):
        operation = await begun(client)
        found = await call(client, "collect_resolution", operation=operation)
        return found, await call(client, "collect_resolution", operation=operation, received=found["links"])

    found, again = talk(here(listening.url, key), says)
    assert (found["next"], found["owed"], found["decisions"]) == ("held", False, [])
    assert again["error"] == "not_collected"  # nothing was owed, so nothing was given out


def test_a_repeat_that_a_person_granted_is_given_leave_once_to_a_key_that_may_fetch_it(listening):
    publish("tickets")
    protects("tickets")
    scopes = {"scopes": ["agent", "collect"], "recipients": ["tickets"]}
    key = create_key("agent", **scopes, now=datetime.now(UTC), lasts=timedelta(days=1))
    order = {"tool": "issue_ticket", "arguments": CALL, "contract": "tickets", "operation_key": "order-1001"}

    async def first(client):
        found = await call(client, "record_operation", **order)
        attempt = {"operation": found["operation"], "attempt_id": "try-1"}
        return found["operation"], (await call(client, "record_attempt", **attempt))["send"]

    operation, sent = talk(here(listening.url, key), first)
    recording.seal(UUID(operation), now=datetime.now(UTC), by="key unr_transport")  # which no agent may say
    granted(UUID(operation), now=datetime.now(UTC))

    async def then(client):
        tries = ("try-1", "try-2", "try-2", "try-3")
        return [(await call(client, "record_attempt", operation=operation, attempt_id=one))["send"] for one in tries]

    # The first id never says so again, and the grant is for one attempt.
    assert (sent, talk(here(listening.url, key), then)) == (True, [False, True, False, False])
    assert models.Attempt.objects.count() == 2

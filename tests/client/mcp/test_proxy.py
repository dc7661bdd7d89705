"""An agent's calls reach its MCP server through the proxy: on record first, at most once, and held when nobody knows."""

import json
from datetime import UTC, datetime

import pytest

from operations import models
from tests.client.mcp.proxied import CALL, Proxied, protects
from tests.operations.granted import granted
from unresolved.__main__ import main

pytestmark = pytest.mark.django_db


def test_a_guarded_call_is_on_record_and_its_answer_comes_back_as_the_server_gave_it(proxied: Proxied):
    [told] = proxied.issue()
    assert (told["is_error"], told["key"], proxied.tickets) == (False, "order-1001", 1)
    operation = models.Operation.objects.get()
    assert (operation.identity, operation.tool, operation.sealed) == ("order-1001", "issue_ticket", True)
    body = json.loads(bytes(operation.body or b""))
    assert body["params"] == {"name": "issue_ticket", "arguments": CALL}
    reply = models.Observation.objects.get()
    assert json.loads(bytes(reply.payload or b""))["result"]["isError"] is False
    assert [*models.Attempt.objects.values_list("attempt", flat=True)] == proxied.attempts()


def test_a_repeat_of_what_nobody_knows_is_held_and_never_forwarded(proxied: Proxied):
    proxied.desk.control.tell(key="order-1001", reply="truncated")
    first, again, later = [*proxied.issue(CALL, CALL), *proxied.issue()]
    assert first == {"text": "It failed: IncompleteRead", "is_error": True}  # the server's own answer
    for held in (again, later):
        assert (held["next"], held["evidence"], held["known_by"], held["is_error"]) == ("held", "unknown", "desk", True)
        assert "repeat" not in held["permitted"]
    assert (proxied.passages, proxied.tickets, len(proxied.attempts())) == (1, 1, 1)


def test_other_arguments_under_the_same_intent_are_refused(proxied: Proxied):
    _, told = proxied.issue(CALL, {**CALL, "place": "West"})
    assert (told["next"], told["sent"]) == ("refused", "no")
    assert proxied.passages == 1


def test_what_is_not_guarded_leaves_no_trace_but_in_the_wire_log(proxied: Proxied):
    async def says(client):
        tools = await client.list_tools()
        found = await client.call_tool("where_is", CALL)
        return [tool.name for tool in tools.tools], found.content[0].text

    assert proxied.talk(says) == (["issue_ticket", "where_is"], "B4")
    assert (models.Operation.objects.count(), proxied.attempts()) == (0, [])
    assert b'"where_is"' in proxied.wire


def test_progress_passes_while_a_guarded_call_is_on_its_way(proxied: Proxied):
    heard = []

    async def says(client):
        async def progress(done, total, message):
            heard.append(done)

        return (await client.call_tool("issue_ticket", CALL, progress_callback=progress)).is_error

    assert proxied.talk(says) is False
    assert heard == [1.0]


def test_away_from_the_desk_a_first_call_passes_and_is_told_later(proxied: Proxied):
    proxied.door.down = True
    told, held = proxied.issue(CALL, CALL)
    assert (told["key"], held["next"], held["known_by"]) == ("order-1001", "held", "journal")
    assert (proxied.passages, models.Attempt.objects.count()) == (1, 0)
    proxied.door.down = False
    [held] = proxied.issue()
    assert (held["next"], held["known_by"]) == ("held", "desk")
    assert [*models.Attempt.objects.values_list("attempt", flat=True)] == proxied.attempts()
    assert proxied.passages == 1


def test_strictly_nothing_passes_that_the_desk_did_not_allow(proxied: Proxied):
    proxied.options.append("--strict")
    proxied.door.down = True
    [kept] = proxied.issue()
    assert (kept["next"], kept["sent"], proxied.passages) == ("not_sent", "no", 0)
    proxied.door.down = False
    [told] = proxied.issue()
    assert (told["key"], proxied.passages) == ("order-1001", 1)


def test_without_a_journal_nothing_is_started(proxied: Proxied, monkeypatch, capsys):
    (proxied.folder / "ops.db").write_text("the shopping list\n" * 100)
    monkeypatch.setenv("UNRESOLVED_KEY", proxied.key)
    assert main(proxied.command().args[2:]) == 2
    assert "not a database" in capsys.readouterr().err


def test_within_a_task_the_same_call_is_one_intent_and_in_the_next_another(proxied: Proxied):
    proxied.options = ["--task", "shift of 4 May"]
    _, held = proxied.issue(CALL, CALL)
    assert held["next"] == "held"
    proxied.options = ["--task", "shift of 5 May"]
    [told] = proxied.issue()
    assert (told["key"], proxied.passages) == ("order-1001", 2)


def test_a_call_whose_intent_nobody_names_does_not_pass(proxied: Proxied):
    proxied.options = []
    [told] = proxied.issue()
    assert "nothing names the intent" in told
    assert (proxied.passages, proxied.attempts()) == (0, [])


def test_a_repeat_that_a_person_granted_passes_once(proxied: Proxied):
    protects("tickets")
    proxied.desk.control.tell(key="order-1001", reply="truncated")
    lost, held = proxied.issue(CALL, CALL)
    assert (lost["is_error"], held["next"], proxied.passages) == (True, "held", 1)
    granted(models.Operation.objects.get().id, now=datetime.now(UTC))
    proxied.desk.control.advance(10)  # it wants some seconds between two requests
    told, again = proxied.issue(CALL, CALL)
    assert (told["key"], again["next"]) == ("order-1001", "held")
    assert (proxied.passages, proxied.tickets, models.Attempt.objects.count()) == (2, 1, 2)

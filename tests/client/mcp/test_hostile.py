"""Whatever an agent asks, it is told which field breaks which rule, and nothing of it is on record."""

from typing import Any

import pytest

from operations import models
from tests.client import doors
from tests.client.mcp.agents import ORDER, call, here, talk
from unresolved import Desk
from unresolved.mcp.reporting import Reporter
from unresolved.mcp.tools import answered

pytestmark = pytest.mark.django_db
ID = "0190b5a0-0000-7000-8000-000000000000"
DEEP: list[object] = []
for _ in range(3_000):
    DEEP = [DEEP]

WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("record_operation", {**ORDER, "operation_key": ""}, "/operation_key", "string_too_short"),
    ("record_operation", {**ORDER, "operation_key": "k" * 256}, "/operation_key", "string_too_long"),
    ("record_operation", {**ORDER, "operation_key": "a\nb"}, "/operation_key", "string_pattern_mismatch"),
    ("record_operation", {**ORDER, "arguments": "all of them"}, "/arguments", "dict_type"),
    ("record_operation", {**ORDER, "arguments": {"n": "\ud800"}}, "/arguments", "json"),
    ("record_operation", {**ORDER, "contract": "desk' OR 1=1"}, "/contract", "string_pattern_mismatch"),
    ("record_operation", {**ORDER, "sends": "one"}, "/sends", "extra_forbidden"),
    ("record_operation", {**ORDER, "request": {"method": "POST"}}, "/request/target", "missing"),
    ("record_operation", {n: v for n, v in ORDER.items() if n != "operation_key"}, "/operation_key", "missing"),
    ("record_attempt", {"operation": "1; drop", "attempt_id": "a"}, "/operation", "string_pattern_mismatch"),
    ("record_attempt", {"operation": ID, "attempt_id": 7}, "/attempt_id", "string_type"),
    ("record_attempt", {"operation": f"../{ID}", "attempt_id": "a"}, "/operation", "string_pattern_mismatch"),
    ("record_observation", {"operation": ID, "attempt_id": "a", "source": "desk", "kind": "result", "payload": 1}, "/source", "literal_error"),
    ("record_observation", {"operation": ID, "attempt_id": "a", "source": "model", "kind": "note", "payload": "x" * 9_000}, "/payload", "too_long"),
    ("record_observation", {"operation": ID, "attempt_id": "a", "source": "model", "kind": "note"}, "/payload", "missing"),
    ("ask_permitted_actions", {}, "/operation", "missing"),
    ("collect_resolution", {"operation": ID, "received": True}, "/received", "int_type"),
]  # fmt: skip
# The desk's own rules, by the field that the agent gave.
OF_THE_DESK: list[tuple[dict[str, Any], str, str]] = [
    ({"request": {**ORDER["request"], "target": "/elsewhere"}}, "/request/target", "contract_target"),
    ({"request": {**ORDER["request"], "method": "PUT"}}, "/request/method", "contract_method"),
    ({"operation_key": "order-2"}, "/operation_key", "identity_not_carried"),
]


def told(server, *calls):
    """What the tools answer to these calls, in one session."""

    async def says(client):
        return [await call(client, tool, **arguments) for tool, arguments in calls]

    return talk(server, says)


def test_a_wrong_argument_is_named_with_its_rule(listening, key):
    found = told(here(listening.url, key), *[(tool, arguments) for tool, arguments, *_ in WRONG])
    for (tool, _, field, rule), said in zip(WRONG, found, strict=True):
        assert (said["is_error"], said["send"], said["error"]) == (True, False, "wrong_field"), tool
        assert (field, rule) in [(one["field"], one["rule"]) for one in said["fields"]], (tool, said)
    assert listening.calls == []


def test_what_the_contract_is_not_about_is_named_too(listening, key):
    found = told(here(listening.url, key), *[("record_operation", {**ORDER, **one}) for one, *_ in OF_THE_DESK])
    for (_, field, rule), said in zip(OF_THE_DESK, found, strict=True):
        assert (said["send"], said["error"]) == (False, "wrong_field")
        assert [(one["field"], one["rule"]) for one in said["fields"]] == [(field, rule)], said
    assert models.Operation.objects.count() == 0


def test_numbers_that_json_has_none_of_are_refused(listening, key):
    reporter = Reporter(desk=Desk(url=listening.url, key=key))
    found = answered(reporter, "record_operation", arguments={**ORDER, "arguments": {"n": float("nan")}})
    assert [(one["field"], one["rule"]) for one in found.structured_content["fields"]] == [("/arguments", "json")]
    assert listening.calls == []


def test_an_unknown_tool_and_an_unknown_operation_are_errors(listening, key):
    unknown, missing = told(
        here(listening.url, key), ("resolve_operation", {}), ("ask_permitted_actions", {"operation": ID})
    )
    assert (unknown["error"], missing["error"]) == ("no_such_tool", "no_such_operation")


def test_arguments_that_are_nested_without_end_put_nothing_on_record(listening, key):
    async def says(client):
        try:
            return await call(client, "record_operation", **{**ORDER, "arguments": {"deep": DEEP}})
        except Exception as error:  # noqa: BLE001  # the client's own refusal will do as well
            return {"is_error": True, "error": type(error).__name__}

    assert talk(here(listening.url, key), says)["is_error"]
    assert models.Operation.objects.count() == 0


@pytest.mark.parametrize(("scope", "rule"), [("read", "missing_scope"), ("", "no_key")])
def test_a_key_for_something_else_is_told_so(listening, db, scope, rule):
    [said] = told(here(listening.url, doors.key(scope) if scope else "unr_none"), ("record_operation", ORDER))
    assert (said["error"], said["send"], said["is_error"]) == (rule, False, True)

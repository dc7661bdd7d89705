"""A tool call is settled by nothing that the protocol says, with a task or without."""

import pytest

from operations.contracts.channel import Kind
from operations.core.facts import Claim
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence, Finality
from tests.contracts.library_readings import SENT_AT, Case, named

TASK = "786512e2-9e0d-44bd-8f29-789f320fe840"
BOTH = pytest.mark.parametrize("name", ["mcp-tools", "mcp-tasks"])
WEIGHTY = {Claim.APPLIED, Claim.CLOSED, Claim.ABSENT, Claim.PROTECTION_UNTIL}


def answered(**result):
    return {"jsonrpc": "2.0", "id": "call-tool-example", "result": result}


def made():
    """Return a tasks case whose reply named a task."""
    case = Case("mcp-tasks")
    case.send()
    case.learn("reply", status=200, json_body=answered(resultType="task", taskId=TASK, status="working"))
    return case


@BOTH
def test_no_rule_settles_a_call(name):
    document = named(name)
    assert not [rule.rule for rule in document.readings if rule.says in WEIGHTY or rule.covers_copies]


@BOTH
def test_nothing_protects_a_repeat(name):
    case = Case(name)
    case.send()
    standing = case.standing()
    assert (standing.protection, standing.protection_reason) == (Protection.ABSENT, ProtectionReason.CONTRACT_HAS_NONE)
    assert {"repeat", "propose_new"}.isdisjoint(case.may())


@BOTH
def test_a_lost_stream_leaves_nothing_to_ask_by(name):
    case = Case(name)
    case.send()
    case.learn("wire", fact="closed")
    assert case.standing().evidence is Evidence.UNKNOWN
    assert not [channel for channel in case.document.channels.values() if channel.kind is Kind.LOOKUP]


@BOTH
@pytest.mark.parametrize("failed", [True, False])
def test_a_result_is_the_tool_s_to_explain(name, failed):
    case = Case(name)
    case.send()
    reading = case.learn("reply", status=200, json_body=answered(resultType="complete", content=[], isError=failed))
    assert reading.says is (Claim.INDETERMINATE if failed else Claim.ACCEPTED)
    assert case.standing().evidence is Evidence.UNKNOWN


@BOTH
def test_an_event_stream_is_not_read_as_anything(name):
    case = Case(name)
    case.send()
    reading = case.learn("reply", status=200, body=b'event: message\ndata: {"jsonrpc": "2.0"}\n\n')
    assert (reading.rule, reading.says) == ("any_other_reply", Claim.INDETERMINATE)


def test_a_task_can_be_followed_and_settles_nothing_either():
    case = made()
    assert case.standing().evidence is Evidence.PENDING
    for status, says in (("working", Claim.PENDING), ("completed", Claim.ACCEPTED), ("failed", Claim.INDETERMINATE)):
        body = answered(resultType="complete", taskId=TASK, status=status)
        assert case.learn("task", at=SENT_AT + 20, json_body=body).says is says


def test_a_cancelled_task_may_have_acted():
    case = made()
    case.learn("task", at=SENT_AT + 20, json_body=answered(resultType="complete", taskId=TASK, status="cancelled"))
    assert case.standing().finality is Finality.POSSIBLE


def test_an_unknown_task_is_no_sign_that_nothing_was_done():
    case = made()
    gone = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "Task not found"}}
    assert case.learn("task", at=SENT_AT + 20, json_body=gone).says is Claim.INDETERMINATE
    assert case.standing().finality is Finality.POSSIBLE


def test_another_call_s_task_is_not_this_one_s():
    case = made()
    other = answered(resultType="complete", taskId="00000000-0000-4000-8000-000000000000", status="completed")
    assert case.learn("task", at=SENT_AT + 20, json_body=other).correlation == "weak"

"""A resume passes where its next input holds exactly one output for every call that is owed one, and nowhere else."""

import json

import pytest

from operations.imports import ImportRefused
from operations.imports.next_input import ABSENT, TWICE, UNDECIDED, UNTOLD, Fault, faults
from tests.operations.imports.matrix import matrix, output, request_of, state_of, without_pending_run
from tests.operations.imports.records import encoded, log, named, run


def rows(version: str):
    return [pytest.param(row, id=f"{row['mode']}-{row['json']}-{row['streamed']}") for row in matrix(version)]


@pytest.mark.parametrize("row", rows("0.22.1"))
def test_the_predecessor_fails_wherever_the_server_keeps_the_history(row):
    found = faults(state_of(row["mode"]), request_of(row))
    missing = [Fault(call_id="call_missing", name="send_sms_notice", what=ABSENT)]
    assert found == ([] if row["mode"] == "none" else missing)
    assert [fault.call_id for fault in found] == row["missing"]


@pytest.mark.parametrize("row", rows("0.24.0"))
def test_the_fix_passes_everywhere(row):
    assert faults(state_of(row["mode"]), request_of(row)) == []


def test_a_request_before_every_staged_approval_was_decided_fails():
    state = run("03a_staged_two_pending.json".removesuffix(".json"))
    early = encoded({"conversation": "conv_1", "input": [output("call_c3"), output("call_a1")]})
    assert faults(state, early) == [Fault(call_id="call_b2", name="refund_deposit", what=UNDECIDED)]


@pytest.mark.parametrize(
    ("version", "missing"), [("", []), ("__sdk0.22.1", [Fault(call_id="call_c3", name="print_label", what=ABSENT)])]
)
def test_staged_approvals_that_were_all_decided_pass_with_the_fix_alone(version, missing):
    staged = run(f"03a_staged_two_pending{version or '.json'}".removesuffix(".json"))
    assert faults(staged, log(f"03c_staged_completed{version or '.json'}".removesuffix(".json"))) == missing


def test_a_finished_state_is_checked_against_the_whole_log():
    finished, requests = (
        run("02b_mixed_missing_tool_resumed__sdk0.22.1"),
        log("02b_mixed_missing_tool_resumed__sdk0.22.1"),
    )
    assert faults(finished, requests) == [Fault(call_id="call_Sm32", name="send_sms_notice", what=ABSENT)]


def test_an_interrupted_state_without_a_pending_run_is_owed_what_it_produced():
    """Nothing waits any more; the output that was made before the interruption is owed all the same."""
    request = encoded({"conversation": "conv_7f3a", "input": [output("call_ticket")]})
    assert [fault.what for fault in faults(without_pending_run("conversation_id"), request)] == [ABSENT]


def test_an_output_that_goes_out_twice_to_a_server_that_keeps_it_fails():
    requests = [
        {
            "request": {"conversation": "conv_1", "input": [output("call_ticket"), output("call_missing")]},
            "response": None,
        },
        {"request": {"conversation": "conv_1", "input": [output("call_ticket")]}, "response": {"output": []}},
    ]
    assert [fault.what for fault in faults(state_of("conversation_id"), encoded(requests))] == [TWICE]


def test_an_output_that_stands_twice_in_one_input_fails():
    request = encoded([output("call_ticket"), output("call_ticket"), output("call_missing")])
    assert [str(fault) for fault in faults(state_of("none"), request)] == [
        "call_ticket (issue_ticket) has its output more than once."
    ]


def test_a_call_whose_identity_alone_is_left_is_owed_an_output():
    state = run("16c_parallel_one_raised_conversation")
    found = faults(state, encoded({"conversation": "conv_16c", "input": []}))
    assert [(fault.call_id, fault.what) for fault in found] == [("call_ok", ABSENT), ("call_500", ABSENT)]


@pytest.mark.parametrize("request_", [{}, {"input": 7}, 7, {"requests": []}], ids=repr)
def test_what_is_no_request_is_refused(request_):
    with pytest.raises(ImportRefused, match="request"):
        faults(state_of("none"), encoded(request_))


def test_what_is_no_state_is_refused():
    with pytest.raises(ImportRefused, match="state"):
        faults(named("chat/ch1_complete_pairs"), encoded([]))


def test_a_request_of_one_text_carries_no_output():
    assert [fault.what for fault in faults(state_of("none"), encoded({"input": "go on"}))] == [UNDECIDED, ABSENT]


DECIDED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}


@pytest.mark.parametrize(
    ("approvals", "sent", "what"),
    [
        ([], [], [UNDECIDED]),
        ([{"approved": True}], [], [UNTOLD]),
        ([{"approved": True}], [DECIDED], []),
        ([{"approved": True}], [DECIDED, DECIDED], [TWICE]),
    ],
)
def test_what_asks_first_is_owed_its_decision_and_no_output(approvals, sent, what):
    state = json.loads(state_of("none"))
    asks = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "refund", "arguments": "{}"}
    state.update(generated_items=[], session_items=[], model_responses=[{"output": [asks]}])
    state["current_step"]["data"]["interruptions"] = [{"raw_item": asks}]
    state["context"] = {"hosted_mcp_approvals": approvals}
    assert [fault.what for fault in faults(encoded(state), encoded({"input": sent}))] == what


def test_an_output_that_a_server_may_have_already_is_still_faulty_twice():
    state = json.loads(state_of("conversation_id"))
    state["model_responses"].append({"output": [], "response_id": "resp_2"})
    request = encoded({"conversation": "conv_7f3a", "input": [output("call_ticket"), output("call_ticket")]})
    assert TWICE in [fault.what for fault in faults(encoded(state), request)]

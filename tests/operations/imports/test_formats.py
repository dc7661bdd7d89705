"""What each format keeps apart, beyond the records that the real SDKs made: small records of our own."""

import json
from typing import Any

import pytest

from operations.imports import Imported, imported
from operations.imports.words import Delivered, Gate, OutputClass, Started
from tests.operations.imports.records import encoded, log, run


def read(value: Any) -> Imported:
    return imported(encoded(value))


def reasons(value: Any) -> dict[str, list[str]]:
    return {call.call_id: call.reasons for call in read(value).calls}


# Responses


def call_item(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "issue_ticket", "arguments": "{}", **more}


def output_item(call_id: str, output: Any = "T-1001") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


SAID = {"type": "message", "role": "assistant", "content": []}


def test_a_call_without_output_in_the_servers_own_list_got_none():
    found = read(
        {"object": "list", "data": [call_item("c1"), call_item("c2"), output_item("c1"), SAID], "has_more": False}
    )
    assert found.format == "conversation_items"
    assert [(call.call_id, call.delivered, call.reasons) for call in found.calls] == [
        ("c1", Delivered.REQUEST_ANSWERED, []),
        ("c2", None, ["no_output"]),
    ]


def test_an_output_that_ends_the_servers_list_has_no_reply_yet():
    [call] = read({"object": "list", "data": [call_item("c1"), output_item("c1")]}).calls
    assert (call.delivered, call.reasons) == (Delivered.SENT_NO_REPLY, ["delivery_unknown"])


def test_a_servers_list_of_the_newest_first_is_read_from_its_end():
    data = [SAID, output_item("c2"), call_item("c2"), output_item("c1", "HTTP 503"), call_item("c1")]
    found = read({"object": "list", "data": data}).calls
    assert [(call.call_id, call.delivered, call.reasons) for call in found] == [
        ("c1", Delivered.REQUEST_ANSWERED, ["output_inconclusive"]),
        ("c2", Delivered.REQUEST_ANSWERED, ["same_arguments_again_after:c1"]),
    ]
    assert found[0].pointers == {"requested": ["/data/4"], "output": ["/data/3"]}


def test_a_list_that_goes_on_elsewhere_leaves_delivery_unknown_and_says_so():
    found = read({"object": "list", "data": [call_item("c1"), output_item("c1")], "has_more": True})
    assert found.left_out == ("the list has more items than this record holds",)
    assert found.calls[0].delivered is Delivered.UNKNOWN


def test_an_output_whose_call_may_stand_on_another_page_is_not_without_one():
    assert reasons({"object": "list", "data": [output_item("c1"), SAID], "has_more": True}) == {"c1": []}


def test_parallel_calls_of_a_list_are_one_turn():
    listed = [call_item("c1"), call_item("c2"), output_item("c1", "HTTP 503"), output_item("c2"), SAID]
    assert reasons(listed) == {"c1": ["output_inconclusive"], "c2": []}


def test_a_call_after_an_answer_of_the_provider_is_another_turn():
    failed = {"type": "mcp_call", "name": "refund", "arguments": "{}", "error": "HTTP 503"}
    found = reasons([{**failed, "id": "m1"}, {**failed, "id": "m2"}])
    assert found["m2"] == ["output_inconclusive", "same_arguments_again_after:m1"]


def test_a_stateless_list_replays_what_came_before_the_models_last_item():
    found = read([call_item("c1"), output_item("c1"), SAID, call_item("c2"), output_item("c2")])
    assert found.format == "items"
    assert [call.delivered for call in found.calls] == [Delivered.REPLAYED_HISTORY, Delivered.UNKNOWN]


def test_an_output_without_its_call_is_told():
    assert reasons([SAID, output_item("c9")]) == {"c9": ["output_without_call", "delivery_unknown"]}


def test_an_output_without_its_call_in_a_whole_chain_is_told():
    chain = [{"request": {"input": [output_item("c9")]}, "response": {"output": []}, "error": None}]
    assert reasons(chain) == {"c9": ["output_without_call"]}


def test_two_outputs_of_one_call_contradict_each_other():
    assert reasons([call_item("c1"), output_item("c1", "T-1"), output_item("c1", "T-2"), SAID])["c1"] == [
        "conflicting_outputs"
    ]


def test_the_same_output_twice_is_one():
    assert reasons([call_item("c1"), output_item("c1"), output_item("c1"), SAID]) == {"c1": []}


def test_an_output_that_is_no_text_is_kept_as_it_is_written():
    [call] = read([call_item("c1"), output_item("c1", {"ticket": 1.0}), SAID]).calls
    assert call.outputs[0].text == '{"ticket": 1.0}'


def test_a_call_by_the_provider_holds_its_own_answer():
    item = {"type": "mcp_call", "id": "m1", "name": "refund", "arguments": "{}", "output": "done"}
    [call] = read([item, SAID, call_item("c1")]).calls[:1]
    assert (call.delivered, call.reasons) == (Delivered.PROVIDER_SIDE, [])


def test_an_error_of_a_call_by_the_provider_leaves_it_open():
    item = {
        "type": "mcp_call",
        "id": "m1",
        "name": "refund",
        "arguments": "{}",
        "error": {"type": "http_error", "code": 500},
    }
    assert reasons([item, SAID]) == {"m1": ["output_inconclusive"]}


@pytest.mark.parametrize("kind", ["custom_tool_call", "computer_call", "local_shell_call", "apply_patch_call"])
def test_every_kind_of_call_is_paired_with_its_output(kind):
    items = [
        {"type": kind, "call_id": "c1", "action": {"do": "x"}},
        {"type": f"{kind}_output", "call_id": "c1", "output": "done"},
        SAID,
    ]
    [call] = read(items).calls
    assert (call.produced, call.name) == (True, kind)


def test_what_the_provider_answered_is_not_waiting_for_a_request():
    item = {"type": "mcp_call", "id": "m1", "name": "refund", "arguments": "{}", "output": "done"}
    [call] = read([{"request": {"input": []}, "response": {"output": [item]}}]).calls
    assert (call.delivered, call.reasons) == (Delivered.PROVIDER_SIDE, [])


@pytest.mark.parametrize("response", [None, {"error": {"code": "server_error"}}])
def test_an_error_in_place_of_a_reply_is_no_reply(response):
    first = {"request": {"input": "hi"}, "response": {"output": [call_item("c1")]}}
    [call] = read([first, {"request": {"input": [output_item("c1")]}, "response": response}]).calls
    assert (call.delivered, call.reasons) == (Delivered.SENT_NO_REPLY, ["delivery_unknown"])


# Chat Completions


def asked(*ids: str) -> dict[str, Any]:
    calls = [{"id": one, "type": "function", "function": {"name": "issue", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(call_id: str, content: Any = "T-1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def test_several_calls_of_one_message_are_answered_in_any_order():
    assert reasons({"messages": [asked("a", "b"), tool("b"), tool("a"), {"role": "assistant"}]}) == {"a": [], "b": []}


def test_a_tool_message_after_the_assistants_next_belongs_to_no_open_call():
    found = reasons({"messages": [asked("a"), {"role": "assistant", "content": "so"}, tool("a")]})
    assert found == {"a": ["output_without_call", "no_output"]}


def test_a_transcript_that_ends_with_a_tool_message_does_not_show_its_delivery():
    assert reasons({"messages": [asked("a"), tool("a")]}) == {"a": ["delivery_unknown"]}


def test_a_transcript_may_be_the_list_itself():
    assert read([{"role": "user", "content": "go"}, asked("a"), tool("a")]).format == "chat"


def test_an_id_that_is_used_again_is_another_call():
    transcript = {"messages": [asked("a"), tool("a"), asked("a", "a"), tool("a", "T-2")]}
    found = read(transcript).calls
    assert [(call.call_id, [one.text for one in call.outputs]) for call in found] == [
        ("a", ["T-1"]),
        ("a@2", ["T-2"]),
        ("a@2.1", []),
    ]


def test_a_custom_tool_is_a_tool():
    call = {"id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    assert read({"messages": [{"role": "assistant", "tool_calls": [call]}]}).calls[0].name == "shell"


# Messages


def use(call_id: str, kind: str = "tool_use") -> dict[str, Any]:
    return {"type": kind, "id": call_id, "name": "issue", "input": {"parcel": "Cedar"}}


def result(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": [{"type": "text", "text": "T-1"}], **more}


def messages(*contents: list[dict[str, Any]]) -> dict[str, Any]:
    roles = ["assistant", "user"]
    return {"messages": [{"role": roles[index % 2], "content": one} for index, one in enumerate(contents)]}


def test_a_result_that_is_not_in_the_next_message_is_none():
    text = [{"type": "text", "text": "wait"}]
    assert reasons(messages([use("a")], text, text, [result("a")])) == {
        "a": ["result_not_in_next_message", "no_output"]
    }


def test_a_result_is_replayed_only_before_a_later_message_of_the_model():
    transcript = messages([use("a")], [result("a")])
    transcript["messages"].append({"role": "user", "content": "and now?"})
    assert reasons(transcript) == {"a": ["delivery_unknown"]}


def test_a_result_in_a_message_of_the_model_is_none():
    transcript = {"messages": [{"role": "assistant", "content": [one]} for one in (use("a"), result("a"))]}
    assert reasons(transcript) == {"a": ["no_output"]}


def test_a_result_without_a_call_is_told():
    found = reasons(messages([use("a")], [result("a"), result("b")], [{"type": "text", "text": "done"}]))
    assert found["b"] == ["output_without_call", "no_output", "identity_only"]


def test_a_call_by_the_provider_is_answered_in_its_own_message():
    block = {"type": "mcp_tool_result", "tool_use_id": "s1", "content": "done", "is_error": False}
    [call] = read(messages([use("s1", "mcp_tool_use"), block])).calls
    assert (call.delivered, call.reasons) == (Delivered.PROVIDER_SIDE, [])


def test_a_thread_that_the_server_holds_and_gets_a_result_twice_is_told():
    request = {
        "thread": {"type": "continue"},
        "messages": [{"role": "user", "content": [result("a")]}],
        "answer": "timeout",
    }
    transcript = messages([use("a")], [result("a")], [{"type": "text", "text": "done"}])
    assert reasons({**transcript, "requests": [request, request]}) == {
        "a": ["output_sent_more_than_once", "delivery_unknown"]
    }


# Agents SDK


def state(**changed: Any) -> dict[str, Any]:
    return {**json.loads(run("02_mixed_missing_tool_pending")), **changed}


@pytest.mark.parametrize(
    ("decision", "gate"),
    [
        ({"approved": ["call_Tk31"], "rejected": []}, Gate.APPROVED),
        ({"approved": [], "rejected": True}, Gate.REJECTED),
        ({"approved": ["call_other"], "rejected": []}, Gate.WAITING),
    ],
)
@pytest.mark.parametrize("where", ["approvals", "function_tool_approvals"])
def test_a_decision_that_was_not_carried_out_is_no_longer_waited_for(decision, gate, where):
    kept: Any = {"issue_ticket": decision} if where == "approvals" else [decision]
    if where == "function_tool_approvals":
        kept = [{"tool_key": "issue_ticket", "decision": decision}]
    before = state()
    [call, _] = read({**before, "context": {**before["context"], where: kept}}).calls
    assert (call.gate, call.started) == (gate, Started.NO)
    assert call.reasons == ["awaiting_decision" if gate is Gate.WAITING else "decided_not_executed"]


@pytest.mark.parametrize(
    ("agent", "gate"), [({}, Gate.APPROVED), ({"agent": {"name": "Other agent"}}, Gate.WAITING)], ids=["any", "another"]
)
def test_a_decision_counts_for_its_agent(agent, gate):
    kept = [{"tool_key": "issue_ticket", "decision": {"approved": True, "rejected": []}, **agent}]
    before = state()
    [call, _] = read({**before, "context": {**before["context"], "function_tool_approvals": kept}}).calls
    assert call.gate is gate


def hosted(**changed: Any) -> dict[str, Any]:
    """A state that waits for a person about a call of the provider's."""
    asks = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "refund", "arguments": "{}", "server_label": "pay"}
    before = state(generated_items=[], session_items=[])
    before["model_responses"] = [{"output": [asks], "response_id": "r1"}]
    before["current_step"]["data"]["interruptions"] = [{"type": "tool_approval_item", "raw_item": asks}]
    before["context"] = {**changed}
    return before


def test_a_decision_about_a_hosted_tool_is_of_no_other_tool():
    decision = [{"approved": True, "rejected": []}]
    assert read(hosted(hosted_mcp_approvals=decision)).calls[0].gate is Gate.APPROVED
    [call, _] = read(state(context={"hosted_mcp_approvals": decision})).calls
    assert call.gate is Gate.WAITING


def test_a_state_that_cannot_tell_does_not_say_that_a_tool_was_not_started():
    [call, *_] = read(state(**{"$schemaVersion": "odd", "current_step": None})).calls
    assert call.started is Started.UNKNOWN


def test_an_output_that_only_the_log_holds_fills_the_gap():
    before = state(generated_items=[], session_items=[], current_step=None)
    requests = [{"n": 1, "input": [output_item("call_Tk31")], "outcome": {"output": []}, "conversation_id": "conv_1"}]
    [call, _] = imported(encoded(before), request_log=encoded(requests)).calls
    assert (call.produced, call.persisted, call.delivered) == (True, [], Delivered.REQUEST_ANSWERED)


def test_a_call_that_only_the_log_holds_fills_the_gap():
    before = state(model_responses=[], generated_items=[], session_items=[], current_step=None, context={})
    requests = [
        {"input": "go", "outcome": {"output": [call_item("c1")]}},
        {"input": [output_item("c1", "HTTP 503")], "outcome": {"output": [call_item("c2")]}},
    ]
    found = imported(encoded(before), request_log=encoded(requests)).calls
    assert [(call.call_id, call.name, call.identity_from, call.reasons) for call in found] == [
        ("c1", "issue_ticket", "request_log", ["output_inconclusive"]),
        ("c2", "issue_ticket", "request_log", ["same_arguments_again_after:c1", "no_output"][::-1]),
    ]


def test_a_second_source_never_erases_what_the_first_showed():
    name = "02b_mixed_missing_tool_resumed__sdk0.22.1"
    alone = imported(run(name)).calls
    both = imported(run(name), request_log=log(name)).calls
    assert [call.outputs for call in both] == [call.outputs for call in alone]


def test_reading_the_same_bytes_again_gives_the_same_facts():
    first, second = imported(run("13_nested_agent_pending")), imported(run("13_nested_agent_pending"))
    assert [call.shown() for call in first.calls] == [call.shown() for call in second.calls]


# MCP


def line(direction: str, **message: Any) -> dict[str, Any]:
    return {"t": 1.5, "dir": direction, "msg": {"jsonrpc": "2.0", **message}}


def wire(*lines: dict[str, Any]) -> Imported:
    return imported(b"\n".join([json.dumps(one).encode() for one in lines]))


OUT, BACK = "client->server", "server->client"
ASKED = line(OUT, id=1, method="tools/call", params={"name": "issue", "arguments": {}})


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32601, "not_attempted"),
        (-32602, "not_attempted"),
        (-32700, "not_attempted"),
        (-32603, "inconclusive"),
        (1, "inconclusive"),
    ],
)
def test_a_protocol_error_shows_whether_the_call_was_attempted(code, kind):
    [call] = wire(ASKED, line(BACK, id=1, error={"code": code, "message": "x"})).calls
    assert call.shown()["outputs"] == [[kind, f"jsonrpc {code}"]]


def test_an_id_of_the_servers_own_request_answers_no_call():
    [call] = wire(ASKED, line(BACK, id=1, method="elicitation/create", params={})).calls
    assert call.reasons == ["no_output"]


def test_a_question_back_that_got_no_answer_waits():
    back = line(BACK, id=1, result={"resultType": "input_required", "requestState": "s1", "inputRequests": {}})
    [call] = wire(ASKED, back, line(OUT, id=2, method="ping")).calls
    assert (call.gate, call.reasons) == (Gate.WAITING, ["awaiting_decision"])


TASK = line(BACK, id=1, result={"resultType": "task", "task": {"taskId": "t1", "status": "working", "ttl": 1000}})
GET = line(OUT, id=2, method="tasks/get", params={"taskId": "t1"})


def test_a_task_that_is_working_is_open():
    [call] = wire(ASKED, TASK, GET, line(BACK, id=2, result={"taskId": "t1", "status": "working"})).calls
    assert call.reasons == ["task_open"]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_task_that_failed_or_was_cancelled_shows_no_effect_and_no_absence(status):
    [call] = wire(ASKED, TASK, GET, line(BACK, id=2, result={"taskId": "t1", "status": status})).calls
    assert (call.outputs[0].kind, call.reasons) == (OutputClass.INCONCLUSIVE, ["output_inconclusive"])


def test_the_result_of_a_task_is_the_calls_output():
    fetch = line(OUT, id=2, method="tasks/result", params={"taskId": "t1"})
    [call] = wire(ASKED, TASK, fetch, line(BACK, id=2, result={"content": [{"type": "text", "text": "T-1"}]})).calls
    assert (call.outputs[0].text, call.reasons) == ("T-1", [])


@pytest.mark.parametrize("method", ["ping", "tools/list", "tasks/get"])
def test_the_answer_to_another_request_of_the_same_id_answers_no_call(method):
    [call] = wire(ASKED, line(OUT, id=1, method=method, params={}), line(BACK, id=1, result={"ok": True})).calls
    assert call.reasons == ["no_output"]


def test_ids_start_anew_with_a_new_connection():
    begun = line(OUT, id=0, method="initialize", params={})
    [call] = wire(ASKED, begun, line(BACK, id=1, result={"content": []})).calls
    assert call.reasons == ["no_output"]


def test_a_message_without_result_and_error_answers_nothing():
    assert wire(ASKED, line(BACK, id=1)).calls[0].reasons == ["no_output"]


def test_a_task_told_flat_on_the_wire_is_open():
    flat = line(BACK, id=1, result={"resultType": "task", "taskId": "t1", "status": "working"})
    assert wire(ASKED, flat).calls[0].reasons == ["task_open"]
    done = line(BACK, id=2, result={"taskId": "t1", "status": "completed", "result": {"content": "T-1"}})
    assert wire(ASKED, flat, GET, done).calls[0].reasons == []


@pytest.mark.parametrize("code", [-32602, -32601, -32603])
def test_an_error_for_a_tasks_result_is_not_the_calls_refusal(code):
    fetch = line(OUT, id=2, method="tasks/result", params={"taskId": "t1"})
    [call] = wire(ASKED, TASK, fetch, line(BACK, id=2, error={"code": code, "message": "x"})).calls
    assert call.shown()["outputs"] == [["inconclusive", f"jsonrpc {code}"]]


ASKS_BACK = line(BACK, id=1, result={"resultType": "input_required", "inputRequests": {}})


def test_a_question_back_without_a_state_is_no_output():
    [call] = wire(ASKED, ASKS_BACK).calls
    assert (call.gate, call.outputs, call.reasons) == (Gate.WAITING, [], ["awaiting_decision"])


def test_a_call_that_goes_on_without_a_state_is_the_same_call():
    again = line(OUT, id=2, method="tools/call", params={"name": "issue", "arguments": {}, "inputResponses": {}})
    [call] = wire(ASKED, ASKS_BACK, again, line(BACK, id=2, result={"content": "T-1"})).calls
    assert (call.rounds, call.gate, call.reasons) == (2, Gate.NONE, [])


def test_a_time_beyond_any_number_is_none():
    endless = json.dumps(ASKED).replace("1.5", "1e999").encode()
    assert "t" not in imported(endless + b"\n" + json.dumps(line(OUT, method="x")).encode()).calls[0].shown()


def test_parallel_calls_are_not_one_after_the_other():
    other = line(OUT, id=2, method="tools/call", params={"name": "issue", "arguments": {}})
    assert [call.reasons for call in wire(ASKED, other).calls] == [["no_output"], ["no_output"]]


# LangGraph


def test_a_threads_state_of_the_platform_is_read_as_its_head():
    ai = {"type": "ai", "tool_calls": [{"id": "c1", "name": "issue", "args": {"parcel": "Cedar"}}]}
    kept = {"values": {"messages": [ai]}, "next": ["tools"], "tasks": [], "checkpoint": {"checkpoint_id": "k1"}}
    [call] = read(kept).calls
    assert (call.at, call.reasons) == ("k1", ["no_output"])


def head(*calls: str, **task: Any) -> dict[str, Any]:
    asked_for = [{"id": one, "name": "issue", "args": {}} for one in calls]
    return {
        "values": {"messages": [{"type": "ai", "tool_calls": asked_for}]},
        "tasks": [{"id": "k1", "name": "tools", "error": None, "interrupts": [], **task}],
    }


INTERRUPT = [{"value": "issue it?", "id": "i1"}]


def test_an_interrupt_in_a_threads_state_waits_for_a_person():
    [call] = read(head("c1", interrupts=INTERRUPT)).calls
    assert (call.gate, call.pointers["gate"]) == (Gate.WAITING, ["/tasks/0"])
    assert call.reasons == ["code_before_interrupt_may_have_acted", "awaiting_decision"]


def test_an_error_in_a_threads_state_leaves_its_call_open():
    [call] = read(head("c1", error="ReadTimeout()")).calls
    assert (call.error_write, call.started, call.reasons) == (
        "ReadTimeout()",
        Started.UNKNOWN,
        ["error_write", "no_output"],
    )


def test_a_task_that_may_be_of_either_call_is_told_of_both_and_proves_of_none_that_it_began():
    found = read(head("c1", "c2", error="ReadTimeout()", interrupts=INTERRUPT)).calls
    assert {(call.gate, call.started) for call in found} == {(Gate.NONE, Started.UNKNOWN)}
    assert [call.reasons for call in found] == [
        ["error_write", "code_before_interrupt_may_have_acted", "no_output"],
        ["error_write", "code_before_interrupt_may_have_acted", "no_output"],
    ]


def test_calls_of_one_checkpoint_that_later_messages_asked_for_come_after_one_another():
    kept = head("c1")
    kept["values"]["messages"].append({"type": "ai", "tool_calls": [{"id": "c2", "name": "issue", "args": {}}]})
    assert reasons(kept) == {"c1": ["no_output"], "c2": ["no_output", "same_arguments_again_after:c1"]}


def test_an_error_status_of_a_tool_message_leaves_it_open():
    messages_ = [
        {"type": "ai", "tool_calls": [{"id": "c1", "name": "issue", "args": {}}]},
        {"type": "tool", "tool_call_id": "c1", "content": "was not issued", "status": "error"},
        {"type": "ai", "content": "it failed"},
    ]
    assert reasons({"values": {"messages": messages_}, "tasks": []}) == {"c1": ["output_inconclusive"]}


# Fingerprints


def test_arguments_in_another_order_have_the_same_fingerprint_and_another_number_has_not():
    def of(arguments: str) -> str | None:
        return read([call_item("c1", arguments=arguments)]).calls[0].fingerprint

    assert of('{"a": 1, "b": "x"}') == of('{"b":"x","a":1}')
    assert of('{"a": 1}') != of('{"a": 1.0}')
    assert of("not json") != of("")

"""Two calls are the same only by the host's word beside the call, or probably by what was asked; never by their ids."""

import json

import pytest

from operations.imports import Call, imported
from operations.imports.linking import WINDOW, links

ARGUMENTS = '{"parcel": "Cedar"}'


def model(call_id: str = "call_1", *, arguments: str = ARGUMENTS, t: float | None = None) -> Call:
    return Call(call_id=call_id, name="issue", arguments=arguments, t=t)


def wire(t: float | None = None, **meta: str) -> Call:
    params = {"name": "issue", "arguments": json.loads(ARGUMENTS), **({"_meta": meta} if meta else {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    [call] = imported(json.dumps({"t": t, "dir": "client->server", "msg": message}).encode() + b"\n").calls
    return call


def found(call: Call, *others: Call) -> list[tuple[str, bool]]:
    return [(link.other.call_id, link.named) for link in links(call, others)]


def test_what_was_asked_with_other_arguments_is_another_call():
    assert found(wire(), model(arguments='{"parcel": "Oak"}')) == []


def test_a_call_of_which_no_arguments_are_on_record_is_no_probable_one():
    assert found(wire(), Call(call_id="c9")) == []


@pytest.mark.parametrize(("apart", "fits"), [(WINDOW, True), (WINDOW + 1, False)])
def test_times_that_are_far_apart_contradict(apart, fits):
    assert bool(found(wire(1000.0), model(t=1000.0 + apart))) is fits


def test_without_a_time_the_tool_and_the_arguments_are_all_there_is():
    [link] = links(wire(1000.0), [model()])
    assert (link.named, link.apart) == (False, None)


def test_several_that_fit_are_all_probable():
    assert found(wire(), model("a"), model("b")) == [("a", False), ("b", False)]


@pytest.mark.parametrize("name", ["call_id", "tool_call_id", "example.com/call_id"])
def test_the_hosts_word_beside_the_call_outweighs_what_was_asked(name):
    assert found(wire(None, **{name: "b"}), model("a"), model("b", arguments="{}")) == [("b", True)]


def test_a_call_that_the_host_names_is_no_other():
    assert found(model("a"), wire(call_id="b")) == []
    assert found(model("b"), wire(call_id="b")) == [("c1", True)]

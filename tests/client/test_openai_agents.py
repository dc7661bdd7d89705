"""Under the Agents SDK as it is: one guarded tool, a model that says what the test has it say, the desk's own door.

Each failure that this runtime has a place for comes back as an envelope, and what really left is counted at the recipient.
"""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from agents import RunConfig, RunState

from operations import models
from tests.client.doors import key
from tests.client.ferry import Ferried
from tests.client.parcels import Parcels, tickets
from tests.client.scripted import agent_of, calls, outputs, runs, says, scripted
from tests.operations.granted import granted
from unresolved import Attempt, Journal, Mode, Recorder, Seen, called, guarded
from unresolved.adapters.openai_agents import guarded_tool, settle

pytestmark = pytest.mark.django_db
EAST, WEST = {"parcel": "Cedar", "place": "East"}, {"parcel": "Cedar", "place": "West"}


@pytest.fixture
def door(db: None) -> Ferried:
    return Ferried(url="http://desk.invalid", key=key())


@pytest.fixture(autouse=True)
def patient(parcels: Parcels) -> None:
    """A lost reply here is a connection that ends: nobody waits for it, however busy the machine."""
    parcels.patience = 30.0


def tool_of(parcels: Parcels, **more: Any) -> Any:
    return guarded_tool(parcels.tool(), given={"order": lambda context: context["order"]}, **more)


def run(parcels: Any, *turns: Any, order: str = "order-1001", **more: Any) -> Any:
    """Run an agent with its tool through these turns; returns its result and the outputs in what its model was sent."""
    model, tool = scripted(*turns), more.pop("tool", None) or tool_of(parcels)
    result = parcels.door.beside(runs(agent_of(model, tool), "Issue it.", context={"order": order}, **more))
    return result, [outputs(call) for call in model.calls]


def told(sent: Any, call: str) -> Any:
    """The one output of a call in the last request to the model."""
    [found] = sent[-1][call]
    return found


def passages(desk, order="order-1001"):
    """How many requests the recipient saw."""
    return len(desk.control.truth(order)["passages"])


def test_the_output_of_a_call_is_its_envelope(parcels, desk):
    _, sent = run(parcels, calls("call_1", **EAST), says())
    found = told(sent, "call_1")
    assert (found["next"], found["identity"], found["known_by"]) == ("applied", "order-1001", "desk")
    assert (tickets(desk), passages(desk)) == (1, 1)


def test_the_model_sees_no_parameter_that_the_application_gives(parcels):
    assert tool_of(parcels).params_json_schema["properties"].keys() == {"parcel", "place"}
    assert tool_of(parcels).description == "Have one collection ticket issued."


def test_the_call_its_run_and_its_agent_are_on_record(parcels, desk):
    with called(run="outer"):
        run(parcels, calls("call_1", **EAST), says(), config=RunConfig(group_id="chat-7", tracing_disabled=True))
    row = models.Operation.objects.get()
    assert (row.call, row.run, row.agent) == ("call_1", "chat-7", "Parcels")


def test_after_a_lost_reply_the_same_call_leaves_no_second_time_and_stops_no_run(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    result, sent = run(parcels, calls("call_1", **EAST), calls("call_2", **EAST), says())
    assert [told(sent, call)["next"] for call in ("call_1", "call_2")] == ["held", "held"]
    assert told(sent, "call_1")["attempt"] == told(sent, "call_2")["attempt"]
    assert (result.interruptions, tickets(desk), passages(desk)) == ([], 1, 1)
    assert models.Operation.objects.get().sealed


def test_a_granted_repeat_leaves_once_under_the_same_name(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    parcels.ago = 10.0
    _, sent = run(parcels, calls("call_1", **EAST), says())
    parcels.ago = 0.0
    granted(UUID(told(sent, "call_1")["operation"]), now=datetime.now(UTC))
    _, sent = run(parcels, calls("call_2", **EAST), calls("call_3", **EAST), says())
    assert [told(sent, call)["next"] for call in ("call_2", "call_3")] == ["applied", "applied"]
    assert (passages(desk), tickets(desk)) == (2, 1)


def test_another_proposal_beside_an_open_one_stops_the_run_for_a_person(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    result, sent = run(parcels, calls("call_1", **EAST), calls("call_2", **WEST), says())
    assert [item.call_id for item in result.interruptions] == ["call_2"]
    assert (len(sent), passages(desk), models.Operation.objects.count()) == (2, 1, 1)


def test_who_cannot_ask_the_desk_stops_for_a_person_as_well(parcels, desk):
    run(parcels, calls("call_1", **EAST), says())
    parcels.door.down = True
    result, _ = run(parcels, calls("call_2", **WEST), says(), order="order-1002")
    assert [item.call_id for item in result.interruptions] == ["call_2"]


@pytest.mark.parametrize(("about", "stopped"), [(None, 1), (lambda given: given["parcel"], 0)], ids=["all", "about"])
def test_what_is_about_something_else_is_confronted_where_nothing_says_that_it_is(parcels, desk, about, stopped):
    desk.control.tell(key="order-1001", reply="lost")
    tool = tool_of(parcels, about=about)
    run(parcels, calls("call_1", **EAST), says(), tool=tool)
    result, _ = run(parcels, calls("call_2", parcel="Elm", place="East"), says(), tool=tool, order="order-1002")
    assert len(result.interruptions) == stopped
    assert tickets(desk, "order-1002") == 1 - stopped


def test_what_has_ended_confronts_nothing(parcels, desk):
    run(parcels, calls("call_1", **EAST), says())
    result, sent = run(parcels, calls("call_2", parcel="Elm", place="West"), says(), order="order-1002")
    assert (result.interruptions, told(sent, "call_2")["next"]) == ([], "applied")


def test_an_approval_here_gives_no_leave_to_send(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    model, tool = scripted(calls("call_1", **EAST), calls("call_2", **WEST), says()), tool_of(parcels)
    agent = agent_of(model, tool)
    stopped = parcels.door.beside(runs(agent, "Issue it.", context={"order": "order-1001"}))
    state = stopped.to_state()
    state.approve(stopped.interruptions[0])
    parcels.door.beside(runs(agent, state))
    assert outputs(model.calls[-1])["call_2"][0]["next"] == "refused"
    assert (passages(desk), tickets(desk)) == (1, 1)


def test_calls_that_are_made_at_once_leave_once(parcels, desk):
    both = [calls("call_1", **EAST), calls("call_2", **EAST)]
    _, sent = run(parcels, both, says())
    assert passages(desk) == 1
    assert {told(sent, call)["next"] for call in ("call_1", "call_2")} <= {"applied", "held"}


def test_where_no_intent_can_be_recorded_the_tool_is_not_entered_and_the_run_goes_on(parcels, desk, tmp_path):
    parcels.journal = Journal(tmp_path / "no such folder" / "ops.db")
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door)
    result, sent = run(parcels, calls("call_1", **EAST), says("Nothing was sent."))
    found = told(sent, "call_1")
    assert (found["next"], found["sent"], found["identity"]) == ("no_journal", "no", "order-1001")
    [guard] = result.tool_input_guardrail_results
    assert guard.output.behavior["type"] == "reject_content"
    assert (tickets(desk), result.final_output) == (0, "Nothing was sent.")


@pytest.mark.parametrize(("mode", "word", "issued"), [(Mode.LOCAL, "held", 1), (Mode.DESK, "not_sent", 0)])
def test_while_the_desk_is_away_a_first_attempt_does_as_its_mode_says_and_a_second_sends_nothing(
    parcels, desk, mode, word, issued
):
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, mode=mode)
    parcels.door.down = True
    _, sent = run(parcels, calls("call_1", **EAST), calls("call_2", **EAST), says())
    assert (told(sent, "call_1")["next"], told(sent, "call_1")["known_by"]) == (word, "journal")
    assert told(sent, "call_2")["next"] == word
    assert (tickets(desk), passages(desk)) == (issued, issued)


def raising(parcels: Parcels, error: BaseException) -> Any:
    """A tool whose own code sends, and then ends like this."""

    @guarded(
        parcels.recorder,
        "issue_ticket",
        parcels.call().contract,
        intent=lambda given: given["order"],
        request=lambda given: parcels.call(given["order"]).request,
        sender=parcels.sender,
    )
    def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
        attempt.send()
        raise error

    return guarded_tool(issue_ticket, given={"order": lambda context: context["order"]})


def test_an_error_of_the_tools_code_is_an_envelope_and_no_invitation_to_try_again(parcels, desk):
    _, sent = run(parcels, calls("call_1", **EAST), says(), tool=raising(parcels, ValueError("secret")))
    found = told(sent, "call_1")
    assert (found["next"], found["reason"]) == ("applied", "the sending code ended with ValueError")
    assert "secret" not in str(sent)
    assert "try again" not in str(sent).lower()


def test_arguments_that_make_no_request_are_told_so_and_nothing_is_recorded(parcels, desk):
    model, tool = scripted(calls("call_1", parcel=7), says()), tool_of(parcels)
    agent = agent_of(model, tool)
    stopped = parcels.door.beside(runs(agent, "Issue it.", context={"order": "order-1001"}))
    state = stopped.to_state()
    assert parcels.door.beside(settle(state, [tool], context={"order": "order-1001"})) == []
    parcels.door.beside(runs(agent, state))
    [found] = outputs(model.calls[-1])["call_1"]
    assert (found["next"], found["sent"], tickets(desk)) == ("refused", "no", 0)
    assert found["reason"].startswith("these arguments make no request")


def test_a_person_who_approves_such_arguments_gets_the_same(parcels, desk):
    model = scripted(calls("call_1", parcel=7), says())
    agent = agent_of(model, tool_of(parcels))
    stopped = parcels.door.beside(runs(agent, "Issue it.", context={"order": "order-1001"}))
    state = stopped.to_state()
    state.approve(stopped.interruptions[0])
    parcels.door.beside(runs(agent, state))
    assert outputs(model.calls[-1])["call_1"][0]["next"] == "refused"


def test_a_state_that_was_stored_goes_on_with_the_same_gate(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    model, tool = scripted(calls("call_1", **EAST), calls("call_2", **WEST), says()), tool_of(parcels)
    agent, given = agent_of(model, tool), {"order": "order-1001"}
    stored = parcels.door.beside(runs(agent, "Issue it.", context=given)).to_state().to_string()

    async def goes_on() -> list[Any]:
        state = await RunState.from_string(agent, stored, context_override=given)
        return [item.call_id for item in await settle(state, [tool], context=given)]

    assert parcels.door.beside(goes_on()) == ["call_2"]  # it is open still: a person decides, nobody else


def test_a_tool_is_guarded_before_it_is_a_tool(parcels):
    with pytest.raises(TypeError, match="not guarded"):
        guarded_tool(lambda order: order)
    with pytest.raises(TypeError, match="tool already"):
        guarded_tool(tool_of(parcels))
    with pytest.raises(TypeError, match="no parameter colour"):
        guarded_tool(parcels.tool(), given={"colour": str})

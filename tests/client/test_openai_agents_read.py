"""What became of a call while its run waited enters the next request as that call's one output, and is told as read once
the model replied to it, not before."""

from typing import Any

import pytest
from agents import RunConfig

from operations import models
from operations.imports.next_input import faults
from operations.reading.owed import results_owed
from tests.client.doors import key
from tests.client.ferry import Ferried
from tests.client.parcels import Parcels, tickets
from tests.client.scripted import agent_of, calls, outputs, request_of, runs, says, scripted
from tests.client.settled import settled
from tests.operations.imports.records import encoded
from unresolved.adapters.openai_agents import ReadLog, brought_up_to_date, guarded_tool, settle

pytestmark = pytest.mark.django_db
GIVEN = {"order": "order-1001"}
EAST, WEST = {"parcel": "Cedar", "place": "East"}, {"parcel": "Cedar", "place": "West"}
MANAGED = pytest.mark.parametrize("more", [{}, {"conversation_id": "conv_1"}], ids=["stateless", "server-managed"])


@pytest.fixture
def door(db: None) -> Ferried:
    return Ferried(url="http://desk.invalid", key=key())


@pytest.fixture(autouse=True)
def patient(parcels: Parcels) -> None:
    """A lost reply here is a connection that ends: nobody waits for it, however busy the machine."""
    parcels.patience = 30.0


class Waiting:
    """An agent that stopped for a person after the reply to its first call got lost."""

    def __init__(self, parcels: Parcels, *turns: Any, **more: Any) -> None:
        self.door: Any = parcels.door
        self.tool = guarded_tool(parcels.tool(), given={"order": lambda context: context["order"]})
        self.log = ReadLog([self.tool], run="run-7")
        self.model = scripted(*turns)
        self.agent = agent_of(self.model, self.tool)
        self.config = RunConfig(tracing_disabled=True, call_model_input_filter=brought_up_to_date([self.tool]))
        self.more = more
        self.stopped = self.goes("Issue it.", context=GIVEN)
        self.state = self.stopped.to_state()
        self.stored = encoded(self.state.to_json())

    def goes(self, given: Any, **more: Any) -> Any:
        return self.door.beside(
            runs(self.agent, given, config=self.config, hooks=self.log, **({} if given is None else self.more), **more)
        )

    def settles(self) -> list[Any]:
        return list(self.door.beside(settle(self.state, [self.tool], context=GIVEN)))

    @property
    def operation(self) -> str:
        return str(models.Operation.objects.get().id)

    def next_input(self) -> dict[str, list[Any]]:
        return outputs(self.model.calls[-1])


@pytest.fixture
def lost(desk):
    """The recipient issues what the first call asks for, and its reply gets lost."""
    desk.control.tell(key="order-1001", reply="lost")


TURNS = (calls("call_1", **EAST), calls("call_2", **WEST), says())


@MANAGED
def test_the_proposal_gets_what_became_of_the_open_one_as_its_one_output(parcels, desk, lost, more):
    here = Waiting(parcels, *TURNS, **more)
    settled(here.operation)
    assert here.settles() == []
    here.goes(here.state)
    [found] = here.next_input()["call_2"]
    assert (found["next"], found["identity"], found["bound_arguments"]["place"]) == ("applied", "order-1001", "East")
    assert (tickets(desk), here.model.remaining_steps) == (1, 0)
    assert faults(here.stored, encoded(request_of(here.model.calls[-1]))) == []


def test_while_it_is_open_nobody_here_decides(parcels, lost):
    here = Waiting(parcels, *TURNS)
    assert [item.call_id for item in here.settles()] == ["call_2"]
    assert here.goes(here.state).interruptions[0].call_id == "call_2"


def test_after_it_ended_without_effect_a_proposal_of_another_name_goes_on(parcels, desk, lost):
    here = Waiting(parcels, *TURNS)
    settled(here.operation, "closed")
    assert here.door.beside(settle(here.state, [here.tool], context={"order": "order-1002"})) == []
    [decided] = here.state.to_json()["context"]["function_tool_approvals"]
    assert decided["decision"]["approved"] is not False


@MANAGED
def test_an_open_answer_that_was_not_sent_yet_is_brought_up_to_date(parcels, desk, lost, more):
    """One call lost its reply while another of the same turn waited for a person: neither output went out."""
    here = Waiting(parcels, [calls("call_1", **EAST), calls("call_3", parcel=7)], says(), says(), **more)
    settled(here.operation)
    here.settles()
    here.goes(here.state)
    [found], [other] = here.next_input()["call_1"], here.next_input()["call_3"]
    assert (found["next"], found["known_by"], other["next"]) == ("applied", "desk", "refused")
    assert faults(here.stored, encoded(request_of(here.model.calls[-1]))) == []


@MANAGED
def test_a_later_request_carries_it_no_second_time_to_a_server_that_keeps_it(parcels, desk, lost, more):
    here = Waiting(
        parcels, [calls("call_1", **EAST), calls("call_3", parcel=7)], calls("call_4", **EAST), says(), **more
    )
    settled(here.operation)
    here.settles()
    here.goes(here.state)
    sent = [request_of(call) for call in here.model.calls]
    assert [*here.next_input()] == (["call_4"] if more else ["call_1", "call_3", "call_4"])
    assert faults(here.stored, encoded([{"request": one, "response": None} for one in sent])) == []


def deliveries() -> list[tuple[str, str, str]]:
    return [*models.Delivery.objects.exclude(step="collected").values_list("step", "call", "run")]


@pytest.mark.parametrize("streamed", [False, True], ids=["at once", "streamed"])
def test_what_was_owed_is_told_as_read_once_the_model_replied(parcels, desk, lost, streamed):
    here = Waiting(parcels, [calls("call_1", **EAST), calls("call_3", parcel=7)], calls("call_4", **EAST), says())
    settled(here.operation)
    assert [one.operation.identity for one in results_owed(among=None, limit=9)] == ["order-1001"]
    here.settles()
    here.goes(here.state, streamed=streamed)
    assert deliveries() == [("answered", "call_1", "run-7")]  # once, though a second request replays it
    assert results_owed(among=None, limit=9) == []


def test_a_request_without_a_reply_leaves_it_owed(parcels, desk, lost):
    turns = [calls("call_1", **EAST), calls("call_3", parcel=7)], ConnectionResetError("no reply"), says()
    here = Waiting(parcels, *turns)
    settled(here.operation)
    here.settles()
    with pytest.raises(ConnectionResetError):
        here.goes(here.state)
    assert "applied" in str(here.next_input())  # it was in the request, and nobody knows whether that arrived
    assert deliveries() == []
    assert len(results_owed(among=None, limit=9)) == 1


def test_what_is_read_while_the_desk_is_away_is_told_later(parcels, desk, lost):
    here = Waiting(parcels, [calls("call_1", **EAST), calls("call_3", parcel=7)], says())
    settled(here.operation)
    here.settles()
    here.config.call_model_input_filter = goes_down_after(here)
    here.goes(here.state)
    assert deliveries() == []
    parcels.door.down = False
    assert parcels.recorder.ship().waiting == 0
    assert deliveries() == [("answered", "call_1", "run-7")]


def goes_down_after(here: Waiting) -> Any:
    """The desk is there for the input, and away as soon as the model has replied."""
    newer = brought_up_to_date([here.tool])

    async def then_away(data: Any) -> Any:
        found = await newer(data)
        here.door.down = True
        return found

    return then_away


def test_an_answer_that_another_tool_made_up_evidences_nothing(parcels, desk, lost):
    here = Waiting(parcels, *TURNS)
    settled(here.operation)
    made_up = {**here.next_input()["call_1"][0], "tool": "another", "links": 9}
    item: Any = {"type": "function_call_output", "call_id": "call_9", "output": encoded(made_up).decode()}

    async def said() -> None:
        await here.log.on_llm_start(here, here.agent, None, [item])  # type: ignore[arg-type]  # only its id is used
        await here.log.on_llm_end(here, here.agent, None)  # type: ignore[arg-type]  # nothing was carried

    here.door.beside(said())
    assert deliveries() == []


def test_a_journal_that_is_gone_ends_no_run_and_decides_nothing(parcels, desk, lost):
    here = Waiting(parcels, *TURNS)
    settled(here.operation)
    parcels.journal.close()
    (parcels.folder / parcels.name).write_text("the shopping list")
    waiting = here.settles()
    for item in waiting:
        here.state.reject(item)
    assert here.goes(here.state).final_output == "Done."
    assert here.next_input()["call_1"][0]["next"] == "held"
    assert deliveries() == []

"""Under LangGraph as it is: one guarded tool, a scripted model, checkpoints in a file, the desk's own door.

A thread stops where nobody knows what happened, goes on with what the desk says, and what really left is counted at the
recipient.
"""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from operations import models
from tests.client.decided import decided
from tests.client.graphs import calls, outputs, says, stopped_for
from tests.client.parcels import tickets
from tests.client.threads import async_tool, door, finds, lost, passages, thread
from tests.operations.granted import granted
from unresolved.adapters.langgraph import UNRESOLVED

pytestmark = pytest.mark.django_db
__all__ = ["door", "finds"]
BOTH = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


@BOTH
def test_the_message_of_a_call_is_its_envelope(parcels, desk, asynchronous):
    found = thread(parcels, calls("call_1"), says(), asynchronous=asynchronous)
    assert stopped_for(found.starts()) == []
    [told] = outputs(found.model.requests[-1])["call_1"]
    assert (told["next"], told["identity"], told["known_by"]) == ("applied", "order-1001", "desk")
    assert (tickets(desk), passages(desk)) == (1, 1)


def test_the_call_the_thread_and_the_attempt_of_the_node_are_on_record(parcels):
    thread(parcels, calls("call_1"), says()).starts()
    row = models.Operation.objects.get()
    assert (row.call, row.run, row.agent) == ("call_1", "chat-7", "issue_ticket, attempt 1 of the node")


@BOTH
def test_after_a_lost_reply_the_thread_stops_for_a_person(parcels, desk, asynchronous):
    function = async_tool(parcels) if asynchronous else None
    found, asked = lost(parcels, desk, asynchronous=asynchronous, function=function)
    assert (asked["kind"], asked["next"], asked["evidence"]) == (UNRESOLVED, "held", "unknown")
    assert (asked["identity"], asked["sent"], asked["known_by"]) == ("order-1001", "yes", "desk")
    assert (len(found.model.requests), passages(desk)) == (1, 1)
    assert models.Operation.objects.get().sealed


@BOTH
def test_a_persons_receipt_lets_it_go_on_with_one_ticket_and_one_message(parcels, desk, finds, asynchronous):
    function = async_tool(parcels) if asynchronous else None
    found, asked = lost(parcels, desk, asynchronous=asynchronous, function=function)
    finds(asked["operation"])
    assert stopped_for(found.resumes({"receipt": {"reference": "T-1001"}})) == []
    [told] = outputs(found.model.requests[-1])["call_1"]
    assert (told["next"], told["evidence"], told["known_by"]) == ("applied", "applied", "desk")
    assert (tickets(desk), passages(desk)) == (1, 1)


@pytest.mark.parametrize(
    "words",
    ["It worked, go on.", {"receipt": "T-1001"}, {"receipt": {"reference": "T-1001"}}, {"receipt": {"body": "issued"}},
     {"decision": "left_unresolved"}, {"decision": "risk_accepted"}, {"decision": "go on"}, {"approved": True}, 7, ""],
)  # fmt: skip
def test_what_people_or_models_say_proves_nothing_and_sends_nothing(parcels, desk, words):
    found, asked = lost(parcels, desk)
    [again] = stopped_for(found.resumes(words))
    assert (again["kind"], again["evidence"], again["attempt"]) == (UNRESOLVED, "unknown", asked["attempt"])
    assert again["refused"]
    assert (len(found.model.requests), passages(desk)) == (1, 1)


def test_a_receipt_of_another_order_settles_nothing(parcels, desk, finds):
    thread(parcels, calls("call_9"), says(), orders={"call_9": "order-9"}).starts()  # has the ticket T-1001
    (parcels.folder / "threads.db").unlink()
    found, asked = lost(parcels, desk)
    finds(asked["operation"])
    [again] = stopped_for(found.resumes({"receipt": {"reference": "T-1001"}}))
    assert (again["evidence"], passages(desk)) == ("unknown", 1)


@pytest.mark.parametrize("decision", ["left_unresolved", "risk_accepted"])
def test_a_decision_that_stands_at_the_desk_lets_it_go_on_with_the_outcome_unknown(parcels, desk, decision):
    found, asked = lost(parcels, desk)
    decided(UUID(asked["operation"]), decision)
    assert stopped_for(found.resumes({"decision": decision})) == []
    [told] = outputs(found.model.requests[-1])["call_1"]
    assert (told["evidence"], told["next"] in ("held", "left_unresolved")) == ("unknown", True)
    assert passages(desk) == 1


def test_a_granted_repeat_leaves_once_when_the_thread_goes_on(parcels, desk):
    found, asked = lost(parcels, desk)
    granted(UUID(asked["operation"]), now=datetime.now(UTC))
    assert stopped_for(found.resumes({})) == []
    [told] = outputs(found.model.requests[-1])["call_1"]
    assert (told["next"], passages(desk), tickets(desk)) == ("applied", 2, 1)


def test_a_thread_that_is_only_run_again_sends_nothing(parcels, desk):
    found, asked = lost(parcels, desk)
    for _ in range(2):
        [again] = stopped_for(found.goes(None))
        assert again["attempt"] == asked["attempt"]
    assert passages(desk) == 1


def test_what_was_answered_before_is_asked_again_and_no_more(parcels, desk, finds):
    found, asked = lost(parcels, desk)
    for _ in range(3):
        [again] = stopped_for(found.resumes({"receipt": "T-1001"}))
        assert again["refused"].startswith("the desk has read no such receipt")
    finds(asked["operation"])
    assert stopped_for(found.resumes({})) == []
    assert (len(found.model.requests), passages(desk)) == (2, 1)

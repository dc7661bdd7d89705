"""The table of failures under LangGraph (docs/integrate/langgraph.md), a test a row: what left, what the thread stops for."""

import signal

import pytest
from langgraph.types import Send

from operations import models
from tests.client.graphs import EAST, both, calls, outputs, says, stopped_for
from tests.client.killed_thread import started
from tests.client.parcels import tickets, until_issued
from tests.client.processes import ended
from tests.client.settled import settled
from tests.client.threads import door, lost, passages, thread
from unresolved import Journal, Mode, Recorder
from unresolved.adapters.langgraph import UNAVAILABLE, UNRESOLVED, one_task_each

pytestmark = pytest.mark.django_db
__all__ = ["door"]
BOTH = pytest.mark.parametrize("mode", list(Mode))


def at(parcels, mode):
    """The same agent in another mode."""
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, mode=mode)
    return parcels


# The journal can't be written.


@BOTH
def test_without_a_journal_nothing_is_sent_and_the_thread_waits_for_one(parcels, desk, tmp_path, mode):
    parcels.journal = Journal(tmp_path / "no such folder" / "ops.db")
    found = thread(at(parcels, mode), calls("call_1"), says())
    [asked] = stopped_for(found.starts())
    assert (asked["kind"], asked["next"], asked["sent"], tickets(desk)) == (UNAVAILABLE, "no_journal", "no", 0)
    (tmp_path / "no such folder").mkdir()
    assert stopped_for(found.resumes({})) == []
    assert (outputs(found.model.requests[-1])["call_1"][0]["next"], tickets(desk)) == ("applied", 1)


# The desk can't be reached.


def test_locally_a_first_attempt_is_sent_and_the_thread_goes_on_once_the_desk_is_back(parcels, desk):
    parcels.door.down = True
    found = thread(parcels, calls("call_1"), says())
    [asked] = stopped_for(found.starts())
    assert (asked["kind"], asked["known_by"], asked["sent"]) == (UNRESOLVED, "journal", "yes")
    parcels.door.down = False
    assert stopped_for(found.resumes({})) == []
    assert (passages(desk), models.Attempt.objects.count()) == (1, 1)


def test_strictly_a_first_attempt_is_not_sent_until_the_desk_is_back(parcels, desk):
    parcels.door.down = True
    found = thread(at(parcels, Mode.DESK), calls("call_1"), says())
    [asked] = stopped_for(found.starts())
    assert (asked["kind"], asked["next"], asked["sent"], tickets(desk)) == (UNAVAILABLE, "not_sent", "no", 0)
    parcels.door.down = False
    assert stopped_for(found.resumes({})) == []
    assert (passages(desk), models.Attempt.objects.count()) == (1, 1)


@BOTH
def test_without_the_desk_no_repeat_is_sent_whatever_the_thread_is_resumed_with(parcels, desk, mode):
    found, asked = lost(at(parcels, mode), desk)
    parcels.door.down = True
    for value in ({}, {"receipt": "T-1001"}, {"decision": "risk_accepted"}):
        [again] = stopped_for(found.resumes(value))
        assert (again["kind"], again["known_by"], again["attempt"]) == (UNRESOLVED, "journal", asked["attempt"])
    assert passages(desk) == 1


# The process is killed in the node.


@pytest.mark.parametrize(
    ("point", "issued", "kind"),
    [("journalled", 0, UNRESOLVED), ("first_byte", 1, UNRESOLVED), ("ended", 1, UNRESOLVED), ("recorded", 1, None)],
)
def test_after_a_kill_the_thread_that_starts_from_its_checkpoint_sends_nothing_again(
    parcels, desk, point, issued, kind
):
    [(status, _)] = ended([started(parcels.folder, parcels.origin, point)])
    assert status == -signal.SIGKILL
    until_issued(desk, issued)
    found = thread(parcels, says()).goes(None)  # from the checkpoint, in this process
    assert [asked["kind"] for asked in stopped_for(found)] == [kind] * (kind is not None)
    assert passages(desk) == issued
    assert models.Operation.objects.get().sealed


def test_what_a_killed_process_had_not_recorded_is_sent_by_the_one_that_starts_from_the_checkpoint(parcels, desk):
    ended([started(parcels.folder, parcels.origin, "meant")])
    assert tickets(desk) == 0
    found = thread(parcels, says()).goes(None)  # from the checkpoint, in this process
    assert (stopped_for(found), passages(desk)) == ([], 1)


# The thread is wound back.


def test_a_thread_that_is_wound_back_to_before_the_call_sends_nothing_again(parcels, desk):
    found = thread(parcels, calls("call_1"), says(), says("Once more."))
    found.starts()
    assert stopped_for(found.goes_from("tools")) == []
    assert outputs(found.model.requests[-1])["call_1"][0]["next"] == "applied"
    assert (len(found.model.requests), passages(desk)) == (3, 1)


# Several calls at once.


def test_of_two_calls_at_once_the_one_that_is_known_is_not_made_again(parcels, desk):
    orders = {"call_1": "order-1001", "call_2": "order-1002"}
    desk.control.tell(key="order-1001", reply="lost")
    found = thread(parcels, both(), says(), orders=orders)
    [asked] = stopped_for(found.starts())
    assert asked["identity"] == "order-1001"
    settled(asked["operation"])
    assert stopped_for(found.resumes({})) == []
    told = outputs(found.model.requests[-1])
    assert [[one["next"] for one in told[call]] for call in orders] == [["applied"], ["applied"]]
    assert [passages(desk, order) for order in orders.values()] == [1, 1]


EACH = {"call_1": "order-1001", "call_2": "order-1002"}


def east_and_west():
    """The model calls the tool for one parcel at two desks at once."""
    east, west = calls("call_1"), calls("call_2", parcel="Cedar", place="West")
    return east.model_copy(update={"tool_calls": [*east.tool_calls, *west.tool_calls]})


def test_of_east_and_west_at_once_one_leaves_while_the_first_is_open(parcels, desk):
    for order in EACH.values():
        desk.control.tell(key=order, reply="lost")
    found = thread(parcels, east_and_west(), says(), orders=EACH)
    [asked] = stopped_for(found.starts())
    assert sorted(passages(desk, order) for order in EACH.values()) == [0, 1]
    settled(asked["operation"])
    assert stopped_for(found.resumes({})) == []
    told = outputs(found.model.requests[-1])
    assert sorted(one["next"] for call in EACH for one in told[call]) == ["applied", "refused"]
    assert sorted(passages(desk, order) for order in EACH.values()) == [0, 1]


@pytest.mark.parametrize(("mode", "left"), [(Mode.LOCAL, [1, 1]), (Mode.DESK, [0, 0])])
def test_with_the_desk_away_east_and_west_both_leave_locally_and_neither_does_strictly(parcels, desk, mode, left):
    parcels.door.down = True
    found = thread(at(parcels, mode), east_and_west(), says(), orders=EACH)
    assert len(stopped_for(found.starts())) == 2
    assert [passages(desk, order) for order in EACH.values()] == left


def test_two_calls_for_one_intent_leave_once(parcels, desk):
    orders = {"call_1": "order-1001", "call_2": "order-1001"}
    found = thread(parcels, calls("call_1", "call_2"), says(), orders=orders)
    if stopped_for(found.starts()):  # the second asked while the first was under way
        found.resumes({})
    assert (passages(desk), len(outputs(found.model.requests[-1]))) == (1, 2)


def test_calls_that_share_a_task_send_nothing_again_whoever_gets_the_answer(parcels, desk):
    orders = {"call_1": "order-1001", "call_2": "order-1002"}
    for order in orders.values():
        desk.control.tell(key=order, reply="lost")
    found = thread(parcels, both(), says(), orders=orders, edge=lambda _: "tools")
    stopped = stopped_for(found.starts())
    for _ in range(3):
        stopped = stopped_for(found.resumes({"receipt": "T-1001"}))
        assert stopped
    assert [passages(desk, order) for order in orders.values()] == [1, 1]


# What makes no request, and what changes on the way.


@pytest.mark.parametrize("arguments", [{"parcel": "Cedar"}, {"parcel": 7, "place": "East"}, {"wrong": "Cedar"}])
def test_arguments_that_make_no_request_are_answered_with_an_envelope(parcels, desk, arguments):
    found = thread(parcels, calls("call_1", **arguments), says())
    found.starts()
    [told] = outputs(found.model.requests[-1])["call_1"]
    assert (told["next"], told["sent"], tickets(desk)) == ("refused", "no", 0)
    assert "again" not in told["reason"]


def test_another_request_under_the_same_name_is_refused_and_not_sent(parcels, desk):
    orders = {"call_1": "order-1001", "call_2": "order-1001"}
    west = calls("call_2", **{**EAST, "place": "West"})
    found = thread(parcels, calls("call_1"), west, says(), orders=orders)
    found.starts()
    assert outputs(found.model.requests[-1])["call_2"][0]["next"] == "refused"
    assert passages(desk) == 1


def test_an_edge_gives_each_call_a_task_of_its_own_and_ends_without_any():
    route = one_task_each()
    sent = route({"messages": [calls("call_1", "call_2")]})
    assert [one.node for one in sent if isinstance(one, Send)] == ["tools"] * 2
    assert route({"messages": [says()]}) == "__end__"

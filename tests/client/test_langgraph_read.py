"""Produced, delivered and read are facts of their own: the desk has each by what evidences it, and none of them twice."""

from uuid import UUID

import pytest

from operations import models
from operations.reading.owed import results_owed
from tests.client.decided import decided
from tests.client.graphs import calls, outputs, says, stopped_for
from tests.client.settled import settled
from tests.client.threads import door, lost, passages, thread

pytestmark = pytest.mark.django_db
__all__ = ["door"]


def steps() -> list[tuple[str, str, str]]:
    """The steps of the hand-over that the desk has on record."""
    return sorted(models.Delivery.objects.values_list("step", "call", "run"))


def owed() -> int:
    """How many results are owed."""
    return len(results_owed(among=None, limit=10))


def test_what_the_agent_learnt_by_itself_is_not_owed_to_it(parcels):
    thread(parcels, calls("call_1"), says()).starts()
    assert (steps(), owed()) == ([], 0)


def test_a_result_that_the_model_replied_to_is_read_and_owed_no_more(parcels, desk):
    found, asked = lost(parcels, desk, calls("call_2"), says("Issued."))
    settled(asked["operation"])
    assert owed() == 1
    found.orders["call_2"] = "order-1001"
    assert stopped_for(found.resumes({})) == []
    assert steps() == [("answered", "call_1", "chat-7"), ("collected", "call_1", "chat-7")]
    assert (owed(), passages(desk)) == (0, 1)


def test_a_request_without_a_reply_leaves_the_result_owed_and_the_next_holds_it_once(parcels, desk):
    found, asked = lost(parcels, desk, ConnectionResetError("the model did not answer"), says())
    settled(asked["operation"])
    with pytest.raises(ConnectionResetError):
        found.resumes({})
    assert (steps(), owed()) == ([("collected", "call_1", "chat-7")], 1)
    found.goes(None)
    assert [len(outputs(request).get("call_1", [])) for request in found.model.requests] == [0, 1, 1]
    assert (steps()[0], owed(), passages(desk)) == (("answered", "call_1", "chat-7"), 0, 1)


def test_what_became_of_it_after_the_thread_went_on_enters_the_next_request_in_the_same_message(parcels, desk):
    found, asked = lost(parcels, desk, says("Nobody knows yet."), says("Issued."))
    decided(UUID(asked["operation"]), "left_unresolved")
    found.resumes({})
    settled(asked["operation"])
    found.goes({"messages": ["And now?"]})
    told = [outputs(request)["call_1"] for request in found.model.requests[1:]]
    assert [[one["next"] for one in some] for some in told] == [["left_unresolved"], ["applied"]]
    assert (owed(), passages(desk)) == (0, 1)


def test_what_was_read_while_the_desk_was_away_is_told_later(parcels, desk):
    found, asked = lost(parcels, desk)
    settled(asked["operation"])
    tell = type(found.model)._generate

    class Away(type(found.model)):  # type: ignore[misc]  # the scripted model, at a moment of its own
        def _generate(self, *args, **kwargs):
            parcels.door.down = True
            return tell(self, *args, **kwargs)

    found.model = Away(turns=found.model.turns)
    found.resumes({})
    assert owed() == 1
    parcels.door.down = False
    assert parcels.recorder.ship().waiting == 0
    assert (steps()[0], owed()) == (("answered", "call_1", "chat-7"), 0)

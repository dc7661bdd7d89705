"""An attempt that may have gone out before the desk could be asked is put on record, whatever it meets there."""

import pytest

from operations import models
from operations.reading.needing import NEEDS_PERSON
from operations.reporting import WORDS_CHANNEL
from tests.operations.api.calls import NOTHING, changed, program, registration, reply, rows

pytestmark = pytest.mark.django_db


def unasked(identity: str = "order-1", **more: str) -> dict[str, object]:
    """A registration of an attempt that may have gone out."""
    asked = registration(identity, **more)
    return {**asked, "attempt": {**asked["attempt"], "unasked": True}}


def test_it_says_so_as_a_truth_value_or_not_at_all(wire):
    assert wire.post("/operations", changed(registration(), "/attempt/unasked", "yes")).status == 422
    assert rows() == NOTHING


def test_who_does_not_own_the_socket_cannot_say_that_it_was_sent_once():
    assert program("agent").post("/operations", unasked()).rule == "missing_scope"
    assert rows() == NOTHING


def test_other_bytes_under_the_identity_are_not_put_on_record_as_these(wire, operation):
    found = wire.post("/operations", unasked(place="West", attempt="a9"))
    assert (found.status, found.rule, found.body["operation"]) == (409, "new_proposal", operation)
    assert models.Attempt.objects.count() == 1


def test_other_bytes_under_the_identity_are_kept_as_words_that_call_a_person_and_settle_nothing(wire, operation):
    before = wire.get(f"/operations/{operation}/standing").body
    for _ in range(2):
        wire.post("/operations", unasked(place="West", attempt="a9"))
    [seen] = models.Observation.objects.all()
    assert (seen.channel, seen.fact, seen.authentic) == (WORDS_CHANNEL, NEEDS_PERSON, False)
    assert "Attempt a9" in seen.words
    assert '/target: here "/desks/East/tickets", there "/desks/West/tickets"' in seen.words
    after = wire.get(f"/operations/{operation}/standing").body
    assert [after[name] for name in ("evidence", "finality")] == [before[name] for name in ("evidence", "finality")]


def test_where_the_outcome_is_established_the_words_are_kept_and_call_nobody(wire, operation):
    wire.post(f"/operations/{operation}/replies", reply())
    assert wire.get(f"/operations/{operation}/standing").body["evidence"] == "applied"
    wire.post("/operations", unasked(place="West", attempt="a9"))
    assert [seen.fact for seen in models.Observation.objects.filter(channel=WORDS_CHANNEL)] != [NEEDS_PERSON]


def test_what_was_not_sent_yet_leaves_no_words(wire, operation):
    assert wire.post("/operations", registration(place="West", attempt="a9")).rule == "new_proposal"
    assert models.Observation.objects.count() == 0


def test_a_fresh_one_is_on_record_and_says_that_it_was_not_asked(wire):
    found = wire.post("/operations", unasked())
    assert (found.status, found.body["attempt"]) == (201, {"id": "a1", "recorded": True})
    assert models.Attempt.objects.get().recorded_by.endswith(", not asked before it could be sent")


def test_told_again_it_changes_nothing(wire):
    first = wire.post("/operations", unasked())
    again = wire.post("/operations", unasked())
    assert (again.status, again.body) == (200, {**first.body, "created": False})
    assert models.Attempt.objects.count() == 1


def test_told_after_the_reply_of_the_desk_was_lost_it_is_the_one_that_was_asked_for(wire, operation):
    again = wire.post("/operations", unasked())
    assert (again.status, again.body["attempt"]["recorded"]) == (200, True)
    assert models.Attempt.objects.count() == 1


def test_beside_an_open_operation_it_is_on_record_and_the_other_is_named(wire, operation):
    assert wire.post("/operations", registration("order-2")).rule == "confronts_open_operation"
    found = wire.post("/operations", unasked("order-2"))
    assert (found.status, found.body["confronts"]) == (201, operation)


def test_an_attempt_of_another_writer_is_on_record_without_a_grant_and_can_still_act(wire, operation):
    wire.post(f"/operations/{operation}/facts", {"event": "e1", "attempt": "a1", "fact": "not_sent"})
    wire.post(f"/operations/{operation}/seal", {})
    assert wire.get(f"/operations/{operation}/standing").body["evidence"] == "not_applied"
    found = wire.post("/operations", unasked(attempt="b1"))
    assert (found.status, found.body["attempt"]) == (200, {"id": "b1", "recorded": True})
    assert [one["number"] for one in wire.get(f"/operations/{operation}").body["attempts"]] == [1, 2]
    assert wire.get(f"/operations/{operation}/standing").body["evidence"] == "unknown"


def test_in_a_batch_each_is_put_on_record_and_the_others_are_judged(wire):
    items = [registration("order-1"), unasked("order-2"), registration("order-3"), unasked("order-1", attempt="b1")]
    found = wire.post("/batch", {"items": [{"kind": "register", **one} for one in items]}).body["results"]
    assert [one["status"] for one in found] == [201, 201, 409, 200]
    assert models.Attempt.objects.count() == 3


def test_an_observation_says_what_its_channel_may_speak_for(wire, operation):
    wire.post(f"/operations/{operation}/facts", {"event": "e1", "attempt": "a1", "fact": "timeout"})
    [seen] = wire.get(f"/operations/{operation}").body["observations"]
    assert (seen["channel"], seen["authority"]) == ("wire", "client")

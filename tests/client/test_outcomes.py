"""A guarded call: what leaves, what is on record, and what the model reads."""

import json
from dataclasses import replace

import pytest

from operations import models
from tests.client.parcels import NOWHERE, tickets
from unresolved import Next, Reply, Sent

pytestmark = pytest.mark.django_db


def test_an_answer_is_on_record_and_the_model_reads_that_it_happened(parcels, desk):
    found = parcels.issue()
    assert (found.next, found.evidence, found.finality, found.sent) == (Next.APPLIED, "applied", "settled", Sent.YES)
    assert json.loads(found.reply["body"])["ticket"]["number"] == "T-1001"
    assert found.protected_effect == "Issue one collection ticket for parcel Cedar at desk East"
    assert tickets(desk) == 1


def test_a_lost_reply_is_unknown_and_held_and_sealed(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    found = parcels.issue()
    assert (found.next, found.evidence, found.sent, found.reply) == (Next.HELD, "unknown", Sent.YES, None)
    assert models.Operation.objects.get().sealed
    assert tickets(desk) == 1


def test_the_model_that_calls_again_sends_nothing(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    parcels.issue()
    found = parcels.issue()
    assert (found.next, found.reason) == (Next.HELD, "it was attempted before; a repeat takes a grant of the desk")
    assert len(desk.control.truth("order-1001")["passages"]) == 1
    assert models.Attempt.objects.count() == 1


def test_a_request_that_never_left_is_known_not_to_have_happened(parcels, desk):
    parcels.origin = NOWHERE
    found = parcels.issue()
    assert (found.next, found.evidence, found.finality) == (Next.NOT_SENT, "not_applied", "excluded")
    assert found.sent is Sent.NO
    assert tickets(desk) == 0


def test_the_envelope_has_the_same_keys_whatever_happened(parcels, desk):
    desk.control.tell(key="order-1001", reply="lost")
    found = [parcels.issue(), parcels.issue(), parcels.issue("order-2", parcel="Elm")]
    parcels.door.down = True
    found.append(parcels.issue("order-3", parcel="Yew"))
    assert {tuple(one.as_dict()) for one in found} == {tuple(found[0].as_dict())}
    assert all(json.loads(one.as_text())["bound_arguments"]["place"] == "East" for one in found)


def test_an_answer_with_lines_that_no_desk_takes_gets_there_without_them(parcels, desk):
    lines = (
        ("Set-Cookie", "sid=secret"),
        ("X-Long", "x" * 9000),
        ("X-Null", "a\x00b"),
        ("Content-Type", "application/json"),
    )
    with parcels.recorder.attempt(parcels.call(sender=None)) as under:
        under.attempt.reply = replace(parcels.sender.send(under.attempt.request).reply, headers=lines)
    assert under.envelope.next is Next.APPLIED
    assert models.Observation.objects.get().headers == [["X-Null", "ab"], ["Content-Type", "application/json"]]
    assert "secret" not in str(parcels.rows("SELECT item FROM events"))


def test_a_status_that_is_none_settles_nothing_and_gets_there(parcels, desk):
    with parcels.recorder.attempt(parcels.call(sender=None)) as under:
        under.attempt.reply = Reply(status=999, body=b"no")
    assert under.envelope.next is Next.HELD
    assert (models.Observation.objects.get().status, under.envelope.reason) == (None, None)

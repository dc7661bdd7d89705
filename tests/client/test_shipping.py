"""What was recorded reaches the desk once, however often it is told, and in the order in which it happened."""

from itertools import pairwise

import pytest

from operations import models
from tests.client.doors import key
from tests.client.parcels import Parcels, tickets
from tests.operations.rows import NOW
from unresolved import Next, Recorder, Sent, backlog

pytestmark = pytest.mark.django_db


def rows() -> tuple[int, int, int, int]:
    """Operations, attempts, observations and seals at the desk."""
    kinds = (models.Operation, models.Attempt, models.Observation, models.Seal)
    return tuple([kind.objects.count() for kind in kinds])  # type: ignore[return-value]


def away(parcels: Parcels, *orders: str) -> None:
    """Calls for these orders while the desk is away, each for a parcel of its own."""
    parcels.door.down = True
    for order in orders:
        parcels.issue(order, parcel=f"parcel of {order}")
    parcels.door.down = False


def test_every_reply_of_the_desk_may_get_lost_and_nothing_is_there_twice(parcels):
    away(parcels, "one", "two", "three")
    parcels.door.loses = 2
    rounds = [parcels.recorder.ship() for _ in range(3)]
    assert [one.unreachable is None for one in rounds] == [False, False, True]
    assert rounds[-1].waiting == 0
    assert rows() == (3, 3, 3, 3)
    assert parcels.recorder.ship().recorded == 0


def test_an_operation_is_on_record_before_what_came_of_it_is_told(parcels):
    away(parcels, "one", "two")
    parcels.recorder.ship()
    for identity in ("one", "two"):
        kinds = [one["kind"] for one in parcels.door.told if one["identity"] == identity]
        assert kinds == ["register", "reply", "seal"]


def test_the_order_of_events_is_that_of_the_journal(parcels):
    away(parcels, "one", "two", "three")
    parcels.recorder.ship()
    told = [(one["identity"], one["kind"]) for one in parcels.door.told]
    journalled = parcels.rows(
        "SELECT o.identity, e.kind FROM events e JOIN operations o ON o.key = e.operation ORDER BY e.key"
    )
    assert sorted(told) == sorted(journalled)
    for identity in ("one", "two", "three"):
        mine = [told.index(one) for one in journalled if one[0] == identity]
        assert all(earlier < later for earlier, later in pairwise(mine))


def test_two_that_ship_at_once_double_nothing(parcels, desk):
    away(parcels, "one", "two")
    other = parcels.beside(name="ops.db")
    parcels.door.loses = 1
    parcels.recorder.ship()
    assert other.recorder.ship().waiting == 0
    assert parcels.recorder.ship().waiting == 0
    assert rows() == (2, 2, 2, 2)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 401])
def test_what_a_gateway_answers_is_no_answer_and_loses_nothing(parcels, status):
    away(parcels, "one")
    parcels.door.status = status
    found = parcels.recorder.ship()
    assert (found.recorded, found.refused, found.waiting) == (0, 0, 3)
    assert str(status) in str(found.unreachable)
    parcels.door.status = None
    assert parcels.recorder.ship().waiting == 0


def for_another(parcels: Parcels, *operations: int) -> None:
    """These operations are another recipient's, which the key is not for yet."""
    with parcels.journal.writing() as connection:
        connection.execute("DROP TRIGGER events_update_refused")
        for operation in operations:
            connection.execute(
                'UPDATE events SET item = replace(item, \'"recipient": "desk"\', \'"recipient": "shop"\')'
                " WHERE operation = ?",
                [operation],
            )


def test_however_many_have_to_wait_they_keep_no_other_back(parcels, monkeypatch):
    monkeypatch.setattr(backlog, "MOST_ITEMS", 2)
    away(parcels, "one", "two", "three")
    for_another(parcels, 1, 2)
    found = parcels.recorder.ship()
    assert (found.recorded, found.refused, found.waiting) == (3, 0, 6)


def test_an_operation_that_has_to_wait_keeps_no_other_back(parcels):
    away(parcels, "one", "two")
    contract = models.Contract.objects.get()
    models.Recipient.objects.create(key="shop", name="shop", created_at=NOW)
    parcels.door.key = key("transport", recipients=("desk",))
    assert contract.recipient.key == "desk"
    for_another(parcels, 1)
    found = parcels.recorder.ship()
    assert (found.recorded, found.refused, found.waiting) == (3, 0, 3)  # this key is not for that recipient, yet


def test_what_the_desk_refuses_for_good_is_told_and_stops_being_told(parcels, desk):
    parcels.door.down = True
    parcels.issue("one", place="Nowhere/else?")
    parcels.door.down = False
    found = parcels.recorder.ship()
    assert (found.refused, found.waiting) == (1, 0)
    told = parcels.collect("one")
    assert (told.next, told.known_by, told.evidence) == (Next.HELD, "journal", "unknown")
    assert "wrong_field" in str(told.reason)
    assert rows() == (0, 0, 0, 0)


def test_what_another_writer_sent_under_the_identity_is_put_on_record_beside_it(parcels, desk):
    other = parcels.beside(name="other.db")
    parcels.issue("one")
    parcels.door.down = True
    assert other.issue("one").sent is Sent.YES
    parcels.door.down = False
    assert other.recorder.ship().waiting == 0
    assert rows()[:2] == (1, 2)
    assert tickets(desk, "one") == 1


def test_what_came_of_other_bytes_is_told_of_no_operation_but_that_they_went_out_is_kept(parcels, desk):
    other = parcels.beside(name="other.db")
    parcels.issue("one")
    parcels.door.down = True
    other.issue("one", parcel="Elm")
    parcels.door.down = False
    found = other.recorder.ship()
    assert (found.refused, found.waiting) == (1, 0)
    assert "new_proposal" in str(other.collect("one").reason)
    assert rows() == (1, 1, 2, 1)
    [words] = [one.words for one in models.Observation.objects.all() if one.words]
    assert "Elm" in words


def test_while_one_waits_for_the_desks_word_nobody_tells_it_that_nobody_asked(parcels, desk):
    other = parcels.beside(name="ops.db")
    seen = []

    def passing(step):
        if step == "journalled":
            seen.append(other.recorder.ship().waiting)

    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, passing=passing)
    assert parcels.issue("one").next is Next.APPLIED
    assert seen == [1]
    assert "unasked" not in parcels.door.told[0]["attempt"]


def test_a_writer_that_asks_second_sends_nothing(parcels, desk):
    other = parcels.beside(name="other.db")
    parcels.issue("one")
    found = other.issue("one")
    assert (found.next, found.reason) == (
        Next.APPLIED,
        "another writer's attempt is on record; a repeat takes a grant of the desk",
    )
    assert len(desk.control.truth("one")["passages"]) == 1
    assert other.recorder.ship().waiting == 0
    assert rows()[:2] == (1, 1)


def test_a_fresh_name_for_the_same_thing_is_refused_before_it_is_sent(parcels, desk):
    desk.control.tell(key="one", reply="lost")
    parcels.issue("one")
    found = parcels.issue("two")
    assert (found.next, found.sent) == (Next.REFUSED, Sent.NO)
    assert found.reason.startswith("confronts_open_operation")
    assert tickets(desk, "two") == 0


def test_another_request_under_the_same_name_is_refused_by_the_journal_alone(parcels, desk):
    parcels.issue("one")
    parcels.door.down = True
    found = parcels.issue("one", place="West")
    assert (found.next, found.sent, found.bound_arguments["place"]) == (Next.REFUSED, Sent.NO, "West")
    assert len(desk.control.truth("one")["passages"]) == 1


def test_a_key_that_was_ended_sends_nothing_more(parcels, desk):
    parcels.door.key = "unr_0123456789abcdef." + "x" * 43
    found = parcels.issue("one")
    assert (found.next, found.sent, tickets(desk, "one")) == (Next.REFUSED, Sent.NO, 0)
    assert found.reason.startswith("no_key")


def test_a_journal_that_may_not_speak_for_others_seals_nothing(parcels, desk):
    desk.control.tell(key="one", reply="lost")
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, seals=False)
    parcels.issue("one")
    assert rows() == (1, 1, 1, 0)

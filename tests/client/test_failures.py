"""The table of failures (docs/integrate/failures.md), a test a row: what is sent, what is on record, what is told."""

import signal

import pytest

from operations import models
from tests.client.parcels import tickets, until_issued
from tests.client.processes import ended, started
from unresolved import Journal, Mode, Next, OneShot, Recorder, Sends, Sent

pytestmark = pytest.mark.django_db
BOTH = pytest.mark.parametrize("mode", list(Mode))


class Many(OneShot):
    """Somebody's library, of which nobody knows how often it sends."""

    @property
    def sends(self) -> Sends:
        return Sends.MANY


def on_record() -> int:
    """How many attempts the desk has on record."""
    return models.Attempt.objects.count()


def at(parcels, mode):
    """The same agent in another mode."""
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, mode=mode)
    return parcels


# Journal not writable: do not send.


@BOTH
def test_without_a_journal_nothing_is_sent(parcels, desk, tmp_path, mode):
    parcels.journal = Journal(tmp_path / "no such folder" / "ops.db")
    found = at(parcels, mode).issue()
    assert (found.next, found.sent, found.attempt) == (Next.NO_JOURNAL, Sent.NO, None)
    assert (tickets(desk), on_record(), parcels.door.calls.total()) == (0, 0, 0)


@BOTH
def test_a_file_that_is_no_journal_is_left_alone(parcels, desk, tmp_path, mode):
    (tmp_path / "ops.db").write_text("the shopping list\n" * 100)
    assert at(parcels, mode).issue().next is Next.NO_JOURNAL
    assert (tmp_path / "ops.db").read_text().startswith("the shopping list")
    assert tickets(desk) == 0


# Desk unreachable, journal ok, first attempt.


def test_locally_a_first_attempt_is_sent_and_told_once_the_desk_is_back(parcels, desk):
    parcels.door.down = True
    found = parcels.issue()
    assert (found.known_by, found.sent, found.evidence, found.permitted) == ("journal", Sent.YES, "unknown", [])
    assert (tickets(desk), on_record(), parcels.recorder.ship().waiting) == (1, 0, 3)
    parcels.door.down = False
    assert parcels.recorder.ship().waiting == 0
    assert parcels.collect().next is Next.APPLIED
    assert on_record() == 1


def test_strictly_a_first_attempt_is_not_sent_and_is_closed_as_unsent(parcels, desk):
    parcels.door.down = True
    found = at(parcels, Mode.DESK).issue()
    assert (found.next, found.sent, tickets(desk)) == (Next.NOT_SENT, Sent.NO, 0)
    assert parcels.rows("SELECT mark, sent FROM marks") == [("unsent", "no")]
    parcels.door.down = False
    assert parcels.recorder.ship().waiting == 0
    assert on_record() == 0  # the desk was never asked for anything


def test_strictly_a_lost_word_of_the_desk_is_no_leave_and_the_desk_learns_that_nothing_left(parcels, desk):
    parcels.door.loses = 1
    assert at(parcels, Mode.DESK).issue().next is Next.NOT_SENT
    parcels.recorder.ship()
    assert (tickets(desk), on_record()) == (0, 1)
    assert models.Observation.objects.get().fact == "not_sent"


def test_who_may_send_many_times_claims_nothing_of_what_did_not_leave(parcels):
    parcels.door.loses = 1
    found = at(parcels, Mode.DESK).issue(sender=Many(origin=parcels.origin))
    assert (found.next, found.sent) == (Next.NOT_SENT, Sent.NO)
    parcels.recorder.ship()
    assert models.Observation.objects.count() == 0


def test_strictly_what_was_kept_back_is_asked_for_again_by_the_same_call(parcels, desk):
    parcels.door.down = True
    at(parcels, Mode.DESK).issue()
    parcels.door.down = False
    assert parcels.issue().next is Next.APPLIED
    assert (tickets(desk), on_record()) == (1, 1)


# Desk unreachable, any repeat: hold.


@BOTH
def test_without_the_desk_no_repeat_is_sent(parcels, desk, mode):
    desk.control.tell(key="order-1001", reply="lost")
    parcels.issue()
    parcels.door.down = True
    found = at(parcels, mode).issue()
    assert found.next is Next.HELD
    assert "a repeat takes a grant" in found.reason
    assert len(desk.control.truth("order-1001")["passages"]) == 1


@BOTH
def test_what_was_kept_back_is_not_sent_later_without_the_desk_either(parcels, desk, mode):
    parcels.door.down = True
    at(parcels, Mode.DESK).issue()
    again = at(parcels, mode).issue()
    assert (again.next, again.sent) == (Next.NOT_SENT, Sent.NO)
    assert parcels.collect().next is Next.NOT_SENT
    assert tickets(desk) == 0


# Crash after intent, before or after send: the attempt is open and its outcome unknown; observe, hold.

POINTS = [
    # where it dies, how many tickets there are, what the journal knows was sent, what the desk then knows
    ("meant", 0, None, None),
    ("journalled", 0, Sent.UNKNOWN, "unknown"),
    ("unasked", 0, Sent.UNKNOWN, "unknown"),
    ("first_byte", 1, Sent.UNKNOWN, "unknown"),
    ("ended", 1, Sent.UNKNOWN, "unknown"),
    ("recorded", 1, Sent.YES, "applied"),
]


@pytest.mark.parametrize(("point", "issued", "sent", "evidence"), POINTS)
def test_after_a_kill_the_journal_says_what_is_known(parcels, desk, point, issued, sent, evidence):
    [(status, _)] = ended([started(parcels.folder / "ops.db", parcels.origin, point)])
    assert status == -signal.SIGKILL
    until_issued(desk, issued)
    parcels.recorder.ship()
    journalled = parcels.rows("SELECT id FROM attempts")
    assert [row for (row,) in journalled] == list(models.Attempt.objects.values_list("attempt", flat=True))
    assert len(journalled) == (sent is not None)
    assert tickets(desk) == issued
    if sent is not None:
        found = parcels.collect()
        assert (found.sent, found.evidence) == (sent, evidence)
        assert models.Operation.objects.get().sealed


@pytest.mark.parametrize(("point", "issued"), [one[:2] for one in POINTS if one[2] is Sent.UNKNOWN])
def test_after_a_kill_the_same_call_sends_nothing_more(parcels, desk, point, issued):
    ended([started(parcels.folder / "ops.db", parcels.origin, point)])
    until_issued(desk, issued)
    found = parcels.issue()
    assert (found.next, found.sent) == (Next.HELD, Sent.UNKNOWN)
    assert len(desk.control.truth("order-1001")["passages"]) == issued


# Second process, same journal: one winner.


def test_of_several_processes_on_one_journal_one_sends(parcels, desk):
    journal = parcels.folder / "ops.db"
    found = ended([started(journal, parcels.origin, "never") for _ in range(4)])
    assert [status for status, _ in found] == [0] * 4
    assert sorted([told["next"] for _, told in found]) == ["held"] * 4  # nobody could ask the desk what it means
    assert len(desk.control.truth("order-1001")["passages"]) == 1
    assert len(parcels.rows("SELECT 1 FROM attempts")) == 1

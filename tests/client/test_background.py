"""The desk is told beside the work, round by round, whatever becomes of a round; and the thread ends with its block."""

import asyncio
import threading
from dataclasses import dataclass, field
from queue import SimpleQueue

import pytest

from tests.client.nowhere import asked, tickets_contract
from unresolved import Call, Desk, Journal, JournalUnwritable, OneShot, Recorder, Shipped, Shipper

WAIT = 30  # seconds; a bound, not a delay


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds(Recorder):
    """One whose rounds a test sees, each with what it ends in."""

    ends: "SimpleQueue[Exception | None]" = field(default_factory=SimpleQueue)
    begun: "SimpleQueue[str]" = field(default_factory=SimpleQueue)

    def ship(self) -> Shipped:
        self.begun.put(threading.current_thread().name)
        error = self.ends.get(timeout=WAIT)
        if error is not None:
            raise error
        return Shipped(recorded=1)


def rounds(tmp_path, *ends: Exception | None) -> Rounds:
    made = Rounds(journal=Journal(tmp_path / "ops.db"), desk=Desk(url="http://127.0.0.1:9", key="unr_none"))
    for one in ends:
        made.ends.put(one)
    return made


def test_a_round_that_fails_is_followed_by_the_next(tmp_path, caplog):
    recorder = rounds(tmp_path, JournalUnwritable("full"), ZeroDivisionError(), None)
    with Shipper(recorder=recorder, every=0.0) as shipper:
        for _ in range(4):
            assert recorder.begun.get(timeout=WAIT) == "unresolved shipper"
        assert shipper.last == Shipped(recorded=1)
        recorder.ends.put(None)
        recorder.ends.put(None)
        shipper.stop()
    assert {one.levelname for one in caplog.records} == {"WARNING", "ERROR"}


def test_it_ends_with_its_block_and_no_round_begins_behind_it(tmp_path):
    recorder = rounds(tmp_path, None)
    with Shipper(recorder=recorder, every=600.0):
        recorder.begun.get(timeout=WAIT)
    assert recorder.begun.empty()
    assert "unresolved shipper" not in [one.name for one in threading.enumerate()]


def test_who_cannot_wait_for_a_round_leaves_it(tmp_path):
    recorder = rounds(tmp_path)
    shipper = Shipper(recorder=recorder)
    shipper.start()
    recorder.begun.get(timeout=WAIT)
    assert shipper.stop(wait=0) is False
    with pytest.raises(RuntimeError, match="already"):
        shipper.start()
    recorder.ends.put(None)
    assert shipper.stop() is True


def test_it_starts_again(tmp_path):
    recorder = rounds(tmp_path, None, None)
    shipper = Shipper(recorder=recorder, every=600.0)
    for _ in range(2):
        with shipper:
            recorder.begun.get(timeout=WAIT)


def test_under_asyncio_it_is_the_same_and_keeps_no_loop_waiting(tmp_path):
    recorder = rounds(tmp_path, None)

    async def main() -> None:
        async with Shipper(recorder=recorder, every=600.0):
            await asyncio.to_thread(recorder.begun.get)

    asyncio.run(main())
    assert "unresolved shipper" not in [one.name for one in threading.enumerate()]


def test_it_tells_the_desk_what_waits_and_the_recipient_nothing(tmp_path, server):
    journal = Journal(tmp_path / "ops.db")
    away = Recorder(journal=journal, desk=Desk(url="http://127.0.0.1:9", key="unr_none"))
    call = Call(
        tool="issue", contract=tickets_contract(), identity="one", request=asked(), sender=OneShot(origin=server.url)
    )
    with away.attempt(call) as under:
        under.attempt.send()
    assert [one.path for one in server.arrived] == ["/desks/East/tickets"]
    recorder = Recorder(journal=journal, desk=Desk(url=server.url, key="unr_none"))
    server.bodies = [b"no answer of a desk"]
    with Shipper(recorder=recorder, every=600.0) as shipper:
        while shipper.last is None:
            threading.Event().wait(0.01)
    assert [one.path for one in server.arrived][1:] == ["/api/v1/batch"]
    assert shipper.last.waiting == 3
    journal.close()

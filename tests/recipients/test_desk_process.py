"""A desk that is killed comes back knowing all that it did."""

import json
import signal
from pathlib import Path

import pytest

from tests.recipients.client import Ended
from tests.recipients.desk_public import status, told
from tests.recipients.fixtures import reached
from tests.recipients.process import desk_process


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def test_what_a_killed_desk_did_it_still_knows(journal: Path):
    with desk_process("--journal", str(journal), "--terms", '{"keeps_for": 3600}') as process:
        desk = reached(process.opened)
        desk.public.ask_for_ticket("order-1")
        desk.control.tell(reply="lost")
        desk.public.ask_for_ticket("order-2")
        desk.public.close("order-3")
        desk.control.tell(handling="refuse")
        desk.public.ask_for_ticket("order-4")
        desk.control.collect("T-1001")
        before = desk.control.truth()
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    with desk_process("--journal", str(journal)) as process:
        desk = reached(process.opened)
        after = desk.control.truth()
        assert {**after, "now": 0, "reads": {}} == {**before, "now": 0, "reads": {}}
        assert told(desk.public.ask_for_ticket("order-2"))["ticket"]["number"] == "T-1002"
        assert status(desk.public.ask_for_ticket("order-3")) == 410
        assert status(desk.public.ask_for_ticket("order-4")) == 422


def test_what_was_held_and_pending_can_still_end(journal: Path):
    with desk_process("--journal", str(journal)) as process:
        desk = reached(process.opened)
        desk.control.tell(key="order-1", request="held")
        desk.control.tell(key="order-2", work="held")
        desk.control.tell(key="order-3", handling="accept")
        for key in ("order-1", "order-2"):
            desk.public.ask_for_ticket(key, within=0.05)
            desk.control.held(key)
        desk.public.ask_for_ticket("order-3")
        process.end(signal.SIGKILL)
    with desk_process("--journal", str(journal)) as process:
        desk = reached(process.opened)
        assert [desk.public.operation(f"order-{n}")["state"] for n in (1, 2, 3)] == ["absent", "received", "pending"]
        for hold in desk.control.held():
            desk.control.release(hold["id"])
        desk.control.finish("p3")
        assert desk.control.truth()["tickets_by_key"] == {
            "order-1": ["T-1001"],
            "order-2": ["T-1002"],
            "order-3": ["T-1003"],
        }


def test_the_clock_stays_ahead(journal: Path):
    arguments = ("--journal", str(journal), "--clock", "1767268800")
    with desk_process(*arguments) as process:
        assert reached(process.opened).control.advance(90) == 1767268890
    with desk_process(*arguments) as process:
        assert reached(process.opened).control.truth()["now"] == 1767268890


def test_a_line_that_was_cut_short_was_never_carried_out(journal: Path):
    with desk_process("--journal", str(journal)) as process:
        reached(process.opened).public.ask_for_ticket("order-1")
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"command": "rec')
    with desk_process("--journal", str(journal)) as process:
        reached(process.opened).public.ask_for_ticket("order-2")
        assert len(reached(process.opened).control.truth()["tickets"]) == 2
    assert [json.loads(line)["command"] for line in journal.read_bytes().splitlines()][-1] == "receive"


def test_no_credential_is_in_the_journal(journal: Path):
    with desk_process("--journal", str(journal)) as process:
        reached(process.opened).public.ask_for_ticket("order-1")
    assert b"credential-of-one" not in journal.read_bytes()


def test_a_desk_can_come_back_at_its_address(journal: Path):
    with desk_process("--journal", str(journal)) as process:
        first = process.opened
        reached(first).public.ask_for_ticket("order-1")
        process.end(signal.SIGKILL)
    assert reached(first).public.ask_for_ticket("order-1").ended is Ended.NOT_CONNECTED
    ports = [address.rpartition(":")[2] for address in (first.url, first.control_url)]
    with desk_process("--journal", str(journal), "--port", ports[0], "--control-port", ports[1]) as process:
        assert process.opened.url == first.url
        assert told(reached(process.opened).public.ask_for_ticket("order-1"))["ticket"]["number"] == "T-1001"


def test_it_ends_in_order_while_something_is_held():
    with desk_process() as process:
        desk = reached(process.opened)
        desk.control.tell(request="held")
        desk.public.ask_for_ticket("order-1", within=0.05)
        desk.control.held("order-1")
        assert process.end() == 0

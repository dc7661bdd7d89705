"""Agents are killed at every point of a call while the desk listens: what is on record is what was journalled, and no ticket
is there that nobody asked for."""

import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from operations import models
from tests.client import doors
from tests.client.nowhere import tickets_contract
from tests.client.parcels import until_issued
from tests.client.processes import ended, started
from tests.operations.granted import granted
from tests.recipients.fixtures import CollectionDesk, desk_on
from unresolved import Desk, Journal, Next, Recorder

pytestmark = pytest.mark.django_db(transaction=True)

# Where it dies, and how many tickets there are.
POINTS = {"meant": 0, "journalled": 0, "asked": 0, "first_byte": 1, "ended": 1, "recorded": 1}
# Of these the desk knows what happened once it was told; of the others nobody does, but the recipient.
KNOWN = {"recorded": "applied"}


def attempts_of(journal: Journal) -> list[str]:
    with journal.reading() as connection:
        return sorted(row["id"] for row in connection.execute("SELECT id FROM attempts"))


def on_record() -> list[str]:
    return sorted(models.Attempt.objects.values_list("attempt", flat=True))


def tickets(recipient: CollectionDesk) -> int:
    return len(recipient.control.truth()["tickets"])


def test_what_is_on_record_is_what_was_journalled_at_every_point(live_server: Any, tmp_path: Path):
    doors.awake(live_server.url)
    key = doors.key()
    with desk_on({"keeps_for": 86_400, "after": "runs_as_new"}) as recipient:
        agents = [
            started(tmp_path / "ops.db", recipient.url, point, order=point, desk=live_server.url, key=key)
            for point in POINTS
        ]
        assert {status for status, _ in ended(agents)} == {-signal.SIGKILL}
        for point, issued in POINTS.items():
            until_issued(recipient, issued, point)
        journal = Journal(tmp_path / "ops.db")
        recorder = Recorder(journal=journal, desk=Desk(url=live_server.url, key=key, patience=30.0))
        assert recorder.ship().waiting == 0
        assert attempts_of(journal) == on_record()
        assert len(on_record()) == len(POINTS) - 1
        for point in POINTS.keys() - {"meant"}:
            found = recorder.collect(tickets_contract(), identity=point)
            assert found is not None
            assert (found.known_by, found.evidence) == ("desk", KNOWN.get(point, "unknown")), point
        agents = [
            started(tmp_path / "ops.db", recipient.url, "never", order=point, desk=live_server.url, key=key)
            for point in POINTS
        ]
        words = dict(zip(POINTS, [told["next"] for _, told in ended(agents)], strict=True))
        assert words == {**dict.fromkeys(POINTS, Next.HELD), "meant": Next.APPLIED, "recorded": Next.APPLIED}
        assert tickets(recipient) == sum(POINTS.values()) + 1  # the one of which nothing was meant yet


def test_a_repeat_that_is_killed_adds_no_ticket(live_server: Any, tmp_path: Path):
    doors.awake(live_server.url)
    key = doors.key()
    with desk_on({"keeps_for": 86_400, "after": "runs_as_new"}) as recipient:
        journal = Journal(tmp_path / "ops.db")
        recorder = Recorder(journal=journal, desk=Desk(url=live_server.url, key=key, patience=30.0))
        for number, point in enumerate(("first_byte", "journalled", "asked"), start=1):
            agent = started(
                tmp_path / "ops.db", recipient.url, point, desk=live_server.url, key=key, ago=60 - 10 * number
            )
            assert ended([agent])[0][0] == -signal.SIGKILL
            until_issued(recipient, 1)
            assert recorder.ship().waiting == 0
            assert attempts_of(journal) == on_record()
            assert len(on_record()) == number
            granted(models.Operation.objects.get().id, now=datetime.now(UTC))
        assert len(recipient.control.truth("order-1001")["passages"]) == 1

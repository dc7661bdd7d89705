"""An agent with the client, at a desk that listens on loopback: a lost reply is repeated once, when a person granted it."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.client import doors
from tests.client.nowhere import asked, tickets_contract
from tests.operations.granted import granted
from tests.recipients.fixtures import desk_on
from unresolved import Attempt, Desk, Journal, Next, OneShot, Recorder, Seen, guarded

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_lost_reply_is_repeated_under_a_grant_and_there_is_one_ticket(live_server: Any, tmp_path: Path):
    doors.awake(live_server.url)
    with desk_on({"keeps_for": 86_400, "after": "runs_as_new"}) as recipient:
        ago = [10.0]  # seconds, because the recipient wants some between two requests
        recorder = Recorder(
            journal=Journal(tmp_path / "ops.db"),
            desk=Desk(url=live_server.url, key=doors.key()),
            clock=lambda: time.time() - ago[0],
        )
        sender = OneShot(
            origin=recipient.url,
            credentials=lambda: {"Authorization": "Bearer credential-of-one"},
            patience=0.2,
        )

        @guarded(
            recorder,
            "issue_ticket",
            tickets_contract(),
            intent=lambda given: given["order"],
            request=lambda given: asked(parcel=given["parcel"]),
            sender=sender,
        )
        def issue_ticket(attempt: Attempt, *, order: str, parcel: str) -> Seen:
            return attempt.send()

        recipient.control.tell(key="order-1001", reply="lost")
        first = issue_ticket(order="order-1001", parcel="Cedar")
        assert (first.next, first.evidence, first.known_by) == (Next.HELD, "unknown", "desk")
        assert issue_ticket(order="order-1001", parcel="Cedar").next is Next.HELD

        granted(UUID(first.operation), now=datetime.now(UTC))
        waiting = recorder.collect(tickets_contract(), identity="order-1001")
        assert waiting is not None
        assert waiting.next is Next.REPEAT_GRANTED
        ago[0] = 0.0
        second = issue_ticket(order="order-1001", parcel="Cedar")
        assert (second.next, second.evidence, second.finality) == (Next.APPLIED, "applied", "settled")
        assert issue_ticket(order="order-1001", parcel="Cedar").next is Next.APPLIED
        assert len(recipient.control.tickets("order-1001")) == 1
        assert len(recipient.control.truth("order-1001")["passages"]) == 2

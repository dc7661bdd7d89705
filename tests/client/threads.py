"""A thread of LangGraph with one guarded tool, what became of its ticket at the recipient, and a person at the desk."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from operations import models
from operations.asking import ask_now
from tests.client.doors import key
from tests.client.ferry import Ferried
from tests.client.graphs import Scripted, Thread, calls, says, stopped_for, tool_of
from tests.client.parcels import Parcels
from tests.recipients.reached import CREDENTIAL
from unresolved import Attempt, Seen, guarded


@pytest.fixture
def door(db: None) -> Ferried:
    return Ferried(url="http://desk.invalid", key=key())


def thread(parcels, *turns, **more) -> Thread:
    """A thread whose model says these turns."""
    tool = tool_of(more.pop("function", None) or parcels.tool())
    return Thread(door=parcels.door, folder=parcels.folder, model=Scripted(turns=[*turns]), tools=[tool], **more)


def lost(parcels, desk, *turns, **more) -> tuple[Thread, dict[str, Any]]:
    """A thread whose ticket's reply was lost, and what it stopped for."""
    desk.control.tell(key="order-1001", reply="lost")
    parcels.ago = 10.0
    found = thread(parcels, calls("call_1"), *(turns or [says()]), **more)
    [asked] = stopped_for(found.starts())
    parcels.ago = 0.0
    return found, asked


def passages(desk, order="order-1001") -> int:
    """How many requests the recipient saw."""
    return len(desk.control.truth(order)["passages"])


def async_tool(parcels: Parcels) -> Any:
    """The same tool, awaited."""

    @guarded(parcels.recorder, "issue_ticket", parcels.call().contract, intent=lambda given: given["order"],
             request=lambda given: parcels.call(parcel=given["parcel"], place=given["place"]).request,
             sender=parcels.sender)  # fmt: skip
    async def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
        """Have one collection ticket issued."""
        await asyncio.sleep(0)
        return await attempt.send_async()

    return issue_ticket


@pytest.fixture
def finds(parcels, desk, monkeypatch):
    """A person at the desk who finds a receipt by the number that is on it."""
    settings = {"UNRESOLVED_ALLOWED_NETWORKS": "desk=127.0.0.0/8", CREDENTIAL: "credential-of-one",
                f"{CREDENTIAL}_FOR": desk.url, f"{CREDENTIAL}_SCOPE": "account one"}  # fmt: skip
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    models.Recipient.objects.update(address=desk.url)

    def find(operation: str, ticket: str = "T-1001") -> None:
        ask_now(UUID(operation), "ticket", clock=lambda: datetime.now(UTC), by="mira", reference=ticket)

    return find

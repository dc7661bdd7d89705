"""A demonstration: two collection desks, and an agent that asks them for tickets and does not always hear back.

`python -m tests.recipients.demo --at ADDRESS` with an API key of scope transport in UNRESOLVED_DEMO_KEY. Each call is
registered at the agents' door before its first byte, sent once, and reported as far as the agent's socket knows.
It keeps the desks open until it is asked to stop.
"""

import argparse
import base64
import json
import os
import signal
import sys
import threading
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tests.recipients.client import Ended, Facts
from tests.recipients.fixtures import CollectionDesk, desk_on

KEPT, UNKEPT = "collection-desk", "collection-desk-without-keys"
TERMS: Final[Mapping[str, Mapping[str, Any]]] = {
    KEPT: {"keeps_for": 86_400, "after": "runs_as_new"},
    UNKEPT: {"mechanism": "none"},
}
NOWHERE = "http://127.0.0.1:9"  # nobody listens there
PATIENCE = 0.2  # seconds until the agent gives up an answer that is held back
_FACT = {Ended.TIMED_OUT: "timeout", Ended.RESET: "reset", Ended.CLOSED: "closed", Ended.NOT_CONNECTED: "not_sent"}


@dataclass(frozen=True, slots=True)
class Door:
    """The agents' door of one desk."""

    address: str
    key: str

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Make one call; anything but success ends the demonstration with the desk's own words."""
        asked = urllib.request.Request(  # noqa: S310  # the address is the desk's own
            f"{self.address}/api/v1{path}",
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310  # likewise
            return json.load(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One parcel: where it is asked for, what the desk is told to do, and whether the agent seals its record."""

    parcel: str
    recipient: str = KEPT
    told: Mapping[str, Any] = field(default_factory=dict)
    sealed: bool = True
    reachable: bool = True


STORIES: Final = (
    Story(parcel="Cedar", told={"reply": "lost"}),
    Story(parcel="Oak", told={"request": "lost"}),
    Story(parcel="Birch"),
    Story(parcel="Elm", told={"handling": "accept"}),
    Story(parcel="Ash", told={"handling": "refuse"}),
    Story(parcel="Yew", reachable=False),
    Story(parcel="Rowan", told={"handling": "fail_after"}),
    Story(parcel="Alder", told={"work": "held"}),
    Story(parcel="Lime", told={"reply": "lost"}, sealed=False),
    Story(parcel="Pine", recipient=UNKEPT, told={"reply": "lost"}),
)


def _registration(story: Story, identity: str, parcel: str) -> dict[str, Any]:
    body = base64.b64encode(json.dumps({"parcel": parcel}).encode()).decode()
    return {
        "recipient": story.recipient,
        "identity": identity,
        "request": {
            "method": "POST",
            "target": "/desks/East/tickets",
            "headers": [["Idempotency-Key", identity], ["Content-Type", "application/json"]],
            "body": body,
            "scope": "account one",
        },
        "attempt": {"id": "a1", "sends": "one"},
        "origin": {"agent": "parcel-helper", "run": "demonstration", "tool": "issue_ticket"},
    }


def _report(door: Door, operation: str, seen: Facts) -> None:
    if seen.reply is None:
        fact = "not_sent" if seen.not_sent else _FACT[seen.ended]
        door.post(f"/operations/{operation}/facts", {"event": "a1", "attempt": "a1", "fact": fact})
        return
    door.post(
        f"/operations/{operation}/replies",
        {
            "event": "a1",
            "attempt": "a1",
            "status": seen.reply.status,
            "headers": [[name, value] for name, value in seen.reply.headers.items()],
            "body": base64.b64encode(seen.reply.body).decode(),
        },
    )


def tell(story: Story, door: Door, desk: CollectionDesk) -> str:
    """Live through one story and return the operation's id. The parcel is a new one each time."""
    tag = uuid.uuid4().hex[:4]
    identity, parcel = f"{story.parcel.lower()}-{tag}", f"{story.parcel} {tag}"
    operation = str(door.post("/operations", _registration(story, identity, parcel))["operation"])
    if story.told:
        desk.control.tell(parcel=parcel, **story.told)
    sender = desk.public if story.reachable else replace(desk.public, url=NOWHERE)
    _report(door, operation, sender.ask_for_ticket(identity, parcel=parcel, within=PATIENCE))
    if story.sealed:
        door.post(f"/operations/{operation}/seal", {})
    return operation


def demonstrate(door: Door, *, say: Callable[[str], None], until: threading.Event) -> None:
    """Keep the desks open until `until`, after every story was lived through once."""
    with desk_on(TERMS[KEPT]) as kept, desk_on(TERMS[UNKEPT]) as unkept:
        desks = {KEPT: kept, UNKEPT: unkept}
        for story in STORIES:
            tell(story, door, desks[story.recipient])
        issued = sum(len(desk.control.truth()["tickets"]) for desk in desks.values())
        say(
            f"The agent asked for {len(STORIES)} tickets; the desks issued {issued}. Open the queue to see what it knows."
        )
        until.wait()


def main() -> int:
    """Demonstrate until a signal says to stop."""
    parser = argparse.ArgumentParser(prog="python -m tests.recipients.demo", description=__doc__)
    parser.add_argument("--at", required=True, help="address of the desk")
    given = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    demonstrate(
        Door(given.at, os.environ["UNRESOLVED_DEMO_KEY"]),
        say=lambda line: print(line, flush=True),  # noqa: T201  # it speaks by printing
        until=over,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

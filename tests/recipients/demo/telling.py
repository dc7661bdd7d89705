"""One story is lived through by really calling; nothing is written that an agent could not write."""

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from tests.recipients.client import Facts
from tests.recipients.demo.door import Door
from tests.recipients.demo.stories import FOR_LONG, Story
from tests.recipients.opened import CollectionDesk

NOWHERE: Final = "http://127.0.0.1:9"  # nobody listens there
PATIENCE: Final = 0.2  # seconds until the agent gives up an answer that is held back
LONG: Final = 120.0  # seconds that it waits where the story says so
A_SHIFT: Final = 8 * 3600.0  # and for a person


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A story that was told: the operation, its request number and parcel."""

    operation: str
    identity: str
    parcel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """An agent at one desk. `asked` returns once the desk has asked the recipient about this request number.

    `granted` is called with an operation that the agent would repeat, `ended` with one that it would have closed; somebody
    may decide on it there and then.
    """

    door: Door
    desk: CollectionDesk
    asked: Callable[[str], None]
    granted: Callable[[str], None] = lambda _: None
    ended: Callable[[str], None] = lambda _: None

    def tell(self, story: Story) -> Told:
        """Live through one story. The parcel is a new one each time."""
        tag = uuid.uuid4().hex[:4]
        identity, parcel = f"{story.parcel.lower()}-{tag}", f"{story.parcel} {tag}"
        self._stage(story, identity)
        operation = self.door.register(story.recipient, identity, parcel=parcel)
        self._attempt(story, operation, identity, parcel=parcel)
        if story.closes:
            self.desk.public.close(identity)
        if story.event:
            self._deliver(identity)
        if story.sealed:
            self.door.seal(operation)
        if story.twice:
            self._once_more(operation, identity, parcel=parcel)
        if story.ends:
            self._end(operation, identity)
        return Told(operation=operation, identity=identity, parcel=parcel)

    def _stage(self, story: Story, identity: str) -> None:
        if story.told:
            self.desk.control.tell(key=identity, **story.told)
        if story.away:
            self.desk.control.tell(door="operation", key=identity, handling="turn_away", status=500, times=story.away)
        if story.says is not None:
            self.desk.control.tell(door="operation", key=identity, says=story.says, times=FOR_LONG)

    def _attempt(self, story: Story, operation: str, identity: str, *, parcel: str) -> None:
        sender = self.desk.public if story.reachable else replace(self.desk.public, url=NOWHERE)
        if not story.waits:
            self.door.report(operation, "a1", sender.ask_for_ticket(identity, parcel=parcel, within=PATIENCE))
            return
        seen: list[Facts] = []
        waiting = threading.Thread(
            target=lambda: seen.append(sender.ask_for_ticket(identity, parcel=parcel, within=LONG))
        )
        waiting.start()
        held = self.desk.control.held(identity)
        if story.sealed:
            self.door.seal(operation)
        self.asked(identity)
        self.desk.control.release(held[0]["id"])
        waiting.join()
        self.door.report(operation, "a1", seen[0])

    def _deliver(self, identity: str) -> None:
        """What the recipient has to tell of this request number reaches the desk, signed."""
        events = [event["id"] for event in self.desk.control.events() if event["data"]["key"] == identity]
        self.desk.control.deliver(*events)

    def _once_more(self, operation: str, identity: str, *, parcel: str) -> None:
        """The recipient has forgotten the request number; by its word a repeat is harmless, and so it is granted."""
        self.desk.control.forget(identity)
        self.granted(operation)
        self.door.begin(operation, "a2", grant=self.door.grant(operation, within=A_SHIFT))
        self.desk.control.tell(key=identity, reply="lost")
        self.door.report(operation, "a2", self.desk.public.ask_for_ticket(identity, parcel=parcel, within=PATIENCE))

    def _end(self, operation: str, identity: str) -> None:
        """What closes it is an operation of its own, with a grant of its own; what comes of it is reported there."""
        self.ended(operation)
        closing = self.door.closing(operation, within=A_SHIFT)
        self.door.begin(closing, "c1", grant=self.door.grant(closing, within=A_SHIFT))
        self.door.report(closing, "c1", self.desk.public.close(identity))


def wait_until_asked(desk: CollectionDesk, identity: str, *, within: float = LONG) -> None:
    """Return once the desk has asked about this request number, or the time is over.

    What the record is to say about it is said FOR_LONG times; once it was said there is less of it left.
    """
    last = time.monotonic() + within
    while time.monotonic() < last and _left_to_say(desk, identity) == FOR_LONG:
        time.sleep(0.2)


def _left_to_say(desk: CollectionDesk, identity: str) -> int:
    told = [one for one in desk.control.programme() if (one["door"], one["key"]) == ("operation", identity)]
    return sum(one["times"] for one in told)

"""Run the demonstration until a signal says to stop."""

import argparse
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack

from tests.recipients.collection_desk.opening import open_desk
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.demo.door import Door, Refused
from tests.recipients.demo.stories import KEPT, STORIES, TERMS, Story
from tests.recipients.demo.telling import Teller, Told, wait_until_asked
from tests.recipients.opened import CollectionDesk, reached
from tests.recipients.reached import LISTENS_BY


def _tell(story: Story, door: Door, desk: CollectionDesk, say: Callable[[str], None]) -> Told | None:
    teller = Teller(door=door, desk=desk, asked=lambda identity: wait_until_asked(desk, identity))
    try:
        return teller.tell(story)
    except Refused as refused:
        say(f"{story.parcel}, {story.about}: the desk refused ({refused}).")
        return None


def demonstrate(door: Door, *, ports: dict[str, int], say: Callable[[str], None], until: threading.Event) -> None:
    """Keep the desks open until `until`; every story is lived through once, those that wait beside each other."""
    with ExitStack() as open_desks:
        desks = {
            key: reached(open_desks.enter_context(open_desk(terms=Terms(**TERMS[key]), port=port)))
            for key, port in ports.items()
        }
        desks[KEPT].control.aim(f"{door.address}/hooks/{KEPT}", secret=os.environ[LISTENS_BY])
        for story in STORIES:
            if not _takes_long(story):
                _told(_tell(story, door, desks[story.recipient], say), story, desks[story.recipient], say)
        waiting = [
            threading.Thread(target=_tell, args=(story, door, desks[story.recipient], say), daemon=True)
            for story in STORIES
            if _takes_long(story)
        ]
        for thread in waiting:
            thread.start()
        say(f"The agent asked for {len(STORIES)} tickets. Open the queue to see what the desk knows of them.")
        until.wait()


def _takes_long(story: Story) -> bool:
    return story.waits or story.twice or story.ends


def _told(told: Told | None, story: Story, desk: CollectionDesk, say: Callable[[str], None]) -> None:
    """What somebody at the counter holds in the hand, where the desk can't learn it by itself."""
    if told is not None and story.away and desk.control.tickets(told.identity):
        number = desk.control.tickets(told.identity)[0]
        say(f"At the counter lies a stub for parcel {told.parcel}: ticket {number} ({story.about}).")


def _port(text: str) -> tuple[str, int]:
    key, _, port = text.partition("=")
    return key, int(port)


def main() -> int:
    """Demonstrate until a signal says to stop."""
    parser = argparse.ArgumentParser(prog="python -m tests.recipients.demo")
    parser.add_argument("--at", required=True, help="address of the desk")
    parser.add_argument("--port", action="append", default=[], type=_port, help="RECIPIENT=PORT, for each of both")
    given = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    demonstrate(
        Door(given.at, os.environ["UNRESOLVED_DEMO_KEY"]),
        ports=dict(given.port),
        say=lambda line: print(line, flush=True),  # noqa: T201  # it speaks by printing
        until=over,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

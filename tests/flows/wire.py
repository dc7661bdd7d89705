"""A collection desk over the wire, as a rehearsal sees one: real requests on loopback, sent once each."""

import math
import time
from dataclasses import dataclass
from typing import Any

from escalation.rehearsing.desk import PARCEL, PLACE, Heard
from tests.recipients import client
from tests.recipients.fixtures import CollectionDesk

PATIENCE = 0.05  # seconds until a sender gives a held reply up; what it waits for is never coming by itself
_ACCOUNTS = {"one": "credential-of-one", "two": "credential-of-two"}
_ENDED = {client.Ended.TIMED_OUT: "timeout", client.Ended.RESET: "reset", client.Ended.CLOSED: "closed"}


def heard(seen: client.Facts) -> Heard:
    """What the owner of the socket makes of one exchange."""
    if seen.reply is None:
        return Heard(ended=_ENDED[seen.ended])
    return Heard(status=seen.reply.status, headers=tuple(seen.reply.headers.items()), body=seen.reply.body)


@dataclass(frozen=True, slots=True)
class Wire:
    """`escalation.rehearsing.desk.Desk` over HTTP; `now` is in whole milliseconds, in which the desk dates things."""

    desk: CollectionDesk

    def now(self) -> float:
        now: float = self.desk.control.truth("")["now"]
        return math.floor(now * 1000) / 1000

    def advance(self, seconds: float) -> None:
        self.desk.control.advance(seconds)

    def tell(self, *, key: str, **instruction: Any) -> None:
        self.desk.control.tell(key=key, **instruction)

    def ask_for_ticket(self, key: str, *, account: str = "one") -> Heard:
        public, before = self.desk.as_account(_ACCOUNTS[account]), self._arrived(key)
        found = heard(public.ask_for_ticket(key, place=PLACE, parcel=PARCEL, within=PATIENCE))
        last = time.monotonic() + client.WAIT
        while found.ended == "timeout" and self._arrived(key) == before and time.monotonic() < last:
            time.sleep(0.01)  # on a busy machine the sender gives up before the desk has seen what it sent
        return found

    def _arrived(self, key: str) -> int:
        """How many requests under this key the desk has seen, those that it holds included."""
        truth = self.desk.control.truth(key)
        return len({one["id"] for one in [*truth["passages"], *truth["holds"]]})

    def close(self, key: str) -> None:
        self.desk.public.close(key)

    def record(self, key: str) -> Heard:
        return heard(self.desk.public.get(f"/operations/{key}", cache_control="no-cache"))

    def held(self, key: str) -> list[str]:
        return [hold["id"] for hold in self.desk.control.truth(key)["holds"]]

    def release(self, passage: str) -> None:
        self.desk.control.release(passage)

    def pending(self, key: str) -> list[str]:
        return [one["id"] for one in self.desk.control.truth(key)["pending"]]

    def finish(self, passage: str, *, handling: str) -> None:
        self.desk.control.finish(passage, handling=handling)

    def copy_all(self, key: str) -> None:
        for passage in self.desk.control.truth(key)["passages"]:
            self.desk.control.copy(passage["id"])

    def collect_all(self) -> None:
        for ticket in self.desk.control.truth()["tickets"]:
            self.desk.control.collect(ticket["number"])

    def tickets(self, key: str) -> int:
        return len(self.desk.control.tickets(key))

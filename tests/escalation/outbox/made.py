"""Subscriptions, and programs that take what they are told, or don't."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from escalation.models import Subscription, SubscriptionKey, User
from escalation.models.subscription import EventKind
from escalation.outbox.claiming import Claimed
from escalation.outbox.telling import Send, tell
from operations.posting import Posted, Wire
from tests.escalation.building import HOUR, T0

NOW = T0 + HOUR
KEY = "whsec_" + "bmV3ZXN0IHNlY3JldCBvZiB0aGUgZGVzayE="
OLD = "whsec_" + "cHJldmlvdXMgc2VjcmV0IG9mIHRoZSBkZXNr"
OK = Posted(wire=Wire.ANSWERED, status=200, body=b"ok")
BROKEN = Posted(wire=Wire.ANSWERED, status=500, body=b"something went wrong")
LOST = Posted(wire=Wire.UNANSWERED, detail="The connection was closed before an answer came.")
GONE = Posted(wire=Wire.ANSWERED, status=410)


def administrator() -> User:
    return User.objects.get_or_create(username="administrator")[0]


def subscription(
    *events: EventKind,
    name: str = "billing",
    address: str = "https://billing.example/desk",
    recipients: Sequence[int] | None = None,
    keys: Sequence[str] = ("BILLING",),
) -> Subscription:
    """A program that is told of these; of everything, where none is named."""
    made = Subscription.objects.create(
        name=name,
        address=address,
        events=[one.value for one in events or EventKind],
        recipients=recipients,
        made_at=T0,
        made_by=administrator(),
    )
    for slot, key in enumerate(keys, start=1):
        SubscriptionKey.objects.create(subscription=made, name=key, slot=slot, made_at=T0, made_by=administrator())
    return made


@dataclass
class Program:
    """Takes what is sent and answers as it is told to; the last answer for ever. Several threads may send to it."""

    answers: list[Posted] = field(default_factory=lambda: [OK])
    got: list[Claimed] = field(default_factory=list)
    before: Callable[[Claimed], Any] = lambda _: None
    lock: Any = field(default_factory=threading.Lock)

    def __call__(self, claimed: Claimed) -> Posted:
        self.before(claimed)
        with self.lock:
            self.got.append(claimed)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def ids(self) -> list[str]:
        return [one.id for one in self.got]


def told(program: "Program | Send", *, at: datetime = NOW) -> int:
    """One sweep at a time that the test sets; no time passes in it, and no chance is in it."""
    return tell(clock=lambda: at, send=program, monotonic=lambda: 0.0, jitter=lambda: 1.0)

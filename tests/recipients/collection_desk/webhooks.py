"""Status events told to others, signed as Standard Webhooks says: at once, or when, as often and in the order control says.

Signature: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, with the secret after `whsec_` (base64).
"""

import base64
import binascii
import hashlib
import hmac
import http.client
import json
import queue
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from tests.recipients.collection_desk.desk import Desk
from tests.recipients.collection_desk.ledger import Act, Did
from tests.recipients.collection_desk.running import RunningDesk
from tests.recipients.collection_desk.strict import one_of
from tests.recipients.collection_desk.values import DeskError, stamp

TOLD: Final = {
    Did.PENDING: "operation.pending",
    Did.ISSUED: "operation.issued",
    Did.FAILED: "operation.failed",
    Did.REFUSED: "operation.refused",
    Did.CLOSED: "operation.closed",
    Did.COLLECTED: "ticket.collected",
}
LONGEST: Final = 10.0
MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where events go: a loopback address, a `whsec_` secret; `prompt`: each as it happens, `held`: when told."""

    url: str
    secret: str
    mode: Literal["held", "prompt"] = "held"

    def __post_init__(self) -> None:
        one_of("mode", self.mode, ("held", "prompt"))
        parts = urlsplit(self.url)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise DeskError("url must be an http address of this machine.")
        secret_bytes(self.secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One sending of one event. `status` None: no answer came."""

    event: str
    at: float
    status: int | None


def secret_bytes(secret: str) -> bytes:
    """Return the key of a `whsec_` secret; raises DeskError for anything else."""
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        raise DeskError("secret must be whsec_ and base64.") from None


def signature(*, secret: str, event: str, timestamp: int, body: bytes) -> str:
    """The signature of one sending."""
    signed = f"{event}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(secret_bytes(secret), signed, hashlib.sha256)).decode()


def event_id(act: Act) -> str:
    """The id of the event that tells of this act: the same in each sending."""
    return f"msg_desk_{act.number}"


def event_body(desk: Desk, act: Act) -> bytes:
    """What is told of this act: the operation as it stood right after it, however late it is sent."""
    told = {"type": TOLD[act.did], "timestamp": stamp(act.at), "data": desk.reads.told_of(act)}
    return json.dumps(told).encode()


def events(desk: Desk) -> list[Act]:
    """The acts that others are told of, oldest first."""
    return [act for act in desk.ledger.acts if act.did in TOLD]


class Outbox:
    """Sends events of a running desk; `deliveries` is what was sent, newest last."""

    def __init__(self, desk: RunningDesk) -> None:
        self._desk = desk
        self._target: Target | None = None
        self._waiting: queue.Queue[Act | None] = queue.Queue(MOST)
        self._sender = threading.Thread(target=self._send_promptly, name="collection desk: events")
        self._sender.start()
        self.deliveries: deque[Delivery] = deque(maxlen=MOST)
        desk.after_act = self._notice

    def aim(self, target: Target) -> None:
        """Send events there from now on."""
        self._target = target

    def _notice(self, act: Act) -> None:
        if act.did in TOLD and self._target is not None and self._target.mode == "prompt":
            with suppress(queue.Full):  # too many: this one is never told
                self._waiting.put_nowait(act)

    def _send_promptly(self) -> None:
        while (act := self._waiting.get()) is not None:
            self._send(act, timestamp=self._desk.now())

    def deliver(self, wanted: list[str], *, stamped: str = "now") -> list[Delivery]:
        """Send these events in this order, as often as they are named; `stamped`: `now`, or `then` when they happened."""
        one_of("stamped", stamped, ("now", "then"))
        with self._desk.looking() as desk:
            known = {event_id(act): act for act in events(desk)}
        if self._target is None or not set(wanted) <= set(known):
            raise DeskError("There is no target, or no such event.")
        chosen = [known[name] for name in wanted]
        return [self._send(act, timestamp=act.at if stamped == "then" else self._desk.now()) for act in chosen]

    def _send(self, act: Act, *, timestamp: float) -> Delivery:
        target = self._target
        assert target is not None, "nothing is sent without one"
        with self._desk.looking() as desk:
            body = event_body(desk, act)
        headers = self._headers(act, int(timestamp), body, target.secret)
        delivery = Delivery(event=event_id(act), at=self._desk.now(), status=post(target.url, body, headers))
        self.deliveries.append(delivery)
        return delivery

    def _headers(self, act: Act, timestamp: int, body: bytes, secret: str) -> dict[str, str]:
        return {
            "Content-Type": "application/json",
            "webhook-id": event_id(act),
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(secret=secret, event=event_id(act), timestamp=timestamp, body=body),
        }

    def as_json(self) -> list[dict[str, Any]]:
        """Every event with what it tells and how often it was sent."""
        sent = [delivery.event for delivery in self.deliveries]
        with self._desk.looking() as desk:
            told = [(event_id(act), json.loads(event_body(desk, act))) for act in events(desk)]
        return [{"id": name, "sent": sent.count(name), **body} for name, body in told]

    def stop(self) -> None:
        """Send what waits, then no more."""
        self._waiting.put(None)
        self._sender.join()


def post(url: str, body: bytes, headers: dict[str, str]) -> int | None:
    """Send once on a fresh connection; the status, or None where no answer came."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=LONGEST)
    try:
        connection.request("POST", parts.path or "/", body, headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()

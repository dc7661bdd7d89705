"""How an operation came to where an act finds it: registered, really sent, and what was learnt of it since."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from operations import models, reading
from operations.binding import binding_of
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.recording import Intent, Origin, Report, register, seal
from operations.reporting import report
from tests.faults.stage import KEPT, Stage
from tests.recipients.client import Ended, Facts, send
from tests.recipients.opened import CollectionDesk

BY = "key unr_faults"
SCOPE = "account one"
AGO = timedelta(seconds=60)
PATIENCE = 5.0
_FACT = {Ended.TIMED_OUT: "timeout", Ended.RESET: "reset", Ended.CLOSED: "closed", Ended.NOT_CONNECTED: "not_sent"}


def request(key: str, parcel: str) -> Representation:
    """The request for one ticket."""
    body = json.dumps({"parcel": parcel}).encode()
    return Representation(
        method="POST",
        target="/desks/East/tickets",
        headers=(("Idempotency-Key", key), ("Content-Type", "application/json")),
        body=body,
        arguments=json.dumps({"parcel": parcel, "place": "East"}).encode(),
        scope=SCOPE,
        identity=key,
    )


@dataclass(slots=True)
class Intended:
    """One intent under its request number, at a recipient; `operation` once it is on record."""

    stage: Stage
    recipient: str = KEPT
    key: str = ""
    parcel: str = ""
    operation: UUID | None = None

    def __post_init__(self) -> None:
        number = self.stage.another()
        self.key, self.parcel = f"order-{number}", f"Parcel {number}"

    @property
    def desk(self) -> CollectionDesk:
        """The recipient."""
        return self.stage.desks[self.recipient]

    @property
    def row(self) -> models.Operation:
        """Its row as it is now."""
        assert self.operation is not None
        return models.Operation.objects.get(id=self.operation)

    def on_record(self, *, sealed: bool = True) -> "Intended":
        """It is registered with its first attempt, a minute ago; nothing was sent yet."""
        contract = models.Contract.objects.filter(recipient__key=self.recipient).latest("version")
        begun_at = self.stage.now() - AGO
        intent = Intent(attempt="a1", sends=Sends.ONE, scope=SCOPE, begun_at=begun_at)
        binding = binding_of(contract, request(self.key, self.parcel), origin=Origin())
        self.operation = register(binding, intent=intent, now=begun_at, by=BY, independent=True).operation_id
        if sealed:
            seal(self.operation, now=begun_at, by=BY)
        return self

    def send(self, **told: Any) -> Facts:
        """Its bytes go out once, as whoever owns the socket sends them; `told` is what the recipient does with them."""
        if told:
            self.desk.control.tell(key=self.key, **told)
        headers = {"Authorization": "Bearer credential-of-one", "Content-Type": "application/json"}
        headers["Idempotency-Key"] = self.key
        body = json.dumps({"parcel": self.parcel}).encode()
        return send("POST", f"{self.desk.url}/desks/East/tickets", headers=headers, body=body, within=PATIENCE)

    def reported(self, seen: Facts, attempt: str = "a1") -> "Intended":
        """What came of it is told by whoever owned the socket."""
        assert self.operation is not None
        now = self.stage.now()
        shared: dict[str, Any] = {
            "event": f"{attempt} ended",
            "received_at": now,
            "authentic": True,
            "attempt": attempt,
        }
        if seen.reply is None:
            told = Report(channel="wire", fact=_FACT[seen.ended], **shared)
        else:
            headers = tuple(seen.reply.headers.items())
            told = Report(channel="reply", status=seen.reply.status, headers=headers, payload=seen.reply.body, **shared)
        report(self.operation, told, now=now, source=BY)
        return self

    def lost(self, *, request: str = "delivered") -> "Intended":
        """The first attempt went out and its answer was lost (or the request before it arrived)."""
        self.on_record()
        seen = self.send(request=request) if request != "delivered" else self.send(reply="lost")
        return self.reported(seen)

    def answered(self) -> "Intended":
        """The first attempt went out and was answered with a ticket."""
        self.on_record()
        return self.reported(self.send())

    def never_left(self) -> "Intended":
        """No byte of the first attempt was written."""
        self.on_record()
        return self.reported(Facts())

    def closed(self) -> "Intended":
        """The request was lost on its way; then the recipient closed the operation, and its record was read."""
        self.on_record()
        self.reported(self.send(request="lost"))
        self.desk.public.close(self.key)
        return self.asked()

    def asked(self, *, by: str = BY) -> "Intended":
        """The recipient's record was read by somebody."""
        assert self.operation is not None
        seen = self.desk.public.get(f"/operations/{self.key}", cache_control="no-cache")
        assert seen.reply is not None
        now = self.stage.now()
        told = Report(
            event=f"asked {self.row.links}",
            channel="record",
            received_at=now,
            authentic=True,
            status=seen.reply.status,
            headers=tuple(seen.reply.headers.items()),
            payload=seen.reply.body,
            asked_at=now,
        )
        report(self.operation, told, now=now, source=by)
        return self

    def receipt(self) -> UUID:
        """The observation that is its receipt."""
        assert self.operation is not None
        read = reading.operation(self.operation)
        found = [row.observation_id for row in read.rows if isinstance(row, models.Reading) and row.says == "applied"]
        return found[-1]

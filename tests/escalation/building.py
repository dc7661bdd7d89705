"""Operations for the screens, made the way they are made in life: registered, sent, answered, read by the contract."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from operations import models, reading, recording
from operations.contracts import asked
from operations.contracts.answer import Answer
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of, library_text
from operations.core.facts import Sends
from operations.core.representation import Representation

T0 = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FRONT_COUNTER = recording.Origin(agent="front-counter", run="8f31", call="call_Tk31", tool="issue_ticket")


def contract_of(text: str = "", *, key: str = "collection-desk", name: str = "Collection desk") -> models.Contract:
    """A published contract of a recipient; the library's collection desk where no text is given."""
    recipient, _ = models.Recipient.objects.get_or_create(key=key, defaults={"name": name, "created_at": T0})
    text = text or library_text("collection-desk")
    found = models.Contract.objects.filter(recipient=recipient, document=text).first()
    return found or models.Contract.objects.create(
        recipient=recipient,
        version=recipient.contracts.count() + 1,
        document=text,
        digest="0" * 64,
        created_at=T0,
        published_at=T0,
    )


def request_for(identity: str, *, parcel: str, place: str = "East", arguments: bytes | None = None) -> Representation:
    """The request for one ticket."""
    body = json.dumps({"parcel": parcel}).encode()
    return Representation(
        method="POST",
        target=f"/desks/{place}/tickets",
        headers=(("content-type", "application/json"), ("idempotency-key", identity)),
        body=body,
        arguments=body if arguments is None else arguments,
        scope="desk-east",
        identity=identity,
    )


@dataclass(frozen=True)
class Made:
    """One operation on record, and how more is learnt of it."""

    id: UUID
    identity: str
    parcel: str

    @property
    def row(self) -> models.Operation:
        """Its row as it is now."""
        return models.Operation.objects.select_related("recipient", "contract").get(id=self.id)

    @property
    def number(self) -> int:
        """The number it is called by."""
        return self.row.number

    def learns(self, channel: str, *, now: datetime, by: str = "key:transport", **came: Any) -> recording.Observed:
        """Store one answer as it came and read it by the contract."""
        row = self.row
        body, words = came.pop("body", None), str(came.pop("words", ""))
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        answer = Answer(channel=channel, received_at=now.timestamp(), authentic=True, body=raw, **_seconds(came))
        read = interpret(document_of(row.contract.document), request=reading.representation(row), answer=answer)
        report = recording.Report(
            event=f"{channel}-{now.timestamp()}-{row.links}",
            channel=channel,
            received_at=now,
            authentic=True,
            attempt=answer.attempt,
            status=answer.status,
            headers=answer.headers,
            payload=raw,
            fact=answer.fact,
            words=words,
            asked_at=came.get("asked_at"),
        )
        claimed = recording.Claimed(
            rule=read.rule,
            says=read.says,
            because=read.because,
            reaches=read.reaches,
            as_of=datetime.fromtimestamp(read.as_of, tz=UTC),
            correlation=read.correlation,
            authentic=read.authentic,
            attempt=read.attempt,
            effect_refs=read.effect_refs,
            covers_copies=read.covers_copies,
            until=None if read.until is None else datetime.fromtimestamp(read.until, tz=UTC),
        )
        return recording.observe(self.id, report, claimed=claimed, now=now, source=by)

    def says(self, state: str, *, at: datetime, ticket: str | None = None, closure: object = None) -> dict[str, object]:
        """A body of the desk."""
        issued = {"number": ticket, "place": "East", "parcel": self.parcel, "issued_at": _z(at), "collected_at": None}
        return {
            "key": self.identity,
            "place": "East",
            "parcel": self.parcel,
            "state": state,
            "ticket": issued if ticket else None,
            "tickets": [issued] if ticket else [],
            "received_at": _z(at),
            "closure": closure,
            "covers_copies": False,
            "as_of": _z(at),
        }

    def issued(
        self, ticket: str, *, now: datetime, attempt: str = "a1", by: str = "key:transport"
    ) -> recording.Observed:
        """The desk answers that it issued the ticket."""
        body = self.says("issued", at=now, ticket=ticket)
        return self.learns("reply", now=now, by=by, attempt=attempt, status=201, body=body)

    def recorded(self, state: str, *, now: datetime, ticket: str | None = None) -> recording.Observed:
        """The desk's record is asked and answers."""
        closure = {"closed_at": _z(now), "covers": "identity"} if state == "closed" else None
        body = self.says(state, at=now, ticket=ticket, closure=closure)
        return self.learns("record", now=now, asked_at=now - timedelta(seconds=1), status=200, body=body, by="desk")

    def timed_out(self, *, now: datetime, attempt: str = "a1") -> recording.Observed:
        """Our side read nothing."""
        return self.learns("wire", now=now, attempt=attempt, fact="timeout")

    def failed(self, *, now: datetime, attempt: str = "a1") -> recording.Observed:
        """The desk answers with an error."""
        body = {"type": "urn:collection-desk:failed", "title": "Something went wrong here.", "status": 500}
        body |= {"covers_copies": False, "key": self.identity, "place": "East", "parcel": self.parcel, "as_of": _z(now)}
        return self.learns("reply", now=now, attempt=attempt, status=500, body=body)


def _seconds(came: dict[str, Any]) -> dict[str, Any]:
    return {name: at.timestamp() if isinstance(at, datetime) else at for name, at in came.items()}


def _z(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def operation(
    identity: str = "order-1001",
    *,
    now: datetime = T0,
    parcel: str = "Cedar",
    contract: models.Contract | None = None,
    deadline: datetime | None = None,
    effect: str = "",
    sealed: bool = True,
    arguments: bytes | None = None,
    sends: Sends = Sends.ONE,
    origin: recording.Origin | None = None,
) -> Made:
    """One operation with its first attempt `a1`, begun at `now`."""
    contract = contract or contract_of()
    request = request_for(identity, parcel=parcel, arguments=arguments)
    binding = recording.Binding(
        contract=contract,
        representation=request,
        identity_known=True,
        effect=effect or asked.effect_sentence(document_of(contract.document), request),
        origin=origin or FRONT_COUNTER,
        authorised_by="order 5512",
        deadline=deadline,
    )
    intent = recording.Intent(attempt="a1", sends=sends, scope="desk-east", begun_at=now)
    made = recording.register(binding, intent=intent, now=now, by="key:transport")
    if sealed:
        recording.seal(made.operation_id, now=now, by="key:transport")
    return Made(made.operation_id, identity, parcel)

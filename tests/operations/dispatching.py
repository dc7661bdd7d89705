"""A send of this desk that was authorised, as a person does it, without the person; and the desk that it is sent to."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from operations import dispatch, models
from operations.binding import binding_of
from operations.contracts.loading import library_text
from operations.core.actions import Action
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.recording import Intent, Origin, decide, dispatching, register, seal, writing
from tests.operations.rows import BY
from tests.recipients.fixtures import CollectionDesk
from tests.recipients.reached import CREDENTIAL, reach

SCOPE = "account one"
KEY = "order-1001"
BODY = b'{"parcel":  "Cedar"}'  # as somebody wrote it: two spaces


def now() -> datetime:
    return datetime.now(UTC)


def request(key: str = KEY, *, scope: str = SCOPE) -> Representation:
    return Representation(
        method="POST",
        target="/desks/East/tickets",
        headers=(("Idempotency-Key", key), ("Content-Type", "application/json")),
        body=BODY,
        arguments=json.dumps({"parcel": "Cedar", "place": "East"}).encode(),
        scope=scope,
        identity=key,
    )


def contract() -> models.Contract:
    """The contract of the recipient `collection-desk`."""
    recipient, _ = models.Recipient.objects.get_or_create(
        key="collection-desk", defaults={"name": "Collection desk", "created_at": now()}
    )
    found = recipient.contracts.first()
    return found or models.Contract.objects.create(
        recipient=recipient,
        version=1,
        document=library_text("collection-desk"),
        digest="0" * 64,
        created_at=now(),
        published_at=now(),
    )


def lost(*, ago: float = 60.0, key: str = KEY, scope: str = SCOPE, sealed: bool = True) -> UUID:
    """An operation whose first attempt went out `ago` seconds ago and whose reply nobody has."""
    begun_at = now() - timedelta(seconds=ago)
    intent = Intent(attempt="a1", sends=Sends.ONE, scope=scope, begun_at=begun_at)
    binding = binding_of(contract(), request(key, scope=scope), origin=Origin())
    made = register(binding, intent=intent, now=begun_at, by=BY, independent=True)
    if sealed:
        seal(made.operation_id, now=begun_at, by=BY)
    return made.operation_id


def may_send(desk: CollectionDesk, environ: Any, *, scope: str = SCOPE) -> None:
    """Let this desk reach the recipient and send there as `scope`; `environ` is pytest's monkeypatch."""
    contract()
    reach(desk, environ=environ)
    environ.setenv(f"{CREDENTIAL}_SCOPE", scope)


def authorised(operation_id: UUID, *, at: datetime | None = None, lasts: float = 600) -> UUID:
    """The attempt (row id) of a send that was authorised; raises what a decision raises."""
    at = at or now()
    with writing(operation_id, now=at) as pen:
        decide(
            pen,
            Action.REPEAT,
            door="protected_repeat",
            once=uuid4(),
            revision=pen.operation.revision,
            content={},
            by="mira",
        )
        ready = dispatch.prepared(pen.operation)
        attempt, _ = dispatching.authorise_send(
            pen,
            address=ready.reach.address,
            credential=ready.credential,
            send_by=at + timedelta(seconds=lasts),
            by="mira",
        )
        pen.finish()
        return attempt.id


def sent(attempt: UUID, **more: Any) -> Any:
    """Send an attempt (row id) as a worker does."""
    return dispatch.send(attempt, by="worker", clock=more.pop("clock", now), **more)


def row(attempt: UUID) -> models.Dispatch:
    return models.Dispatch.objects.select_related("attempt").get(attempt_id=attempt)


def fact(attempt: UUID) -> tuple[str, str, int | None]:
    """What was recorded of an attempt: says, fact, status."""
    observed = models.Observation.objects.get(attempt=row(attempt).attempt.attempt)
    return observed.readings.get().says, observed.fact, observed.status

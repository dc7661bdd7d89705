"""Closings for the tests: the contract of the closing request, who may have it sent, and one that was decided."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from escalation.decisions.close_original import close_original
from escalation.decisions.taking import Taker
from escalation.models import CloseOriginal, ProtectedRepeat, User
from operations import models
from operations.contracts.loading import library_text
from operations.recording import Report
from operations.reporting import report
from tests.escalation.building import contract_of
from tests.escalation.people import proved
from tests.operations.dispatching import KEY, may_send
from tests.recipients.fixtures import CollectionDesk
from tests.recipients.reached import settings_for

CLOSING = "collection-desk-closing"


def now() -> datetime:
    return datetime.now(UTC)


def closing_contract(address: str = "") -> models.Contract:
    """The contract of the desk's closing request, in force for a recipient at this address."""
    made = contract_of(library_text(CLOSING), key=CLOSING, name="Collection desk, closing")
    models.Recipient.objects.filter(key=CLOSING).update(address=address)
    return made


def may_close(desk: CollectionDesk, environ: Any) -> None:
    """Let this desk close what it asked for there; `environ` is pytest's monkeypatch."""
    may_send(desk, environ)
    closing_contract(desk.url)
    for name, value in settings_for({"collection-desk": desk.url, CLOSING: desk.url}).items():
        environ.setenv(name, value)


def decided(operation_id: UUID, person: User, *, executor: str = "desk", at: datetime | None = None, **seen: Any):
    """A decision to close; raises what it raises."""
    revision = models.Operation.objects.get(id=operation_id).revision
    values: dict[str, Any] = {"revision": revision, "once": uuid4(), **seen}
    return close_original(
        operation_id,
        Taker(person=person, now=at or now(), proof=proved(person, at=at or now()), **values),
        executor=executor,
    )


def original(row: CloseOriginal) -> models.Operation:
    """The original as it stands now."""
    return models.Operation.objects.get(id=row.operation_id)


def told(operation_id: UUID, *, channel: str, status: int, body: Any = None, raw: bytes | None = None, **more: Any):
    """Report one answer about an operation, as whoever got it does; `recipients` are those it may speak of."""
    recipients = more.pop("recipients", None)
    said = Report(
        event=more.pop("event", f"test-{uuid4().hex}"),
        channel=channel,
        received_at=now(),
        authentic=True,
        status=status,
        payload=json.dumps(body).encode() if raw is None else raw,
        asked_at=now() if channel == "record" else None,
        **more,
    )
    return report(operation_id, said, now=now(), source="key:transport", recipients=recipients)


def attempt_of(row: CloseOriginal | ProtectedRepeat) -> UUID:
    """The attempt (row id) that this desk sends."""
    assert row.attempt_id is not None
    return row.attempt_id


def heard(operation_id: UUID) -> list[tuple[str, str, bool]]:
    """What closing requests said of an original: by which rule, what, and whether it counts."""
    rows = models.Reading.objects.filter(operation_id=operation_id, observation__channel="closing_reply")
    return [(row.rule, row.says, row.counts) for row in rows.order_by("position")]


def without_closing() -> str:
    """The desk's contract as it would be if nobody had documented a closing request."""
    text = library_text("collection-desk")
    text = (
        text[: text.index("closing_request:")]
        + "closing_request: not documented\n\n"
        + text[text.index("interview:") :]
    )
    text = text[: text.index("  closing_reply:")] + text[text.index("  record:\n    kind: lookup") :]
    return text[: text.index("  - rule: closing_closed_it")] + text[text.index("  - rule: recorded_as_issued") :]


def state(word: str, *, ticket: str | None = None, key: str = KEY) -> dict[str, Any]:
    """A body of the desk that says so of the operation under this key."""
    at = now().isoformat().replace("+00:00", "Z")
    issued = {"number": ticket, "place": "East", "parcel": "Cedar", "issued_at": at, "collected_at": None}
    return {
        "key": key,
        "place": "East",
        "parcel": "Cedar",
        "state": word,
        "ticket": issued if ticket else None,
        "tickets": [issued] if ticket else [],
        "received_at": at,
        "closure": {"closed_at": at, "covers": "identity"} if word == "closed" else None,
        "covers_copies": False,
        "as_of": at,
    }

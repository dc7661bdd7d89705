"""Operations at the collection desk, recorded as the product records them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from operations import models
from operations.contracts.asked import effect_sentence, subject_digest
from operations.contracts.loading import document_of, library_text
from operations.core.facts import Correlation, Sends
from operations.core.representation import Representation
from operations.recording import Binding, Claimed, Intent, Registered, Report, observe, register

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
BY = "key unr_test"


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def contract(key: str = "desk") -> models.Contract:
    """The published contract of a recipient that is the collection desk."""
    recipient, _ = models.Recipient.objects.get_or_create(key=key, defaults={"name": key, "created_at": NOW})
    found = recipient.contracts.first()
    if found is not None:
        return found
    text = library_text("collection-desk")
    return models.Contract.objects.create(
        recipient=recipient, version=1, document=text, digest="0" * 64, created_at=NOW, published_at=NOW
    )


def request(identity: str = "order-1", *, parcel: str = "Cedar", place: str = "East", **more: Any) -> Representation:
    values: dict[str, Any] = {
        "method": "POST",
        "target": f"/desks/{place}/tickets",
        "headers": (("idempotency-key", identity), ("content-type", "application/json")),
        "body": json.dumps({"parcel": parcel}).encode(),
        "arguments": json.dumps({"parcel": parcel, "place": place}).encode(),
        "scope": "desk/main",
        "identity": identity,
    }
    return Representation(**{**values, **more})


def binding(asked: Representation | None = None, **more: Any) -> Binding:
    asked = asked or request()
    under = more.pop("contract", None) or contract()
    document = document_of(under.document)
    values: dict[str, Any] = {
        "contract": under,
        "representation": asked,
        "identity_known": True,
        "effect": effect_sentence(document, asked),
        "subject": subject_digest(document, asked),
    }
    return Binding(**{**values, **more})


def intent(attempt: str = "a1", *, at: float = 0, scope: str = "desk/main", sends: Sends = Sends.ONE) -> Intent:
    return Intent(attempt=attempt, sends=sends, scope=scope, begun_at=later(at))


def registered(asked: Representation | None = None, **more: Any) -> Registered:
    return register(binding(asked, **more), intent=intent(), now=NOW, by=BY)


def report(event: str = "e1", *, channel: str = "record", at: float = 60, **more: Any) -> Report:
    return Report(event=event, channel=channel, received_at=later(at), authentic=True, asked_at=later(at), **more)


def claimed(says: str, *, at: float = 60, **more: Any) -> Claimed:
    values: dict[str, Any] = {
        "rule": "issued",
        "reaches": "effect",
        "because": "The ledger holds a ticket for this request number.",
        "as_of": later(at),
        "correlation": Correlation.OPERATION,
        "authentic": True,
    }
    return Claimed(says=says, **{**values, **more})


def observed(operation_id: Any, says: str, *, event: str = "e1", at: float = 60, **more: Any) -> Any:
    return observe(
        operation_id, report(event, at=at), claimed=claimed(says, at=at, **more), now=later(at), source="the desk"
    )

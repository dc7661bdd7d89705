"""Messages as the collection desk tells them: signed, dated, under an id of their own."""

import base64
import json
from datetime import datetime
from typing import Any, Final

from operations import listening
from tests.escalation.building import Made
from tests.recipients.collection_desk.webhooks import signature

SECRET: Final = "whsec_" + base64.b64encode(b"invented for tests alone").decode()
SETTING: Final = "UNRESOLVED_CREDENTIAL_COLLECTION_DESK_WEBHOOK_SECRET"


def may_tell(environ: Any, *, recipient: str = "collection-desk") -> None:
    """Let `recipient` sign what it tells; `environ` is pytest's monkeypatch."""
    environ.setenv(SETTING, SECRET)
    environ.setenv(f"{SETTING}_FROM", recipient)


def event(made: Made, state: str, *, at: datetime, ticket: str | None = None, kind: str | None = None) -> bytes:
    """What the desk tells of an operation."""
    closure = {"closed_at": f"{at:%Y-%m-%dT%H:%M:%S}.000Z", "covers": "identity"} if state == "closed" else None
    data = made.says(state, at=at, ticket=ticket, closure=closure)
    return json.dumps({"type": kind or f"operation.{state}", "data": data}).encode()


def signed(body: bytes, *, at: datetime, event_id: str = "msg_1", secret: str = SECRET) -> dict[str, str]:
    """The header lines of one sending."""
    stamp = int(at.timestamp())
    return {
        "content-type": "application/json",
        "webhook-id": event_id,
        "webhook-timestamp": str(stamp),
        "webhook-signature": signature(secret=secret, event=event_id, timestamp=stamp, body=body),
    }


def heard(body: bytes, *, now: datetime, event_id: str = "msg_1") -> listening.Heard:
    """Hear one message of the desk, and judge nothing."""
    return listening.hear("collection-desk", None, headers=signed(body, at=now, event_id=event_id), body=body, now=now)


def told(body: bytes, *, now: datetime, event_id: str = "msg_1") -> listening.Heard:
    """Hear one message of the desk and judge it."""
    found = heard(body, now=now, event_id=event_id)
    listening.judge(found.message_id, now=now)
    return found

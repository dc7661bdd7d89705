"""A webhook of one's own: JSON for programs, signed as Standard Webhooks says, under an id that stays when it is sent again.

Its receiver knows a message by `webhook-id` (Standard Webhooks, "Webhook headers": it is the same on every resend), so
one of which nobody said what became of it is sent again without harm.
"""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from escalation.notify.message import Message, Told


def body(message: Message) -> bytes:
    """Return the JSON that is signed: `type`, `timestamp` and `data`, with texts as they were written."""
    data: dict[str, Any] = {
        "subject": message.subject,
        "count": message.count,
        "link": message.link,
        **message.data,
        "operations": [_told(one) for one in message.about],
    }
    written = {"type": f"case.{message.kind.value}", "timestamp": _iso(message.at), "data": data}
    return json.dumps(written, ensure_ascii=False).encode()


def message_id(of: UUID) -> str:
    """Return the id that the receiver knows it by."""
    return f"notice_{of.hex}"


def _iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _told(one: Told) -> dict[str, Any]:
    return {
        "number": one.number,
        "effect": one.effect,
        "recipient": one.recipient,
        "answers": {answer.question: answer.word for answer in one.answers},
        "time": one.time,
        "link": one.link,
    }

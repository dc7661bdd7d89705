"""Registrations as a journal ships them: exact request, arguments, provenance, and an attempt that began a while ago."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

from tests.benchmarks.ingesting.desk import RECIPIENT

_NUMBERS: Final = count(1)
_RUN: Final = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"


def _in_base64(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


def items(many: int) -> Iterator[dict[str, Any]]:
    """`many` registrations with identities and subjects that were never used; each is a body of the agents' door."""
    now = datetime.now(UTC)
    for _ in range(many):
        number = next(_NUMBERS)
        identity, parcel = f"order-{_RUN}-{number}", f"parcel {_RUN} {number}"
        yield {
            "recipient": RECIPIENT,
            "identity": identity,
            "request": {
                "method": "POST",
                "target": "/desks/East/tickets",
                "headers": [["Idempotency-Key", identity], ["Content-Type", "application/json"]],
                "body": _in_base64({"parcel": parcel}),
                "arguments": _in_base64({"parcel": parcel, "place": "East"}),
                "scope": "desk/main",
            },
            "attempt": {
                "id": "a1",
                "sends": "one",
                "begun_at": (now - timedelta(seconds=1 + number % 50)).isoformat(),
            },
            "origin": {"agent": "clerk", "run": _RUN, "call": f"call-{number}", "tool": "issue_ticket"},
            "authorised_by": "the order desk",
        }


def batch_of(some: list[dict[str, Any]]) -> bytes:
    """The body of one call that registers these."""
    return json.dumps({"items": [{"kind": "register", **one} for one in some]}).encode()

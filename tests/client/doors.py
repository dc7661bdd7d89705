"""A desk's door as a client meets it: the real endpoints, on a network that a test can break."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.test import Client

from operations.keys import create_key
from tests.operations.rows import contract
from unresolved import Desk
from unresolved.desk import Answer


@dataclass(slots=True, kw_only=True)
class Door(Desk):
    """The door in this process. `down`: it can't be reached. `loses`: so many replies get lost after the work.

    `remembers`: a grant that the client heard of a while ago. `status`: what a gateway answers in the desk's place.
    """

    left_alone: float = 0.0
    down: bool = False
    loses: int = 0
    status: int | None = None
    remembers: Mapping[str, Any] | None = None
    calls: Counter[str] = field(default_factory=Counter)
    told: list[dict[str, Any]] = field(default_factory=list)

    def grant(self, operation_id: str) -> Mapping[str, Any] | None:
        return self.remembers or Desk.grant(self, operation_id)

    def _exchange(self, method: str, path: str, body: bytes | None) -> Answer:
        self.calls[f"{method} {path.split('/')[1]}"] += 1
        if self.down:
            raise ConnectionRefusedError("the desk is away")
        if self.status is not None:
            return Answer(status=self.status, body={"type": "about:blank"})
        if path == "/batch":
            self.told += json.loads(body or b"{}")["items"]
        found = Client(raise_request_exception=False).generic(
            method,
            f"/api/v1{path}",
            body or b"",
            content_type="application/json",
            headers={"Authorization": f"Bearer {self.key}"},
        )
        if self.loses:
            self.loses -= 1
            raise ConnectionResetError("the reply was lost")
        return Answer(status=found.status_code, body=json.loads(found.content))


def key(*scopes: str, recipients: tuple[str, ...] = ("desk",)) -> str:
    """A new key; its recipients have the collection desk's contract."""
    for recipient in recipients:
        contract(recipient)
    scopes = scopes or ("transport",)
    return create_key("client", scopes=scopes, recipients=recipients, now=datetime.now(UTC), lasts=timedelta(days=1))


def awake(url: str) -> None:
    """Wait until a server that listens has loaded what it answers with; on a busy machine that takes its time."""
    Desk(url=url, key="unr_none", patience=60.0).call("GET", "/openapi.json")

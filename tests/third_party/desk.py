"""The product's side: an agent's egress that records at the agents' door before it sends, and the desk that asks."""

import http.client
import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from operations import models
from operations.asking import ask_now
from operations.contracts.loading import library_text, load
from operations.keys import create_key
from tests.operations.granted import granted
from tests.third_party.wire import Reply, Request

CONTRACTS: Final = Path(__file__).parent / "contracts"
# A credential is never stored (docs/integrate/api.md).
SECRET: Final = ("authorization",)


class NotOnRecord(Exception):
    """The door did not say that this attempt is on record: it must not be sent."""


def now() -> datetime:
    return datetime.now(UTC)


def own_contract(name: str) -> str:
    """The text of a contract that says what this recipient really does."""
    return (CONTRACTS / f"{name}.yaml").read_text()


def put_up(key: str, *, contract: str, address: str = "") -> None:
    """Have the desk know this recipient, by this contract, which has to load."""
    load(contract)
    recipient = models.Recipient.objects.create(key=key, name=key, address=address, created_at=now())
    models.Contract.objects.create(
        recipient=recipient, version=1, document=contract, digest="0" * 64, created_at=now(), published_at=now()
    )


def put_up_from_library(key: str, *, contract: str, address: str = "") -> None:
    """Have the desk know this recipient by a contract of the library, as if it did what the vendor promises."""
    put_up(key, contract=library_text(contract), address=address)


@dataclass(slots=True)
class Egress:
    """Code at the last step before the recipient: for each request that is `about` the effect, the attempt is on record
    before the first byte. `sends`: `many` where the library that it stands behind may resend by itself."""

    desk: str
    key: str
    recipient: str
    identity: str
    scope: str
    sends: str
    about: Callable[[Request], bool]
    begun_at: datetime | None = None
    operation: str = ""
    created: list[bool] = field(default_factory=list)

    def __call__(self, request: Request) -> None:
        """Record a request, or raise NotOnRecord; the same attempt sent again by its library is on record already."""
        if not self.about(request):
            return
        status, body = self.call("POST", "/operations", self._told(request))
        if status not in (200, 201) or not body["attempt"]["recorded"]:
            raise NotOnRecord(json.dumps(body))
        self.operation = body["operation"]
        self.created.append(body["created"])

    def _told(self, request: Request) -> dict[str, Any]:
        headers = [list(line) for line in request.headers if line[0].lower() not in SECRET]
        sent = {"method": request.method, "target": request.target, "headers": headers, "scope": self.scope}
        attempt = {"id": "a1", "sends": self.sends, "begun_at": self.begun_at and self.begun_at.isoformat()}
        body = b64encode(request.body).decode()
        return {
            "recipient": self.recipient,
            "identity": self.identity,
            "request": {**sent, "body": body},
            "attempt": attempt,
        }

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """One call at the door."""
        where = urlsplit(self.desk)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.request(method, f"/api/v1{path}", json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def must(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a call that has to be taken."""
        status, said = self.call(method, f"/operations/{self.operation}{path}", body)
        assert status in (200, 201), said
        return said

    def lost(self, attempt: str = "a1") -> None:
        """Report that the connection closed without a whole answer, and seal: there is no other writer."""
        self.must("POST", "/facts", {"event": f"{attempt}-ended", "attempt": attempt, "fact": "closed"})
        self.must("POST", "/seal", {})

    def answered(self, reply: Reply, *, attempt: str, body: bytes | None = None) -> None:
        """Report an answer; `body` where it had to be put together."""
        headers = [list(line) for line in reply.headers]
        said = b64encode(reply.body if body is None else body).decode()
        told = {
            "event": f"{attempt}-answered",
            "attempt": attempt,
            "status": reply.status,
            "headers": headers,
            "body": said,
        }
        self.must("POST", "/replies", told)

    def standing(self) -> Any:
        """What is known now, and what may be done."""
        return self.must("GET", "/standing")

    def refusal(self, attempt: str = "a2") -> str:
        """The kind of refusal with which a further attempt is turned away."""
        status, said = self.call("POST", f"/operations/{self.operation}/attempts", {"id": attempt, "sends": self.sends})
        assert (status, said["type"]) == (409, "urn:unresolved:not_permitted")
        kind: str = said["refusal"]["kind"]
        return kind

    def repeat_with_a_grant(self, attempt: str = "a2") -> None:
        """Begin a further attempt that a person granted."""
        granted(UUID(self.operation), now=now())
        grant = self.must("GET", "/grant")
        told = {"id": attempt, "sends": self.sends, "grant": grant["grant"], "digest": grant["digest"]}
        self.must("POST", "/attempts", told)

    def ask(self, channel: str) -> None:
        """Have the desk ask the recipient, once, and read the answer by its contract."""
        ask_now(UUID(self.operation), channel, clock=now, by="mira")


def egress(
    desk: str, *, recipient: str, identity: str, scope: str, sends: str, about: Callable[[Request], bool]
) -> Egress:
    """The egress of an agent with a key for this recipient, which the desk has to know."""
    key = create_key("egress", scopes=["transport"], recipients=[recipient], now=now(), lasts=timedelta(days=1))
    return Egress(desk, key, recipient, identity, scope, sends, about)

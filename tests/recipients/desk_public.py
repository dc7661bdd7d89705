"""What a sender and a reader say to a collection desk, each on a connection of its own."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from tests.recipients.client import WAIT, Facts, send


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPublic:
    """The desk at `url`, asked with one account's credential."""

    url: str
    credential: str = "credential-of-one"

    def _send(
        self, method: str, path: str, *, headers: dict[str, str], body: bytes = b"", within: float = WAIT
    ) -> Facts:
        told = {"Authorization": f"Bearer {self.credential}", **headers}
        return send(method, self.url + path, headers=told, body=body, within=within)

    def ask_for_ticket(
        self, key: str | None, *, place: str = "East", parcel: str = "Cedar", within: float = WAIT
    ) -> Facts:
        """One attempt to have a ticket issued."""
        headers = {"Content-Type": "application/json", **({} if key is None else {"Idempotency-Key": key})}
        body = json.dumps({"parcel": parcel}).encode()
        return self._send("POST", f"/desks/{quote(place, safe='')}/tickets", headers=headers, body=body, within=within)

    def close(self, key: str) -> Facts:
        """Ask for an operation to be ended."""
        return self._send("POST", f"/operations/{quote(key, safe='')}/close", headers={})

    def get(self, path: str, **headers: str) -> Facts:
        """Read anything; underscores in header names stand for hyphens."""
        return self._send("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def operation(self, key: str) -> dict[str, Any]:
        """What the strong record says of an operation."""
        return told(self.get(f"/operations/{quote(key, safe='')}"))

    def found(self, parcel: str) -> list[str]:
        """The tickets that the index finds for a parcel."""
        query = urlencode({"parcel": parcel})
        return [ticket["number"] for ticket in told(self.get(f"/search?{query}"))["tickets"]]

    def listed(self, place: str = "East") -> list[str]:
        """The tickets that exist now at a place."""
        return [ticket["number"] for ticket in told(self.get(f"/desks/{quote(place)}/tickets"))["tickets"]]


def told(facts: Facts) -> dict[str, Any]:
    """The body of an answer that came."""
    assert facts.reply is not None, facts
    body = json.loads(facts.reply.body)
    assert isinstance(body, dict), body
    return body


def status(facts: Facts) -> int:
    """The status of an answer that came."""
    assert facts.reply is not None, facts
    return facts.reply.status

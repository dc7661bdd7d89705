"""Calls at the agents' door, as a program makes them, and bodies that are right until a test makes them wrong."""

import base64
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client

from operations import models
from operations.keys import create_key
from tests.operations.rows import NOW, contract

BASE = "/api/v1"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, body, headers."""

    status: int
    body: Any
    headers: Any

    @property
    def rule(self) -> str:
        """The last word of a problem's type."""
        return str(self.body["type"]).removeprefix("urn:unresolved:")

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """The fields of a problem, each with its rule."""
        return [(error["field"], error["rule"]) for error in self.body["errors"]]


@dataclass(frozen=True, slots=True)
class Program:
    """A program that holds a key."""

    key: str

    def call(self, method: str, path: str, body: bytes | None = None, **headers: Any) -> Answer:
        """One call; headers by their names in META."""
        told = {"HTTP_AUTHORIZATION": f"Bearer {self.key}", **headers}
        content_type = told.pop("CONTENT_TYPE", "application/json")
        if body == b"":  # the test client leaves both out where there are no bytes
            told |= {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": "0"}
        found = Client(raise_request_exception=False).generic(
            method, BASE + path, b"" if body is None else body, content_type=content_type, **told
        )
        return Answer(found.status_code, json.loads(found.content or b"null"), found.headers)

    def post(self, path: str, body: Any) -> Answer:
        """Post one JSON value."""
        return self.call("POST", path, json.dumps(body).encode())

    def get(self, path: str) -> Answer:
        """Read one address."""
        return self.call("GET", path)


def program(*scopes: str, recipients: tuple[str, ...] = ("desk",), lasts: float = 30 * 86_400) -> Program:
    """A program with a new key; its recipients have the collection desk's contract."""
    for recipient in recipients:
        contract(recipient)
    made = create_key("a test", scopes=scopes, recipients=recipients, now=NOW, lasts=timedelta(seconds=lasts))
    return Program(made)


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def registration(
    identity: str = "order-1", *, parcel: str = "Cedar", place: str = "East", attempt: str = "a1", **more: Any
) -> dict[str, Any]:
    """A registration that the collection desk's contract describes."""
    body: dict[str, Any] = {
        "recipient": "desk",
        "identity": identity,
        "request": {
            "method": "POST",
            "target": f"/desks/{place}/tickets",
            "headers": [["Idempotency-Key", identity], ["Content-Type", "application/json"]],
            "body": in_base64(json.dumps({"parcel": parcel}).encode()),
            "scope": "desk/main",
        },
        "attempt": {"id": attempt, "sends": "one"},
    }
    return {**body, **more}


def changed(body: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """The same body with another value at one place; `...` leaves the place out."""
    found: dict[str, Any] = json.loads(json.dumps(body))
    *way, last = pointer.strip("/").split("/")
    node: Any = found
    for part in way:
        node = node[int(part)] if isinstance(node, list) else node[part]
    if value is ...:
        del node[last]
    else:
        node[int(last) if isinstance(node, list) else last] = value
    return found


def issued(identity: str = "order-1", *, number: str = "T-1", parcel: str = "Cedar", place: str = "East") -> bytes:
    """The body of the collection desk's answer that a ticket was issued."""
    ticket = {
        "number": number,
        "key": identity,
        "place": place,
        "parcel": parcel,
        "issued_at": "2026-05-04T09:00:01.000Z",
        "collected_at": None,
    }
    return json.dumps(
        {
            "key": identity,
            "place": place,
            "parcel": parcel,
            "state": "issued",
            "ticket": ticket,
            "tickets": [ticket],
            "received_at": "2026-05-04T09:00:01.000Z",
            "closure": None,
            "covers_copies": False,
            "as_of": "2026-05-04T09:00:01.000Z",
        }
    ).encode()


def reply(event: str = "e1", *, attempt: str = "a1", status: int = 201, body: bytes | None = None, **more: Any) -> Any:
    """A report of the answer to an attempt."""
    told = {
        "event": event,
        "attempt": attempt,
        "status": status,
        "headers": [["Content-Type", "application/json"]],
        "body": in_base64(issued() if body is None else body),
    }
    return {**told, **more}


def rows() -> tuple[int, int, int, int, int]:
    """How many operations, attempts, observations, readings and seals there are."""
    kinds = (models.Operation, models.Attempt, models.Observation, models.Reading, models.Seal)
    return tuple([kind.objects.count() for kind in kinds])  # type: ignore[return-value]


NOTHING = (0, 0, 0, 0, 0)

"""What is asked, what is answered: frozen values that go into the journal and come back unchanged."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

LONGEST_NAME = 255


class DeskError(Exception):
    """Control asked for something that the desk can't do; the sentence says what."""


class Door(StrEnum):
    """What a request asks for. `tickets` and `close` change something, the rest read."""

    TICKETS = "tickets"
    CLOSE = "close"
    OPERATION = "operation"
    REQUEST = "request"
    TICKET = "ticket"
    PLACE = "place"
    SEARCH = "search"
    KEY = "key"

    @property
    def writes(self) -> bool:
        """Whether a request at this door can change what the desk holds."""
        return self in (Door.TICKETS, Door.CLOSE)


class Arguments(NamedTuple):
    """The bound arguments: what the ticket is for."""

    place: str
    parcel: str


class Identity(NamedTuple):
    """A key within its scope: `desk`, or the account of the credential."""

    scope: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request as it was read from the wire; the credential is already an account's name, or None if it is unknown.

    `subject` is what the path names: a place, a key, a ticket's or a request's number. `key` is the identity that the
    request carries (a ticket's request) or asks about.
    """

    door: Door
    subject: str = ""
    key: str | None = None
    account: str | None = None
    body: bytes = b""
    query: Mapping[str, str] = field(default_factory=dict)
    no_cache: bool = False
    if_none_match: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of what was asked: door, subject and body bytes."""
        told = b"\n".join([self.door.encode(), self.subject.encode(), self.body])
        return hashlib.sha256(told).hexdigest()

    @property
    def arguments(self) -> Arguments | None:
        """The bound arguments of a ticket's request, or None where its body is not `{"parcel": NAME}`."""
        try:
            body = json.loads(self.body)
        except ValueError:
            return None
        if not isinstance(body, dict) or set(body) != {"parcel"} or not is_name(body["parcel"]):
            return None
        return Arguments(self.subject, body["parcel"])

    def as_json(self) -> dict[str, Any]:
        """The request for the journal; the body in base64."""
        return {
            "door": self.door.value,
            "subject": self.subject,
            "key": self.key,
            "account": self.account,
            "body": base64.b64encode(self.body).decode(),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> "Request":
        """The request that `as_json` wrote; what only reads use is left out there."""
        given = {**written, "door": Door(written["door"]), "body": base64.b64decode(written["body"])}
        return cls(**given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the desk says: a JSON body and headers besides those that describe the message itself.

    `dated`: seconds on the desk's clock for the Date header where it isn't the moment of sending (a cached answer).
    """

    status: int
    body: Mapping[str, Any] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    dated: float | None = None

    @property
    def succeeded(self) -> bool:
        """Whether it tells of success (2xx)."""
        return 200 <= self.status < 300

    def with_headers(self, *more: tuple[str, str]) -> "Answer":
        """The same answer with `more` headers."""
        return replace(self, headers=(*self.headers, *more))


def is_name(value: object) -> bool:
    """Whether it can name a place, a parcel or an operation: 1 to 255 printable characters."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def stamp(at: float | None) -> str | None:
    """The time as RFC 3339 in UTC with milliseconds."""
    if at is None:
        return None
    return datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

"""The identity travels where the contract says that it protects, put there by nobody else than the carrier."""

import json
from dataclasses import dataclass, replace
from typing import Protocol

from unresolved.request import Request, as_json


class NotCarried(ValueError):
    """The request has no place for the identity, or holds another one there."""


class Carrier(Protocol):
    """Puts an identity into a request."""

    def carry(self, request: Request, *, identity: str) -> Request:
        """Return the request with the identity in its place; raises `NotCarried`."""
        ...


@dataclass(frozen=True, slots=True)
class Header:
    """The identity is the value of one header, as in `Idempotency-Key`."""

    name: str

    def carry(self, request: Request, *, identity: str) -> Request:
        """Return the request with this header; raises `NotCarried` where it has another value already."""
        held = [value for name, value in request.headers if name.lower() == self.name.lower()]
        if held == [identity]:
            return request
        if held:
            raise NotCarried(f"{self.name} holds another identity already")
        return replace(request, headers=((self.name, identity), *request.headers))


@dataclass(frozen=True, slots=True)
class BodyField:
    """The identity is one field at the top of a JSON body, as in `request_id`."""

    name: str

    def carry(self, request: Request, *, identity: str) -> Request:
        """Return the request with this field; raises `NotCarried` where the body is no object or holds another value."""
        body = request.body or b""
        members = _members_of(body)
        held = [value for name, value in members if name == self.name]
        if held == [identity]:
            return request
        if held:
            raise NotCarried(f"{self.name} holds another identity already, or stands there twice")
        # Written into the bytes: read and written anew, 12345678901234567.89 would be another amount.
        open_ended, brace = body.rstrip()[:-1].rstrip(), b"}"
        field = as_json(self.name) + b":" + as_json(identity)
        return replace(request, body=open_ended + (b"," if members else b"") + field + brace)


def _members_of(body: bytes) -> list[tuple[str, object]]:
    """Return the members at the top of a JSON object, as often as they stand there."""
    try:
        value = json.loads(body.decode(), object_pairs_hook=_Members)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, _Members):
        raise NotCarried("the body is no JSON object in UTF-8, so that no field of it can carry the identity")
    return value


class _Members(list[tuple[str, object]]):
    """The members of an object, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Whose request a tool sends: the recipient's name at the desk, what carries the identity there, and the account.

    `scope` is the account, credential reference, host and region the request goes to, as one text; a repeat goes out in
    the same. `carrier` is None where the recipient's contract names none: then nothing protects a repeat.
    """

    recipient: str
    carrier: Carrier | None
    scope: str = ""

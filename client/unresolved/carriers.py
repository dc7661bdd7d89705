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
        value = _object_of(request.body)
        if value.get(self.name, identity) != identity:
            raise NotCarried(f"{self.name} holds another identity already")
        if self.name in value:
            return request
        return replace(request, body=as_json({**value, self.name: identity}))


def _object_of(body: bytes | None) -> dict[str, object]:
    try:
        value = json.loads(body or b"null")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise NotCarried("the body is no JSON object, so that no field of it can carry the identity")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Whose request a tool sends: the recipient's name at the desk, what carries the identity there, and the account.

    `scope` is the account, credential reference, host and region the request goes to, as one text; a repeat goes out in
    the same. `carrier` is None where the recipient's contract names none: then nothing protects a repeat.
    """

    recipient: str
    carrier: Carrier | None
    scope: str = ""

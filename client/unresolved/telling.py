"""What the desk is told, item by item, as its batch takes them. Every item has an id of ours, so that telling it again
changes nothing."""

import json
import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from unresolved.kept import Event, Known
from unresolved.request import Bound, Headers, Reply, in_base64
from unresolved.words import Ended, Sends

LONGEST_BODY: Final = 1024 * 1024  # bytes of a reply that the desk takes
LONGEST_PART: Final = 8192  # characters of a header's name or value
# What the desk drops where it asks by itself (operations/channels/received.py): a session's cookie is a credential.
SECRET: Final = frozenset(
    {
        "authentication-info",
        "authorization",
        "cookie",
        "proxy-authentication-info",
        "proxy-authorization",
        "set-cookie",
        "set-cookie2",
    }
)


def new_id(what: str) -> str:
    """Return an id that nobody else has."""
    return f"{what}-{uuid.uuid4().hex}"


def moment(at: float) -> str:
    """Return seconds since 1970 as the desk reads times."""
    return datetime.fromtimestamp(at, UTC).isoformat()


def _event(kind: str, item: Mapping[str, Any], *, event_id: str) -> Event:
    return Event(id=event_id, kind=kind, item=json.dumps({"kind": kind, **item}, ensure_ascii=False, allow_nan=False))


def register(
    bound: Bound, *, attempt: str, sends: Sends, origin: Mapping[str, str], authorised_by: str, at: float
) -> Event:
    """Return the registration of an operation with its first attempt."""
    item = {
        "recipient": bound.recipient,
        "identity": bound.identity,
        "request": bound.as_asked(),
        "attempt": {"id": attempt, "sends": sends, "begun_at": moment(at)},
        "origin": dict(origin),
        "authorised_by": authorised_by,
    }
    return _event("register", item, event_id=new_id("e"))


def begin(bound: Bound, *, attempt: str, sends: Sends, grant: str, at: float) -> Event:
    """Return the beginning of a further attempt, which uses a grant up."""
    item = {
        "recipient": bound.recipient,
        "identity": bound.identity,
        "id": attempt,
        "sends": sends,
        "grant": grant,
        "scope": bound.scope,
        "digest": bound.digest,
        "begun_at": moment(at),
    }
    return _event("begin", item, event_id=new_id("e"))


def reply(of: Known, told: Reply, *, attempt: str, at: float) -> Event:
    """Return the report of an answer; a body that is too long is cut and says so, and reads as nothing.

    Lines that hand a secret out, and such as no desk takes, are left out, so that the answer itself gets there.
    """
    event_id = new_id("e")
    item = {
        "recipient": of.recipient,
        "identity": of.identity,
        "event": event_id,
        "attempt": attempt,
        "status": told.status if 100 <= told.status <= 599 else None,
        "headers": [list(line) for line in _kept(told.headers)][:200],
        "body": in_base64(told.body[:LONGEST_BODY]),
        "truncated": told.truncated or len(told.body) > LONGEST_BODY,
        "received_at": moment(at),
    }
    return _event("reply", item, event_id=event_id)


def _kept(headers: Headers) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        line = (_text(name), _text(value))
        if line[0].lower() not in SECRET and all(len(part) <= LONGEST_PART for part in line):
            yield line


def _text(part: str) -> str:
    """Return text that can be written: without NUL and lone surrogates."""
    return part.replace("\x00", "").encode(errors="replace").decode()


def fact(of: Known, ended: Ended, *, attempt: str, at: float) -> Event:
    """Return the report of what the owner of the socket saw of its own side."""
    event_id = new_id("e")
    named = {"recipient": of.recipient, "identity": of.identity}
    item = {**named, "event": event_id, "attempt": attempt, "fact": ended, "at": moment(at)}
    return _event("fact", item, event_id=event_id)


def answered(of: Known, *, links: int, call: str, run: str, request: str) -> Event:
    """Return the report that a model replied to a request that held a result; of one call and result there is one."""
    named = {"recipient": of.recipient, "identity": of.identity}
    told = sha256(json.dumps([*named.values(), call, links]).encode()).hexdigest()
    event_id = f"d-{told[:40]}"
    item = {
        **named,
        "event": event_id,
        "step": "answered",
        "links": links,
        "call": call,
        "run": run,
        "request": request,
    }
    return _event("deliver", item, event_id=event_id)


def seal(of: Known) -> Event:
    """Return the word that no writer of this journal begins a further attempt without a grant."""
    return _event("seal", {"recipient": of.recipient, "identity": of.identity}, event_id=new_id("e"))

"""The exact bytes of one stored request as they go out, and where to; nothing is left out, added unseen or rewritten.

What binds is written as it is stored, in its order. The desk adds what a connection needs (Host, Connection,
Content-Length), who asks (the credential, User-Agent) and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import h11

from operations.channels.base import Reach
from operations.channels.guard import Place, Refused, below, check_literal, place
from operations.channels.outgoing import check_header, check_settable, credential_line

MOST_HEADERS: Final = 100
HIDDEN: Final = "(the credential; not shown)"
Lines = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A stored request: `headers` are the lines that bind, the identity's carrier among them."""

    method: str
    target: str
    headers: Lines
    body: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A request that is ready to go out: `head` and `body` are its bytes. `bound` are the stored lines, `added` ours.

    A secret is in `head` alone; `added` has a placeholder for it. `target` is as it goes out, with the address's path.
    """

    where: Place
    method: str
    target: str
    bound: Lines
    added: Lines
    head: bytes = field(repr=False)
    body: bytes

    @property
    def whole(self) -> bytes:
        """Every byte that goes out."""
        return self.head + self.body


def written(request: Request, *, reach: Reach) -> Written:
    """Return the request as it goes out to the recipient at `reach`. Raises Refused with a sentence."""
    where = place(reach.address)
    check_literal(where, networks=reach.networks)
    target = below(where, target=request.target).removeprefix(where.origin)
    names = _checked(request.headers)
    secret = credential_line(reach.credential, names=names)
    added = _added(request, where, names=names)
    return Written(
        where=where,
        method=request.method,
        target=target,
        bound=request.headers,
        added=(*added, *[(name, HIDDEN) for name, _ in secret]),
        head=_head(request.method, target, [*request.headers, *added, *secret]),
        body=request.body or b"",
    )


def _checked(lines: Sequence[tuple[str, str]]) -> set[str]:
    if len(lines) > MOST_HEADERS:
        raise Refused(f"The stored request has more than {MOST_HEADERS} headers.")
    for name, value in lines:
        check_header(name, value)
    names = {name.lower() for name, _ in lines}
    check_settable(names, what="stored request")
    return names


def _added(request: Request, where: Place, *, names: set[str]) -> list[tuple[str, str]]:
    lines = [("Host", where.origin.partition("://")[2]), ("Connection", "close")]
    if request.body is not None or request.method in ("POST", "PUT", "PATCH"):
        lines.append(("Content-Length", str(len(request.body or b""))))
    if "user-agent" not in names:
        lines.append(("User-Agent", "Unresolved"))
    return lines


def _head(method: str, target: str, lines: list[tuple[str, str]]) -> bytes:
    try:
        asked = h11.Request(method=method, target=target, headers=lines)
        found = h11.Connection(our_role=h11.CLIENT).send(asked)
    except h11.LocalProtocolError as error:
        raise Refused("The stored request isn't one that HTTP/1.1 can carry.") from error
    return found or b""

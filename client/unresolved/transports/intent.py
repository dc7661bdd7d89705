"""What a library's requests in a block are meant for: named by the caller, read by the transport below the library."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from unresolved.carriers import Contract
from unresolved.envelope import Envelope
from unresolved.recorder import Call, NotBegun, Under
from unresolved.request import Headers, Request
from unresolved.words import Sends

# By RFC 9110, section 9.2.1, these ask for no effect.
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
# The lines that bind beside the carrier's own; a credential must never be among them.
BINDS: Final = frozenset({"content-type"})


class NoIntent(Exception):
    """A request that may have an effect was made outside of `intended`: nothing was sent."""


@dataclass(slots=True, kw_only=True)
class Intent:
    """One intended effect. `calls` are the requests that the library made for it, sent or held."""

    identity: str
    tool: str
    arguments: Mapping[str, Any] | None = None
    calls: list[Under | NotBegun] = field(default_factory=list)

    @property
    def envelope(self) -> Envelope | None:
        """What the tool call comes back with, by the last request; None where none was made that has an effect."""
        return self.calls[-1].envelope if self.calls else None


_CURRENT: Final[ContextVar[Intent | None]] = ContextVar("unresolved_intent", default=None)


@contextmanager
def intended(identity: str, *, tool: str, arguments: Mapping[str, Any] | None = None) -> Iterator[Intent]:
    """Name what the requests in this block are meant for: one effect, however often a library would ask for it."""
    intent = Intent(identity=identity, tool=tool, arguments=arguments)
    token = _CURRENT.set(intent)
    try:
        yield intent
    finally:
        _CURRENT.reset(token)


def current() -> Intent:
    """Return what the request that is being made is meant for; raises `NoIntent`."""
    found = _CURRENT.get()
    if found is None:
        raise NoIntent("name what this request is meant for with `intended`; nothing was sent")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A request as a library hands it down."""

    method: str
    target: str
    headers: Headers
    body: bytes | None

    def call(self, contract: Contract, *, intent: Intent, sends: Sends, binds: frozenset[str]) -> Call:
        """Return what it asks for. `binds`: the names of the lines that bind, in lower case."""
        kept = tuple([(name, value) for name, value in self.headers if name.lower() in binds])
        return Call(
            tool=intent.tool,
            contract=contract,
            identity=intent.identity,
            request=Request(method=self.method, target=self.target, headers=kept, body=self.body),
            arguments=intent.arguments,
            sends=sends,
        )


def binding(contract: Contract) -> frozenset[str]:
    """Return the names of the lines that bind under a contract."""
    name = getattr(contract.carrier, "name", None)
    return BINDS | ({name.lower()} if isinstance(name, str) else set())


def undecoded(headers: Headers) -> Headers:
    """Return the lines of an answer whose body the library has decoded already."""
    return tuple(
        [(name, value) for name, value in headers if name.lower() not in ("content-encoding", "content-length")]
    )

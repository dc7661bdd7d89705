"""Ask a recipient over HTTP: one question, one answer or why there is none; nothing is followed, kept or tried again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from operations.channels.base import Answered, Ask, Clock, Limits, Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Connections of one event loop to recipients; open it with `open_client`, share it between concurrent asks."""


@asynccontextmanager
async def open_client(*, limits: Limits) -> AsyncIterator[Client]:
    """Everything connected through the client is closed with the block; `limits` are those of every connection."""
    raise NotImplementedError(limits)
    yield Client()


async def ask(client: Client, question: Ask, *, reach: Reach, limits: Limits, clock: Clock) -> Answered:
    """Return what came of the question; it never raises for what a recipient, a name server or an address does."""
    raise NotImplementedError(client, question, reach, limits, clock)

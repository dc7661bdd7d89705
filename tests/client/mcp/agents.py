"""An agent that speaks MCP through the SDK's own client, to a server in a process of its own."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server

from tests.client.processes import ROOT
from unresolved import Desk
from unresolved.mcp.reporting import Reporter
from unresolved.mcp.serving import server_of

T = TypeVar("T")
PATHS = {"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"}
PATIENT = ("--patience", "60")  # seconds; a bound on a busy machine, not a delay
ORDER: dict[str, Any] = {
    "tool": "issue_ticket",
    "arguments": {"parcel": "Cedar", "place": "East"},
    "contract": "desk",
    "operation_key": "order-1001",
    "scope": "desk/one",
    "request": {
        "method": "POST",
        "target": "/desks/East/tickets",
        "headers": {"Idempotency-Key": "order-1001", "Content-Type": "application/json"},
        "body": '{"parcel": "Cedar"}',
    },
}


def stdio(desk: str, key: str) -> StdioServerParameters:
    """The server as a process of its own, for one agent."""
    args = ["-m", "unresolved", "mcp", "--desk", desk, *PATIENT]
    return StdioServerParameters(command=sys.executable, args=args, env={**PATHS, "UNRESOLVED_KEY": key})


def here(desk: str, key: str) -> Server[Any]:
    """The same server in this process, which starts sooner."""
    return server_of(lambda _: Reporter(desk=Desk(url=desk, key=key, patience=60)))


@contextmanager
def served(desk: str) -> Iterator[str]:
    """The server over HTTP, in a process of its own that has no key."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("UNRESOLVED_")}
    command = [sys.executable, "-m", "unresolved", "mcp", "--desk", desk, *PATIENT, "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, env={**clean, **PATHS}, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            process.terminate()


@asynccontextmanager
async def with_key(url: str, key: str) -> AsyncIterator[Any]:
    """A client over HTTP that brings a key."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def talk(server: Any, says: Callable[[Client], Awaitable[T]]) -> T:
    """Connect, say it, and go."""

    async def main() -> T:
        async with Client(server) as client:
            return await says(client)

    return asyncio.run(main())


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool answers, with `is_error` beside it."""
    found = await client.call_tool(tool, arguments)
    told: dict[str, Any] = json.loads(found.content[0].text)  # type: ignore[union-attr]
    assert found.structured_content == told
    return {**told, "is_error": found.is_error}

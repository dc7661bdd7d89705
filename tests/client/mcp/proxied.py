"""An agent whose MCP server stands behind the proxy, at a desk and a recipient that tests can break."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from operations import models
from operations.contracts.loading import library_text
from operations.keys import create_key
from tests.client.mcp.agents import PATHS
from tests.client.mcp.listening import Listening
from tests.client.parcels import tickets
from tests.operations.rows import NOW
from tests.recipients.fixtures import CollectionDesk

T = TypeVar("T")
CALL = {"order": "order-1001", "parcel": "Cedar", "place": "East"}
PROTECTING = {
    "carrier: null": "carrier: {at: /body/params/arguments/order, source: no_key}",
    "is: none\n": "is: key\n",
    "guaranteed_for: {is: undocumented}": "guaranteed_for: {is: 86400, source: no_key}\n  margin: 60",
    "after: {is: undocumented}": "after: {is: runs_as_new, source: no_key}",
    "covers: {is: undocumented}": "covers: {is: every_outcome, source: no_key}",
    "arguments: {location: New York}": "arguments: {order: call-tool-example}",
    "concurrent_use: {is: undocumented}": "concurrent_use: {is: protected, source: no_key}",
}
PROXY = ("-m", "unresolved", "mcp-proxy")


def publish(name: str) -> None:
    """Let the desk know the tool's recipient: nothing protects, and no answer settles anything."""
    recipient, _ = models.Recipient.objects.get_or_create(key=name, defaults={"name": name, "created_at": NOW})
    text = library_text("mcp-tools")
    models.Contract.objects.create(
        recipient=recipient, version=1, document=text, digest="0" * 64, created_at=NOW, published_at=NOW
    )


def protects(name: str) -> None:
    """Publish a contract by which the order in the arguments protects a repeat, as the collection desk does."""
    contract = models.Contract.objects.get(recipient__key=name)
    text = contract.document
    for said, instead in PROTECTING.items():
        assert said in text
        text = text.replace(said, instead, 1)
    models.Contract.objects.create(
        recipient=contract.recipient, version=2, document=text, digest="1" * 64, created_at=NOW, published_at=NOW
    )


def transport_key() -> str:
    """A key of whoever owns the pipe to the server."""
    until = timedelta(days=1)
    return create_key("proxy", scopes=["transport"], recipients=["tickets"], now=datetime.now(UTC), lasts=until)


@dataclass(slots=True, kw_only=True)
class Proxied:
    """One agent. `point` is where the proxy dies, `server` where the server does."""

    folder: Path
    door: Listening
    key: str
    desk: CollectionDesk
    options: list[str] = field(default_factory=lambda: ["--intent", "issue_ticket=/order"])

    def command(self, *, point: str = "", server: str = "") -> StdioServerParameters:
        """The proxy as it is started."""
        start = ["-m", "tests.client.mcp.dying_proxy", point] if point else PROXY
        own = ["--desk", self.door.url, "--desk-patience", "60", "--journal", str(self.folder / "ops.db")]
        guards = ["--contract", "issue_ticket=tickets", "--wire-log", str(self.folder / "wire.jsonl"), *self.options]
        behind = [sys.executable, "-m", "tests.client.mcp.tickets_server", self.desk.url, *([server] if server else [])]
        return StdioServerParameters(
            command=sys.executable,
            args=[*start, *own, *guards, "--", *behind],
            env={**PATHS, "UNRESOLVED_KEY": self.key},
        )

    def talk(self, says: Callable[[Client], Awaitable[T]], **how: str) -> T:
        """Connect by the SDK's client, say it, and go."""

        async def main() -> T:
            async with Client(self.command(**how), mode="legacy") as client:
                return await says(client)

        return asyncio.run(main())

    def issue(self, *calls: dict[str, Any], **how: str) -> list[Any]:
        """Call the guarded tool, once for each set of arguments; a call that gets no answer is told by its error."""

        async def says(client: Client) -> list[Any]:
            found: list[Any] = []
            for one in calls or (CALL,):
                try:
                    answer = await client.call_tool("issue_ticket", one)
                except MCPError as error:
                    found.append(str(error))
                else:
                    found.append({**_read(answer), "is_error": answer.is_error})
            return found

        return self.talk(says, **how)

    @property
    def passages(self) -> int:
        """How many requests the recipient saw."""
        return len(self.desk.control.truth("order-1001")["passages"])

    @property
    def tickets(self) -> int:
        return tickets(self.desk)

    def attempts(self) -> list[str]:
        """The attempts in the journal."""
        with closing(sqlite3.connect(self.folder / "ops.db")) as connection:
            return [row for (row,) in connection.execute("SELECT id FROM attempts ORDER BY key")]

    @property
    def wire(self) -> bytes:
        return (self.folder / "wire.jsonl").read_bytes()


def _read(answer: Any) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(answer.content[0].text)
    except ValueError:
        return {"text": answer.content[0].text}
    return told

"""The SDK that agents call MCP tools with, over streamable HTTP; all lines are said in one session."""

import asyncio
import json
import sys
from datetime import timedelta
from typing import Any

from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamablehttp_client


async def called(session: Any, told: dict[str, Any]) -> dict[str, Any]:
    """What the library says of one call."""
    patience = timedelta(seconds=told["patience"])
    try:
        found = await session.call_tool(told["tool"], told["arguments"], read_timeout_seconds=patience)
    except McpError as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"result": found.structuredContent, "is_error": found.isError}


async def main(url: str) -> None:
    """Open a session, say its id, and do what each line says."""
    async with streamablehttp_client(url) as (read, write, session_id), ClientSession(read, write) as session:
        await session.initialize()
        sys.stdout.write(json.dumps({"result": session_id()}) + "\n")
        sys.stdout.flush()
        while line := await asyncio.to_thread(sys.stdin.readline):
            sys.stdout.write(json.dumps(await called(session, json.loads(line))) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))

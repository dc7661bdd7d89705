"""A server of the SDK's asks back in the middle of a guarded call; by either protocol it is one attempt, and acts once."""

import asyncio
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

from operations.imports import imported
from tests.client.mcp.agents import PATHS

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_call_with_a_question_is_one_attempt(tmp_path: Path, mode: str):
    own = ["--desk", NOWHERE, "--journal", str(tmp_path / "ops.db"), "--wire-log", str(tmp_path / "wire.jsonl")]
    guards = ["--contract", "issue_ticket=tickets", "--intent", "issue_ticket=/order"]
    behind = [sys.executable, "-m", "tests.client.mcp.asking_server", str(tmp_path / "done")]
    proxy = StdioServerParameters(
        command=sys.executable,
        args=["-m", "unresolved", "mcp-proxy", *own, *guards, "--", *behind],
        env={**PATHS, "UNRESOLVED_KEY": "unr_none"},
    )

    async def answers(*_):
        return ElicitResult(action="accept", content={"place": "East"})

    async def main():
        async with Client(proxy, mode=mode, elicitation_callback=answers) as agent:
            return [await agent.call_tool("issue_ticket", {"order": "order-1"}) for _ in range(2)]

    told, held = asyncio.run(main())
    assert (told.content[0].text, told.is_error) == ("issued at East", False)
    assert (json.loads(held.content[0].text)["next"], held.is_error) == ("held", True)
    assert (tmp_path / "done").read_text() == "order-1 East\n"
    with closing(sqlite3.connect(tmp_path / "ops.db")) as journal:
        marks = journal.execute("SELECT mark, says FROM marks WHERE mark = 'ended'").fetchall()
    assert marks == [("ended", "answered")]
    calls = imported((tmp_path / "wire.jsonl").read_bytes()).calls
    assert [(call.rounds, call.outputs[0].kind) for call in calls] == [
        (2 if mode == "auto" else None, "claims_result"),
        (None, "envelope"),
    ]

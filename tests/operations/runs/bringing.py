"""Records brought in as the desk brings them."""

import json
from typing import Any

from operations import runs
from operations.models import Run
from tests.operations.rows import NOW, later

BY = "mira"


def brought(content: bytes, *, run: Run | None = None, at: float = 0, name: str = "run 7", **more: Any) -> runs.Brought:
    """Look at a record and keep it."""
    seen = runs.bring(content, name="state.json", by=BY, now=later(at))
    return runs.keep(seen.upload.id, run=run, name=name, recipient_id=more.get("recipient_id"), by=BY, now=later(at))


def chat(*calls: tuple[str, str, str | None], tool: str = "issue_ticket") -> bytes:
    """A transcript of calls: id, arguments, and the output where there is one."""
    messages: list[dict[str, Any]] = []
    for call_id, arguments, output in calls:
        asked = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [asked]})
        if output is not None:
            messages.append({"role": "tool", "tool_call_id": call_id, "content": output})
    return json.dumps({"messages": messages}).encode()


__all__ = ["BY", "NOW", "brought", "chat", "later"]

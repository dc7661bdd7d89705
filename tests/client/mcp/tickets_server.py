"""An MCP server by stdio that has tickets issued at a collection desk, written by hand so that it starts at once.

python -m tests.client.mcp.tickets_server ORIGIN [POINT]: at POINT (`before`, `after` the request) it ends by SIGKILL.
"""

import http.client
import json
import os
import signal
import sys
import threading
import urllib.request
from typing import Any

WORDS = {"order": {"type": "string"}, "parcel": {"type": "string"}, "place": {"type": "string"}}
SCHEMA = {"type": "object", "properties": WORDS}
TOOLS = [{"name": name, "inputSchema": SCHEMA} for name in ("issue_ticket", "where_is")]
INFO = {"serverInfo": {"name": "tickets", "version": "1"}, "capabilities": {"tools": {}}}
LOCK = threading.Lock()


def say(message: dict[str, Any]) -> None:
    with LOCK:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def issued(origin: str, point: str, order: str, parcel: str, place: str) -> dict[str, Any]:
    headers = {"Authorization": "Bearer credential-of-one", "Content-Type": "application/json"}
    body = json.dumps({"parcel": parcel}).encode()
    request = urllib.request.Request(  # noqa: S310  # a loopback address
        f"{origin}/desks/{place}/tickets", body, {**headers, "Idempotency-Key": order}, method="POST"
    )
    if point == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # likewise
            told = json.loads(answer.read())
    except (OSError, http.client.HTTPException) as error:
        return {"content": [{"type": "text", "text": f"It failed: {type(error).__name__}"}], "isError": True}
    finally:
        if point == "after":
            os.kill(os.getpid(), signal.SIGKILL)
    return {"content": [{"type": "text", "text": json.dumps(told)}], "isError": False}


def answer(message: dict[str, Any], origin: str, point: str) -> None:
    method, params = message.get("method"), message.get("params", {})
    if method == "initialize":
        found = {**INFO, "protocolVersion": params["protocolVersion"]}
    elif method == "tools/list":
        found = {"tools": TOOLS}
    elif method == "tools/call" and params["name"] == "issue_ticket":
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            say({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
        found = issued(origin, point, **params["arguments"])
    elif method == "tools/call":
        found = {"content": [{"type": "text", "text": "B4"}], "isError": False}
    else:
        say({"id": message["id"], "error": {"code": -32601, "message": f"no {method}"}})
        return
    say({"id": message["id"], "result": found})


def main(origin: str, point: str = "") -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            threading.Thread(target=answer, args=[message, origin, point]).start()


if __name__ == "__main__":
    main(*sys.argv[1:])

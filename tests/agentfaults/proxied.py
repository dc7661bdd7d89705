"""Lives behind the journalling MCP proxy: the agent knows nothing of any desk, and its server sends by itself."""

import json
import os
import sys
import threading
from functools import partial
from typing import Any, Final

from tests.agentfaults.agent import TOOL, Agent
from tests.agentfaults.hooks import passing
from tests.agentfaults.world import TOOLS, Case, World
from tests.faults.process import Outcome
from tests.faults.scenes import Intended
from unresolved.__main__ import main

_ID: Final = 7


def through_the_proxy(world: World) -> Case:
    """A call through the proxy, which may die; the server behind it ends by itself, whatever it had begun."""
    made = Intended(world.stage, TOOLS)
    agent = world.agent(made, recipient=TOOLS)
    read, write = os.pipe()  # held by whatever the proxy starts, so that its end can be waited for

    def settles() -> None:
        while os.read(read, 65_536):
            pass
        os.close(read)

    return Case(
        made=made,
        agent=agent,
        do=partial(_calls, errors=write),
        again=partial(_calls, errors=None),
        reports_bytes=False,
        begun=lambda: os.close(write),  # at once: a desk that is begun anew would hold it too
        settles=settles,
        silence=False,
    )


def _calls(agent: Agent, *, errors: int | None) -> Outcome:
    """Say the call to the proxy as its client does, and hang up once it is answered."""
    if errors is not None:
        os.dup2(errors, 2)
        os.close(errors)
    asked, ask = os.pipe()
    answers, answer = os.pipe()
    os.dup2(asked, 0)
    os.dup2(answer, 1)
    os.close(asked)
    os.close(answer)
    os.environ |= {"UNRESOLVED_KEY": agent.key, "PYTHONPATH": os.pathsep.join(sys.path)}
    said: list[Any] = []
    client = threading.Thread(target=_client, args=[agent, ask, answers, said])
    client.start()
    main(_command(agent), passing=passing)
    os.close(1)
    client.join()
    return Outcome(status=200 if said else 500, said=json.dumps(said[0] if said else "no answer came"))


def _client(agent: Agent, ask: int, answers: int, said: list[Any]) -> None:
    arguments = {"order": agent.named(), **agent.chosen}
    params = {"name": TOOL, "arguments": arguments}
    os.write(ask, json.dumps({"jsonrpc": "2.0", "id": _ID, "method": "tools/call", "params": params}).encode() + b"\n")
    with os.fdopen(answers, encoding="utf-8") as lines:
        for line in lines:
            message = json.loads(line)
            if message.get("id") == _ID:
                said.append(_envelope(message))
                break
        os.close(ask)
        for _ in lines:
            pass


def _envelope(message: Any) -> Any:
    """What the caller got: an envelope, or the server's own answer, which says nothing of the record."""
    try:
        found = json.loads(message["result"]["content"][0]["text"])
    except (KeyError, ValueError):
        return {}
    return found if "known_by" in found else {}


def _command(agent: Agent) -> list[str]:
    own = ["mcp-proxy", "--desk", agent.desk, "--journal", str(agent.journal), "--contract", f"{TOOL}={TOOLS}"]
    own += ["--intent", f"{TOOL}=/order", "--desk-patience", str(agent.patience)]
    return [*own, "--", sys.executable, "-m", "tests.client.mcp.tickets_server", agent.tickets]

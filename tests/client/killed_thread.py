"""A process with a thread of LangGraph that dies by SIGKILL at a named point of a guarded call in a node, and its restart.

python -m tests.client.killed_thread FOLDER ORIGIN POINT, with the client and this project on the path; no desk can be reached.
"""

import subprocess
import sys
import time
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver

from tests.client.graphs import Scripted, Thread, calls, tool_of
from tests.client.killed import FIRST_BYTE, Dying, dies
from tests.client.nowhere import asked, tickets_contract
from tests.client.processes import NOBODY, ROOT
from unresolved import Attempt, Desk, Journal, OneShot, Recorder, Seen, guarded


def started(folder: Path, origin: str, point: str) -> subprocess.Popen[str]:
    """Start a process whose node dies at `point`."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.client.killed_thread", str(folder), origin, point],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def main(folder: str, origin: str, point: str) -> None:
    """Run the thread until its process is gone."""
    recorder = Recorder(
        journal=Journal(Path(folder) / "ops.db"),
        desk=Desk(url=NOBODY, key="unr_none"),
        clock=lambda: time.time() - 10.0,
        passing=lambda step: dies() if step == point else None,
    )
    honest = OneShot(origin=origin, credentials=lambda: {"Authorization": "Bearer credential-of-one"})

    @guarded(
        recorder,
        "issue_ticket",
        tickets_contract(),
        intent=lambda given: given["order"],
        request=lambda given: asked(parcel=given["parcel"], place=given["place"]),
        sender=Dying(origin) if point == FIRST_BYTE else honest,
    )
    def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
        """Have one collection ticket issued."""
        return attempt.send()

    tools = [tool_of(issue_ticket)]
    thread = Thread(door=None, folder=Path(folder), model=Scripted(turns=[calls("call_1")]), tools=tools)
    with SqliteSaver.from_conn_string(str(Path(folder) / "threads.db")) as saver:
        thread.built().compile(checkpointer=saver).invoke(
            {"messages": ["Issue it."], "orders": thread.orders}, thread.config, durability="sync"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

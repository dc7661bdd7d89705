"""Where a trial is played: the desk in a process of its own, the recipient's process, and the network between all."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from operations import models
from operations.keys import create_key
from tests.agentfaults.agent import Agent
from tests.agentfaults.hooks import arm
from tests.agentfaults.network import DESK, TICKETS, Network
from tests.agentfaults.serving import DeskProcess, warm
from tests.client.mcp.proxied import publish as publish_tools
from tests.faults.points import Points
from tests.faults.process import Outcome, Process
from tests.faults.scenes import Intended
from tests.faults.stage import CLOSING, KEPT, Stage, stage

TOOLS: Final = "tickets"  # the same recipient behind an MCP server, by the contract of such tools


@dataclass(slots=True, kw_only=True)
class World:
    """What all trials share; a trial has an intent and a folder of its own."""

    stage: Stage
    network: Network
    desk: DeskProcess
    folder: Path
    key: str

    def agent(self, made: Intended, **more: Any) -> Agent:
        """An agent that has nothing yet but what it is to do."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        self.network.watch(str(folder / "ops.db"))
        more |= {"desk": self.network.url(DESK), "tickets": self.network.url(TICKETS)}
        return Agent(folder=folder, key=self.key, order=made.key, parcel=made.parcel, **more)

    def lives(self, do: Callable[[], Outcome], *, stop_at: str | None = None) -> Process:
        """A life of an agent, hooked."""
        sides = {port: name for name, port in self.network.ports.items()}

        def armed(points: Points) -> None:
            arm(points, sides=sides)

        return Process(do, stop_at=stop_at, armed=armed)


@contextmanager
def world() -> Iterator[World]:
    """Open it on the database that this process is connected to, which holds nothing yet."""
    with ExitStack() as opened:
        here = opened.enter_context(stage())
        here.desks[TOOLS] = here.desks[KEPT]
        publish_tools(TOOLS)
        folder = Path(tempfile.mkdtemp(prefix="agentfaults-"))
        opened.callback(shutil.rmtree, folder, ignore_errors=True)
        warm(here)
        desk = DeskProcess()
        opened.callback(desk.kill)
        recipient = int(here.desks[KEPT].url.rpartition(":")[2])
        network = Network({DESK: desk.port, TICKETS: recipient})
        opened.callback(network.end)
        until = timedelta(days=1)
        key = create_key(
            "agent", scopes=["transport", "collect"], recipients=[KEPT, CLOSING, TOOLS], now=here.now(), lasts=until
        )
        yield World(stage=here, network=network, desk=desk, folder=folder, key=key)


def find(made: Intended) -> models.Operation | None:
    """Its row, if the desk has one by now."""
    row = models.Operation.objects.filter(identity=made.key).first()
    made.operation = None if row is None else row.id
    return row


@dataclass(slots=True, kw_only=True)
class Case:
    """One act that is ready to be played.

    `do` is the life that is broken off, `again` the one after it; then a `person` may do something, and it lives a `last`
    time, without which it may end where it doesn't need that. `is_away`: the desk can't be reached while it first lives.
    `reports_bytes`: what it says to have sent arrives at the recipient. `silence`: it waits for an answer as long as it is
    told. `wrong` says what of this case is not as it has to be, by what the lives said; `begun` is told once it lives, and
    `settles` waits for what it started beside itself.
    """

    made: Intended
    agent: Agent
    do: Callable[[Agent], Outcome]
    again: Callable[[Agent], Outcome]
    person: Callable[[], None] = lambda: None
    last: Callable[[Agent], Outcome] | None = None
    needs_last: bool = True
    is_away: bool = False
    reports_bytes: bool = True
    wrong: Callable[[list[Mapping[str, Any]]], Iterator[str]] = lambda _: iter(())
    begun: Callable[[], None] = lambda: None
    settles: Callable[[], None] = lambda: None
    silence: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One act by name; `prepare` sets its stage."""

    name: str
    prepare: Callable[[World], Case]

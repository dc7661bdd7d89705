"""An agent as its process has it: a journal in a folder, a desk and a recipient beyond the network, and one intent.

Each life of it begins with nothing but what the folder holds.
"""

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, Final

import httpx
import requests

from tests.agentfaults.hooks import JOURNAL, passing
from tests.faults.process import Outcome
from tests.faults.scenes import SCOPE
from tests.faults.stage import KEPT
from unresolved import (
    Attempt,
    Contract,
    Desk,
    Envelope,
    Header,
    Journal,
    Mode,
    NotBegun,
    OneShot,
    Recorder,
    Request,
    Seen,
    guarded,
)
from unresolved.__main__ import main
from unresolved.transports import intended
from unresolved.transports.over_httpx import GuardedAsyncTransport
from unresolved.transports.over_requests import GuardedAdapter

TOOL: Final = "issue_ticket"
PATIENCE: Final = 20.0  # seconds; a bound for a busy machine, where nothing is lost in silence
_CANNOT: Final = 2  # its exit status where it can't be done; 1 says that some waits still
TOKEN: Final = {"Authorization": "Bearer credential-of-one"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent. `order` names its intent; `ago`: seconds by which it dates itself back, `patience`: what it waits."""

    folder: Path
    desk: str
    tickets: str
    key: str
    order: str
    parcel: str
    recipient: str = KEPT
    mode: Mode = Mode.LOCAL
    patience: float = PATIENCE
    ago: float = 0.0

    @property
    def journal(self) -> Path:
        """Its journal's file."""
        return self.folder / JOURNAL

    @property
    def contract(self) -> Contract:
        """How its recipient protects."""
        return Contract(recipient=self.recipient, carrier=Header("Idempotency-Key"), scope=SCOPE)

    @property
    def sender(self) -> OneShot:
        """What owns the socket."""
        return OneShot(origin=self.tickets, credentials=lambda: TOKEN, patience=self.patience)

    @property
    def chosen(self) -> dict[str, str]:
        """What its model chooses."""
        return {"parcel": self.parcel, "place": "East"}

    def recorder(self) -> Recorder:
        """Its recorder, anew."""
        return Recorder(
            journal=Journal(self.journal),
            desk=Desk(url=self.desk, key=self.key, patience=self.patience),
            mode=self.mode,
            clock=lambda: time.time() - self.ago,
            passing=passing,
        )

    def named(self) -> str:
        """The intent, by what was asked for."""
        return self.order

    def guard(self, recorder: Recorder) -> Any:
        """What guards its tool."""
        return guarded(
            recorder,
            TOOL,
            self.contract,
            intent=lambda _: self.named(),
            request=lambda given: Request.json("POST", f"/desks/{given['place']}/tickets", {"parcel": given["parcel"]}),
            sender=self.sender,
        )

    def tool(self, recorder: Recorder) -> Callable[..., Envelope]:
        """Its tool, guarded."""

        def issue_ticket(attempt: Attempt, *, order: str, parcel: str, place: str) -> Seen:
            """Have one collection ticket issued at a desk."""
            return attempt.send()

        found: Callable[..., Envelope] = self.guard(recorder)(issue_ticket)
        return found


def told(envelope: Envelope | None, **more: Any) -> Outcome:
    """What a process says at its end: the envelope that its caller got, and what else is to be judged."""
    if envelope is None:
        return Outcome(status=500, said="no envelope came back")
    return Outcome(status=200, said=json.dumps({**envelope.as_dict(), **more}))


def calls(agent: Agent) -> Outcome:
    """It calls its tool, whose sender owns the socket."""
    return told(agent.tool(agent.recorder())(order=agent.order, **agent.chosen))


def calls_by_requests(agent: Agent) -> Outcome:
    """A library on requests sends, which may fail as it likes; underneath is the client's adapter."""
    session = requests.Session()
    session.mount("http://", GuardedAdapter(agent.recorder(), agent.contract))

    def sends() -> None:
        url = f"{agent.tickets}/desks/East/tickets"
        session.post(url, json={"parcel": agent.parcel}, headers=TOKEN, timeout=agent.patience)

    return _by_library(agent, sends, fails=requests.RequestException)


def calls_by_httpx(agent: Agent) -> Outcome:
    """The same on httpx, awaited."""
    transport = GuardedAsyncTransport(agent.recorder(), agent.contract)

    async def sends() -> None:
        async with httpx.AsyncClient(transport=transport, base_url=agent.tickets, timeout=agent.patience) as client:
            await client.post("/desks/East/tickets", json={"parcel": agent.parcel}, headers=TOKEN)

    return _by_library(agent, lambda: asyncio.run(sends()), fails=httpx.HTTPError)


def _by_library(agent: Agent, sends: Callable[[], None], *, fails: type[Exception]) -> Outcome:
    arguments: Mapping[str, Any] = {"order": agent.order, **agent.chosen}
    with intended(agent.named(), tool=TOOL, arguments=arguments) as intent:
        with suppress(NotBegun, fails):  # the library's caller has the envelope all the same
            sends()
        return told(intent.envelope)


def ships(agent: Agent) -> Outcome:
    """What is left in its journal is told, by the command that a timer runs; it is called again while some waits."""
    os.environ["UNRESOLVED_KEY"] = agent.key
    with redirect_stdout(StringIO()) as said:
        status = main(["ship", str(agent.journal), "--desk", agent.desk])
    return Outcome(status=500 if status == _CANNOT else 200, said=said.getvalue())


def goes_on(agent: Agent, life: Callable[[Agent], Outcome]) -> Outcome:
    """It lives again, and tells what is left."""
    found = life(agent)
    if not agent.journal.exists():
        return found
    recorder = agent.recorder()
    shipped = recorder.ship()
    if shipped.waiting or shipped.unreachable:
        return Outcome(status=500, said=f"not all was told: {shipped}")
    return found

"""Open a desk on two loopback ports, and close it again."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from tests.recipients.collection_desk import clock as clocks
from tests.recipients.collection_desk.clock import Clock
from tests.recipients.collection_desk.control import control
from tests.recipients.collection_desk.front import front
from tests.recipients.collection_desk.journal import Journal
from tests.recipients.collection_desk.running import RunningDesk
from tests.recipients.collection_desk.serving import Port
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.webhooks import Outbox

# Bearer token to account. Invented; they open nothing else.
CREDENTIALS: Final = {"credential-of-one": "one", "credential-of-two": "two"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Where an open desk is found: its public address, that of control, and control's token."""

    url: str
    control_url: str
    control_token: str


@contextmanager
def open_desk(
    *,
    terms: Terms | None = None,
    clock: Clock | None = None,
    credentials: Mapping[str, str] = CREDENTIALS,
    journal: Path | None = None,
    port: int = 0,
    control_port: int = 0,
    control_token: str | None = None,
) -> Iterator[Opened]:
    """Keep a desk open. `terms` hold for a new desk; one that is taken up from a `journal` keeps its own."""
    book = Journal(journal) if journal is not None else None
    desk = RunningDesk(clock=clock or clocks.running(), journal=book)
    if terms is not None and not desk.was_taken_up():
        desk.command("change_terms", **asdict(terms))
    outbox = Outbox(desk)
    token = control_token or secrets.token_urlsafe(24)
    public = Port(port, respond=front(desk, credentials=credentials), now=desk.now)
    private = Port(control_port, respond=control(desk, outbox, token=token), now=desk.now)
    try:
        yield Opened(url=public.url, control_url=private.url, control_token=token)
    finally:
        desk.stop()
        public.stop()
        private.stop()
        outbox.stop()

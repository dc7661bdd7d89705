"""Bugs, put into this process and so into the agents that are forked from it alone: the three truths have to find each."""

import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from urllib3 import Retry

from tests.agentfaults.agent import Agent
from tests.agentfaults.breaking import AGENT, TO_DESK, TO_TICKETS
from tests.agentfaults.network import WAYS
from tests.in_place import in_place
from unresolved import Sends, backlog, shipping
from unresolved.beginning import Beginning
from unresolved.journal import Journal
from unresolved.recorder import Recorder
from unresolved.transports.over_requests import GuardedAdapter

_held: list[bool] = []


@contextmanager
def _writing_later(journal: Journal) -> Iterator[sqlite3.Connection]:
    """As `Journal.writing`, but for the commit, which waits as long as anything is held."""
    with journal.reading() as connection:
        if not connection.in_transaction:
            connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        if not _held:
            connection.execute("COMMIT")


@contextmanager
def journal_after_the_send() -> Iterator[None]:
    """What is written before the first byte is durable only once it is known what came of it."""
    begins, ends = Recorder._begun, Recorder._ended

    def begun(recorder: Recorder, *given: Any) -> Any:
        _held.append(True)
        try:
            return begins(recorder, *given)
        except BaseException:
            _held.clear()
            with recorder.journal.writing():
                pass  # nothing was sent, and what was held is durable at last
            raise

    def ended(recorder: Recorder, *given: Any) -> Any:
        _held.clear()
        return ends(recorder, *given)

    later = in_place(Journal, "writing", _writing_later)
    with in_place(Recorder, "_begun", begun), in_place(Recorder, "_ended", ended), later:
        yield


@contextmanager
def library_retry() -> Iterator[None]:
    """What sends tries again by itself, as urllib3 does where it is let, and still counts as sending once."""
    retries = Retry(total=2, backoff_factor=0, allowed_methods=None, status_forcelist=[503, 504])

    def made(adapter: GuardedAdapter, recorder: Recorder, contract: Any) -> None:
        super(GuardedAdapter, adapter).__init__(max_retries=retries)
        adapter._recorder, adapter._contract = recorder, contract

    with in_place(GuardedAdapter, "__init__", made), in_place(GuardedAdapter, "_sends", Sends.ONE):
        yield


@contextmanager
def identity_renewed() -> Iterator[None]:
    """The intent is named by the process that has it, so that a restart names it anew."""

    def named(agent: Agent) -> str:
        return f"{agent.order}/{os.getpid()}"

    with in_place(Agent, "named", named):
        yield


@contextmanager
def event_id_renewed() -> Iterator[None]:
    """What is told again is told under another id, so that nobody knows it for the same."""
    told = backlog.item_of

    def item_of(waiting: Any, **more: Any) -> dict[str, Any]:
        item = told(waiting, **more)
        return {**item, "event": f"e-{uuid.uuid4().hex}"} if "event" in item else item

    with in_place(backlog, "item_of", item_of):
        yield


@contextmanager
def repeat_without_a_grant() -> Iterator[None]:
    """What was attempted and has no outcome is attempted again, as if it were the first."""

    def further(beginning: Beginning, meant: Any, known: Any) -> Any:
        shipping.hand_over_what_was_left(beginning.journal, at=beginning.clock(), operation=known.key)
        attempts = beginning.journal.attempts(known.key)
        return beginning._first(meant, after=len(attempts), asks=False)

    with in_place(Beginning, "_further", further):
        yield


PLANTED: Final[Mapping[str, Callable[[], Any]]] = {
    "journal after the send": journal_after_the_send,
    "library retry on": library_retry,
    "identity renewed": identity_renewed,
    "event id renewed": event_id_renewed,
    "repeat without a grant": repeat_without_a_grant,
}
# The act, the point, the process and the turn (which chooses the way) with which each is looked for first.
LOOKED_FOR: Final[Mapping[str, tuple[str, str, str, int]]] = {
    "journal after the send": ("call", "more bytes to tickets", AGENT, 0),
    "library retry on": ("call by requests", "before connecting to tickets", TO_TICKETS, WAYS.index("reply lost")),
    "identity renewed": ("call", "answer", AGENT, 0),
    "event id renewed": ("ship what was left", "before connecting to desk (2)", TO_DESK, WAYS.index("reply lost")),
    "repeat without a grant": ("call while the desk is away", "more bytes to tickets", AGENT, 0),
}
# The sentences that show each: any other would be another bug's.
SHOWS: Final[Mapping[str, tuple[str, ...]]] = {
    "journal after the send": ("not journalled first", "not journalled"),
    "library retry on": ("sends: an attempt that goes out once came",),
    "identity renewed": ("extra ticket",),
    "event id renewed": ("shipping: ",),
    "repeat without a grant": ("sent again by itself",),
}

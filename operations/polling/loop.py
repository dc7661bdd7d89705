"""Claim, ask, record, and again until nothing is due or time is up."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Final, TypeAlias
from uuid import UUID, uuid4

from django.db import connection

from operations.asking import Prepared, told
from operations.channels import http
from operations.channels.base import Answered, Clock, Limits
from operations.contracts.http_semantics import is_revalidated
from operations.core.facts import Seconds
from operations.polling.preparing import ready
from operations.polling.turns import Turn, turn
from operations.recording.asked import OF_ONE_ANSWER, Asked, Recording, event_of, record
from operations.recording.claiming import MOST, Claim, claim, let_go
from operations.recording.held import Loaded
from operations.reporting import report_with

Sleep: TypeAlias = Callable[[float], Awaitable[None]]

# Seconds. Asks begin within the first; the last answer takes as long as LIMITS allow; the lease outlives both, and all
# of it ends well before Celery ends the task.
WITHIN: Final = 20.0
LEASED_FOR: Final = 60.0
LIMITS: Final = Limits()
BATCH: Final = 250
# Bytes of answers: the operations of a batch are locked while it is judged.
MOST_BATCH: Final = 4 * 1024 * 1024
SLICE: Final = 0.05
_STORE: Final = partial(report_with, source="the desk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """What one task did: asks made, with or without an answer, and claims taken for them."""

    asks: int = 0
    claims: int = 0


def poll(
    *,
    clock: Clock,
    sleep: Sleep = asyncio.sleep,
    within: Seconds = WITHIN,
    most: int = MOST,
    limits: Limits = LIMITS,
) -> Polled:
    """Ask about what is due until nothing is, or the time to begin asks is over; everything learnt is recorded.

    `within`: seconds in which asks begin. `most`: operations a claim. May run any number of times at once.
    """
    until = clock() + timedelta(seconds=within)
    asks = claims = 0
    with _writer() as writer:
        while (left := (until - clock()).total_seconds()) > 0:
            claimed = claim(uuid4(), now=clock(), within=left, leased_for=LEASED_FOR, most=most)
            ended = _Round(claimed=claimed, clock=clock, sleep=sleep, limits=limits, writer=writer).run()
            asks, claims = asks + ended, claims + bool(claimed.turns)
            if not ended:
                break
    return Polled(asks=asks, claims=claims)


@contextmanager
def _writer() -> Iterator[ThreadPoolExecutor]:
    """One thread with a connection to the database of its own, which is closed with the block."""
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="recording") as writer:
        try:
            yield writer
        finally:
            writer.submit(lambda: connection.close()).result()  # the thread's own


@dataclass(slots=True, kw_only=True)
class _Round:
    """One claim, asked and recorded."""

    claimed: Claim
    clock: Clock
    sleep: Sleep
    limits: Limits
    writer: ThreadPoolExecutor
    loaded: dict[UUID, Loaded] = field(default_factory=dict)
    asks: int = 0
    ended: "asyncio.Queue[Asked | Turn | None]" = field(default_factory=asyncio.Queue)

    def run(self) -> int:
        """Return how many asks ended; what was not asked is let go."""
        if not self.claimed.turns:
            return 0
        found = ready(self.claimed, limits=self.limits, clock=self.clock)
        self.loaded = found.loaded
        began = self.clock()
        turns = [
            turn(allowed, found.questions.get(allowed.recipient_id, ()), now=began) for allowed, _ in self.claimed.turns
        ]
        asyncio.run(self._all(turns, found.not_asked))
        return self.asks + len(found.not_asked)

    async def _all(self, turns: Sequence[Turn], not_asked: Sequence[Asked]) -> None:
        for one in not_asked:
            self.ended.put_nowait(one)
        async with asyncio.TaskGroup() as tasks, http.open_client(limits=self.limits) as client:
            tasks.create_task(self._record())
            await self._ask_all(client, turns)
            self.ended.put_nowait(None)

    async def _ask_all(self, client: http.Client, turns: Sequence[Turn]) -> None:
        async with asyncio.TaskGroup() as all_of_them:
            for one in turns:
                all_of_them.create_task(self._turn(client, one))

    async def _turn(self, client: http.Client, turn: Turn) -> None:
        async with asyncio.TaskGroup() as places:
            for _ in range(min(turn.allowed.places, len(turn.waiting))):
                places.create_task(self._place(client, turn))
        self.ended.put_nowait(turn)

    async def _place(self, client: http.Client, turn: Turn) -> None:
        """One place at a recipient: one question after the other."""
        while (found := turn.next(now=self.clock())) is not None:
            asked, wait = found
            if wait > 0:
                await self.sleep(wait)
                if turn.broken_off:
                    turn.waiting.appendleft(asked)
                    return
            answered = await http.ask(client, asked.ask, reach=asked.reach, limits=asked.limits, clock=self.clock)
            turn.heard(answered)
            self.asks += 1
            self.ended.put_nowait(_as_asked(asked, answered, lease=self.claimed.lease, turn=turn))

    async def _record(self) -> None:
        """Record what has ended in batches; while the database is at work on one, asking goes on.

        A turn that is over is let go at once: whoever answers slowly must not hold the places at others until it has.
        """
        going = True
        while going:
            found = await self._batch()
            batch, going = [one for one in found if isinstance(one, Asked)], found[-1] is not None
            if batch:
                await self._write(batch)
            over = [one for one in found if isinstance(one, Turn)]
            if over:
                await asyncio.get_running_loop().run_in_executor(self.writer, self._let_go, over)

    async def _write(self, batch: Sequence[Asked]) -> None:
        """Judging is this thread's, in slices: a second thread would fight it for the interpreter at every byte sent."""
        writer = partial(asyncio.get_running_loop().run_in_executor, self.writer)
        recording = Recording(batch, lease=self.claimed.lease, before=self.loaded, now=self.clock())
        await writer(recording.lock)
        try:
            await self._judge(recording)
        except BaseException as error:
            await writer(recording.abandon, error)
            if not isinstance(error, OF_ONE_ANSWER):
                raise
            await writer(self._anew, batch)
            return
        try:
            await writer(recording.save)
        except OF_ONE_ANSWER:
            await writer(self._anew, batch)

    async def _judge(self, recording: Recording) -> None:
        """Judge for a slice of time, then let the asks go on: whoever answers at length must not make others seem late."""
        tell_time = asyncio.get_running_loop().time
        since = tell_time()
        for _ in recording.judge(_STORE):
            if tell_time() - since >= SLICE:
                await asyncio.sleep(0)
                since = tell_time()

    def _let_go(self, over: Sequence[Turn]) -> None:
        left = [one.operation_id for turn in over for one in turn.waiting]
        let_go(self.claimed, left, recipients=[turn.allowed.recipient_id for turn in over])

    def _anew(self, batch: Sequence[Asked]) -> None:
        """Record again what could not be recorded together: one answer may have been the reason."""
        for one in batch:
            record([one], lease=self.claimed.lease, report_with=_STORE, now=self.clock())

    async def _batch(self) -> list[Asked | Turn | None]:
        """Return what has ended meanwhile, at least one; None comes last of all."""
        found = [await self.ended.get()]
        size = _size(found[0])
        while not self.ended.empty() and len(found) < BATCH and size < MOST_BATCH and found[-1] is not None:
            found.append(self.ended.get_nowait())
            size += _size(found[-1])
        return found


def _size(one: Asked | Turn | None) -> int:
    return len(one.report.payload or b"") if isinstance(one, Asked) and one.report is not None else 0


def _as_asked(asked: Prepared, answered: Answered, *, lease: UUID, turn: Turn) -> Asked:
    conditional = any(name == "if-none-match" for name, _ in asked.ask.headers)
    unchanged = conditional and is_revalidated(answered.status)
    return Asked(
        operation_id=asked.operation_id,
        recipient_id=turn.allowed.recipient_id,
        channel=asked.channel,
        at=answered.asked_at,
        ended_at=answered.received_at,
        report=None if answered.failed is not None or unchanged else told(answered, asked, event=event_of(lease)),
        failure="" if answered.failed is None else answered.detail or f"There was no answer ({answered.failed}).",
        status=answered.status,
        headers=answered.headers,
    )

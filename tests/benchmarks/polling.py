"""What a durable poll costs: beside bare aiohttp, beside a task a poll, beside what a slow recipient allows; what a claim,
the broker and the memory cost. Guard, limits, pace, reading, inference, plan and chain are part of every poll of ours.

The recipient is a process of its own on the same machine and takes its share of it. PostgreSQL is as durable as in a desk.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from uuid import UUID

import aiohttp

from tests.benchmarks.asking.recipient import recipient
from tests.benchmarks.asking.servers import open_servers
from tests.benchmarks.measure import Figure, compare

if TYPE_CHECKING:
    from operations import models

POLLS: Final = 2_000
AT_ONCE: Final = 200
SLOW: Final = 0.1
TASKS: Final = 300
CLAIMS: Final = 4_000
FEW: Final = 1_000
MANY: Final = 100_000
TICK: Final = 2.0  # as escalation/celery.py has it


def clock() -> datetime:
    """The desk's clock."""
    return datetime.now(UTC)


def durable(contract: "models.Contract", *, polls: int = POLLS) -> float:
    """Polls a second of one task, from the claim to the last commit."""
    from operations.polling import poll
    from tests.benchmarks.asking.due import due, recorded

    operations = due(contract, polls)
    began = time.perf_counter()
    asks = 0
    while asks < polls:
        asks += poll(clock=clock).asks
    passed = time.perf_counter() - began
    assert recorded(operations) == polls
    return polls / passed


async def _bare(url: str, *, polls: int, at_once: int) -> None:
    numbers = iter(range(polls))

    async def place(session: aiohttp.ClientSession) -> None:
        for number in numbers:
            async with session.get(f"{url}/operations/order-{number}") as answer:
                await answer.read()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*[place(session) for _ in range(at_once)])


def bare(url: str, *, polls: int = POLLS, at_once: int = AT_ONCE) -> float:
    """GETs a second of aiohttp alone; nothing is kept."""
    began = time.perf_counter()
    asyncio.run(_bare(url, polls=polls, at_once=at_once))
    return polls / (time.perf_counter() - began)


def task_each(contract: "models.Contract") -> float:
    """Polls a second of two worker processes that get a message for each."""
    from tests.benchmarks.asking.due import due
    from tests.benchmarks.asking.one_each import ask_one

    operations = due(contract, TASKS)
    began = time.perf_counter()
    for one in operations:
        ask_one.delay(str(one))
    _until_recorded(operations)
    return TASKS / (time.perf_counter() - began)


def _until_recorded(operations: Sequence[UUID], *, meanwhile: Callable[[], object] = lambda: None) -> None:
    from tests.benchmarks.asking.due import recorded

    last = time.monotonic() + 300
    while recorded(list(operations)) < len(operations):
        assert time.monotonic() < last
        meanwhile()
        time.sleep(0.01)


def messages(contract: "models.Contract") -> float:
    """Messages for 1,000 polls of a worker that gets one at every tick of the beat."""
    from operations.tasks import poll
    from tests.benchmarks.asking.due import due

    operations, sent, next_at = due(contract, POLLS), 0, 0.0

    def tick() -> None:
        nonlocal sent, next_at
        if time.monotonic() >= next_at:
            poll.delay()
            sent, next_at = sent + 1, time.monotonic() + TICK

    _until_recorded(operations, meanwhile=tick)
    return sent * 1_000 / POLLS


def speeds(fast: "models.Contract", url: str) -> Iterator[Figure]:
    """One task beside bare GETs, and beside a task a poll."""
    from tests.benchmarks.asking.worker import worker

    yield compare(
        f"polling.durable polls in one task to bare aiohttp GETs, {AT_ONCE} at once",
        unit="polls/s",
        ours=lambda: durable(fast),
        peer=lambda: bare(url),
        target=0.4,
        rounds=5,
    )
    with worker(processes=2):
        yield compare(
            "polling.durable polls in one task to a Celery task a poll, two processes",
            unit="polls/s",
            ours=lambda: durable(fast),
            peer=lambda: task_each(fast),
            target=8,
            rounds=5,
        )
        yield compare(
            "polling.broker messages for 1,000 polls to one a poll",
            unit="messages",
            ours=lambda: messages(fast),
            peer=lambda: 1_000.0,
            target=0.01,
            at_most=True,
            rounds=3,
        )


def slow(contract: "models.Contract", at_once: int) -> Figure:
    """One task at a recipient that takes its time, to what so many at once could do there."""
    return compare(
        f"polling.durable polls at a {SLOW * 1_000:.0f} ms recipient to {at_once} at once / {SLOW} s",
        unit="polls/s",
        ours=lambda: durable(contract, polls=20 * at_once),
        peer=lambda: at_once / SLOW,
        target=0.7,
        rounds=5,
    )


def claims(contract: "models.Contract") -> Figure:
    """Two workers that claim a hundred at a time, to the same two one at a time."""
    from tests.benchmarks.asking.claimer import claimers, together
    from tests.benchmarks.asking.due import due

    with claimers(2) as workers:

        def rate(most: int, total: int) -> float:
            due(contract, total)
            return together(workers, most=most, total=total)

        return compare(
            "polling.claims of 100 with two workers to claims of 1",
            unit="operations/s",
            ours=lambda: rate(100, CLAIMS),
            peer=lambda: rate(1, CLAIMS // 20),
            target=15,
            rounds=5,
        )


def memory(contract: "models.Contract") -> Figure:
    """The most that one task holds while a hundred thousand are due, to a thousand."""
    from tests.benchmarks.asking.due import due
    from tests.benchmarks.asking.memory import most_held

    due(contract, FEW)
    few = most_held()
    due(contract, MANY)
    many = [most_held() for _ in range(3)]
    held = iter([many[0], *many])
    return compare(
        f"polling.memory of a task at {MANY:,} due to {FEW:,}",
        unit="bytes",
        ours=lambda: next(held),
        peer=lambda: few,
        target=1.3,
        at_most=True,
        rounds=3,
    )


def figures() -> Iterator[Figure]:
    """All of them, in a database of their own."""
    with open_servers(), ExitStack() as opened:
        from tests.benchmarks.asking.due import asked_at

        at_once = opened.enter_context(recipient())
        with asked_at(at_once.url, at_once=AT_ONCE) as contract:
            yield from speeds(contract, at_once.url)
        taking_time = opened.enter_context(recipient(wait=SLOW))
        with asked_at(taking_time.url, at_once=50) as contract:
            yield slow(contract, 50)
        with asked_at(at_once.url, at_once=1_000) as contract:
            yield claims(contract)
        with asked_at(at_once.url, at_once=AT_ONCE) as contract:
            yield memory(contract)

"""What recording costs: a batch beside COPY and bulk_create, one registration beside two rows, DRF and DBOS.

Everything is on one PostgreSQL, that of a desk which `manage.py up` started, and in the same tables; the rounds
alternate. What is compared, and with what left out, stands in docs/benchmarks.md.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.benchmarks import peers
from tests.benchmarks.ingesting.desk import Desk, free_port, open_desk
from tests.benchmarks.ingesting.items import batch_of, items
from tests.benchmarks.ingesting.load import answered, post
from tests.benchmarks.measure import Figure, LeftOut, compare

BATCH = 500
AGAIN = 50  # of a batch, in every second round
ROUNDS = 8
LOAD = 400  # registrations a round
BATCHES = 2  # a round

Work = Callable[[], object]


def timed(work: Work) -> float:
    """Seconds that `work` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


class Batches:
    """Batches of which every second round has some that are on record; each is made before the clock runs."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.rounds = 0

    def next(self) -> list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
        """The batches of one round, each as what is on record already and what is new."""
        again = AGAIN if self.rounds % 2 else 0
        self.rounds += 1
        return [(list(items(again)), list(items(BATCH - again))) for _ in range(BATCHES)]

    def rate(self, prepared: Callable[[list[dict[str, Any]], list[dict[str, Any]]], Work]) -> float:
        """Items a second over one round; `prepared` puts what is on record there, and gives what is timed."""
        works = [prepared(again, new) for again, new in self.next()]
        return BATCH * len(works) / sum([timed(work) for work in works])


def _over_http(desk: Desk, again: list[dict[str, Any]], new: list[dict[str, Any]]) -> Work:
    if again:
        answered([post("/api/v1/batch", batch_of(again), key=desk.key)], port=desk.port, connections=1)
    call = post("/api/v1/batch", batch_of(again + new), key=desk.key)

    def work() -> None:
        _, (found,) = answered([call], port=desk.port, connections=1)
        _require({201: len(new), 200: len(again)}, [one["status"] for one in found["results"]])

    return work


def _recorded(desk: Desk, again: list[dict[str, Any]], new: list[dict[str, Any]]) -> Work:
    from datetime import UTC, datetime

    from operations.recording import Registered, register_many
    from tests.benchmarks.ingesting.rows import BY, wanted

    register = partial(register_many, now=datetime.now(UTC), by=BY)
    register(wanted(again, key=desk.key))
    batch = wanted(again + new, key=desk.key)

    def work() -> None:
        found = [one.created for one in register(batch) if isinstance(one, Registered)]
        _require({True: len(new), False: len(again)}, found)

    return work


def _written(desk: Desk, write: Callable[[Any], Work], _: object, new: list[dict[str, Any]]) -> Work:
    from tests.benchmarks.ingesting.rows import rows, wanted

    return write(rows(wanted(new, key=desk.key)))


def _require(expected: dict[Any, int], found: list[Any]) -> None:
    if {one: found.count(one) for one in expected} != expected or len(found) != sum(expected.values()):
        raise RuntimeError(f"expected {expected}, found {found[:10]}")


def batches(desk: Desk) -> Iterator[Figure]:
    """A batch at the door and in recording, to the same new rows written by COPY and by bulk_create.

    The peers are spared what is on record: they write the new rows alone and are credited with the whole batch.
    """
    from tests.benchmarks.ingesting.rows import bulk_created, copied

    ours = {"over HTTP": _over_http, "in recording": _recorded}
    theirs = {"bare COPY": (copied, 0.40), "bulk_create": (bulk_created, 2.2)}
    for peer, (write, target) in theirs.items():
        for place, prepared in ours.items():
            mine, other = Batches(desk), Batches(desk)
            yield compare(
                f"ingest.batch of {BATCH} {place} to {peer}",
                ours=partial(mine.rate, partial(prepared, desk)),
                peer=partial(other.rate, partial(_written, desk, write)),
                target=target,
                rounds=ROUNDS,
            )


def registered(desk: Desk, port: int) -> float:
    """Registrations a second over HTTP, each in a call of its own."""
    import json

    calls = [post("/api/v1/operations", json.dumps(one).encode(), key=desk.key) for one in items(LOAD)]
    passed, found = answered(calls, port=port)
    _require({True: LOAD}, [one["created"] for one in found])
    return LOAD / passed


def _committed(desk: Desk) -> float:
    import psycopg

    from escalation.env import app_url
    from tests.benchmarks.ingesting.rows import committed_one_by_one, rows, wanted

    with psycopg.connect(app_url()) as through:
        work = committed_one_by_one(rows(wanted(items(LOAD), key=desk.key)), through=through)
        return LOAD / timed(work)


def singles(desk: Desk) -> Iterator[Figure]:
    """One registration a call, to the same rows in a transaction each; and what letting a call in costs."""
    ours = partial(registered, desk, desk.port)
    yield compare(
        "ingest.registration over HTTP to the same rows by psycopg",
        ours=ours,
        peer=partial(_committed, desk),
        target=0.40,
        rounds=ROUNDS,
    )
    from tests.benchmarks.ingesting.letting_in import inside, let_in

    yield compare(
        "ingest.letting a call in (key, scope, pace) to the whole registration",
        unit="s/call",
        ours=partial(let_in, desk),
        peer=partial(inside, desk),
        rounds=ROUNDS,
    )


def beside_peers(desk: Desk) -> Iterator[Figure]:
    """One registration a call, to Django REST framework and to a DBOS workflow of one step."""
    from escalation.env import owner_url
    from tests.benchmarks.ingesting.stored import stored_a_workflow
    from tests.benchmarks.peers import running

    with running.drf(free_port()) as port:
        yield compare(
            "ingest.registration over HTTP to Django REST framework",
            ours=partial(registered, desk, desk.port),
            peer=partial(registered, desk, port),
            target=2.0,
            rounds=ROUNDS,
        )
    with running.workflows(owner_url().replace("postgresql:", "postgresql+psycopg:", 1)) as dbos:
        yield compare(
            "ingest.registration over HTTP to a DBOS workflow of one step",
            ours=partial(registered, desk, desk.port),
            peer=lambda: LOAD / dbos.run(list(items(LOAD))),
            target=4.0,
            rounds=ROUNDS,
        )
        yield from stored_a_workflow(owner_url())


def figures() -> Iterator[Figure]:
    """Batches, single registrations, and both peers if they are installed."""
    absent = peers.absent()
    with open_desk() as desk:
        yield from batches(desk)
        yield from singles(desk)
        if not absent:
            yield from beside_peers(desk)
    if absent:
        raise LeftOut(f"Not measured, because they are not installed: {', '.join(absent)}. {peers.HOW}.")

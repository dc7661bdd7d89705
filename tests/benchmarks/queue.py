"""A page of the queue over many operations: to a tenth of them, deep, searched, looked at by many; and to what else would list them.

What is compared stands in docs/benchmarks.md. `--operations N` says how many (20,000 if not given). Those that DATABASE_URL
has already are measured as they are; a tenth of them is kept in a database beside it.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import Any

from tests.benchmarks import operation
from tests.benchmarks.ingesting.desk import Desk, open_desk
from tests.benchmarks.measure import Figure, compare
from tests.benchmarks.queueing import data
from tests.benchmarks.queueing.answering import client, seconds
from tests.benchmarks.queueing.asking import Answering, answering, beside
from tests.benchmarks.queueing.watched import p95, while_looked_at

SIZE, ROUNDS = "BENCHMARK_OPERATIONS", int(os.environ.get("BENCHMARK_ROUNDS", "7"))
OF_A_REQUEST = ("django_session", "escalation_user", "escalation_rolegrant")  # who asks, and what they may read
ADMIN = {"DJANGO_SETTINGS_MODULE": "tests.benchmarks.queueing.admin_settings"}


def _deep() -> str:
    """The address of the page at 90 % of the depth."""
    from datetime import UTC, datetime

    from escalation.models import Waiting
    from escalation.policy import EVERY_RECIPIENT
    from escalation.queue import Question
    from escalation.queue.asking import Placed, waiting

    question = Question(now=datetime.now(UTC), reads=EVERY_RECIPIENT)
    at = Waiting.objects.count() * 9 // 10
    return f"/?after={Placed(*waiting(question)[at]).place}".replace("+", "%2B")


def _rows(sql: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql)
        cursor.fetchall()


def _facets() -> None:
    from datetime import UTC, datetime

    from escalation.policy import EVERY_RECIPIENT
    from escalation.queue import Question, facets
    from escalation.screens.moment import one_moment

    with one_moment():  # as the page asks
        facets(Question(now=datetime.now(UTC), reads=EVERY_RECIPIENT))


_GROUPED = (
    "SELECT recipient_id, situation, evidence, count(*) FROM operations_operation GROUP BY 1, 2, 3 ORDER BY 4 DESC"
)


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _middle(work: Callable[[], float], *, times: int = 3) -> float:
    """The middle of some measurements."""
    return median([work() for _ in range(times)])


def _to(name: str, ours: Callable[[], float], peer: Callable[[], float], **more: Any) -> Figure:
    """Each measures once and says the seconds."""
    taken = {"unit": "s", "rounds": ROUNDS, **more}
    return compare(f"queue.{name}", ours=partial(_middle, ours), peer=partial(_middle, peer), **taken)


def _statements(asking: Any) -> Figure:
    """How many statements a page takes, but for those that say who asks and what they may read."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    seconds(asking, "/")  # contracts are read once in a process
    with CaptureQueriesContext(connection) as found:
        seconds(asking, "/")
    asked = [one["sql"] for one in found.captured_queries if one["sql"].startswith(("SELECT", "(SELECT"))]
    number = float(len([one for one in asked if not any(f'FROM "{at}"' in one for at in OF_A_REQUEST)]))
    return Figure(
        name="queue.statements a page", unit="statements", ours=number, peer=1, ratio=number, target=5, met=number <= 5,
        lowest=number, highest=number, rounds=1,
    )  # fmt: skip


def _pages(ours: Answering, tenth: Answering, operations: int) -> Iterator[Figure]:
    first = partial(ours.seconds, "/")
    at_a_tenth = partial(tenth.seconds, "/")
    yield _to(f"page at {operations} to {operations // 10}", first, at_a_tenth, target=1.2, at_most=True)
    yield _to("page at 90 % depth to page one", partial(ours.seconds, _deep()), first, target=1.2, at_most=True)
    for word in (data.RARE, data.COMMON):
        found = partial(ours.seconds, f"/?text={word}")
        yield _to(f"search for “{word}” to page one", found, first, target=3.0, at_most=True)


def _admins(ours: Answering, admin: Answering) -> Iterator[Figure]:
    first = partial(ours.seconds, "/")
    lists = {
        "admin's list without counts to ours": ("/lean/operations/operation/", 3.0),
        "admin's list without counts in the queue's order to ours": ("/in_order/escalation/waiting/", None),
        "admin's list to ours": ("/default/operations/operation/", 50.0),
    }
    for name, (path, target) in lists.items():
        yield _to(name, partial(admin.seconds, path), first, target=target)


def _looked_at(desk: Desk) -> Figure:
    asking = client()
    session = asking.cookies["sessionid"].value
    return compare(
        "queue.p95 of a page while 200 browsers look to idle",
        unit="s",
        ours=partial(while_looked_at, desk, session),
        peer=partial(p95, desk, session),
        target=2.0,
        at_most=True,
        rounds=min(ROUNDS, 3),
    )


def figures() -> Iterator[Figure]:
    """The queue over that many operations."""
    operations = int(os.environ.get(SIZE, "20000"))
    with open_desk() as desk, ExitStack() as stack:
        data.make(operations)
        tenth = stack.enter_context(answering(**beside(operations // 10)))
        ours, admin = stack.enter_context(answering()), stack.enter_context(answering(**ADMIN))
        yield from _pages(ours, tenth, operations)
        yield from _admins(ours, admin)
        grouped = partial(_timed, partial(_rows, _GROUPED))
        yield _to("GROUP BY to our facets", grouped, partial(_timed, _facets), target=100.0)
        yield _statements(client())
        yield from operation.within(client())
        yield _looked_at(desk)

"""A page of the queue over many operations: to page one of a tenth of them, deep, searched; and to what else would list them.

What is compared stands in docs/benchmarks.md. `--operations N` says how many (20,000 if not given).
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

from tests.benchmarks.ingesting.desk import open_desk
from tests.benchmarks.measure import Figure, compare
from tests.benchmarks.queueing import data

SIZE = "BENCHMARK_OPERATIONS"
ROUNDS = 7
OF_A_REQUEST = ("django_session", "escalation_user", "escalation_rolegrant")  # who asks, and what they may read


def _client() -> Any:
    from django.test import Client

    from escalation.models import User

    client = Client(headers={"host": "localhost"})
    client.force_login(User.objects.filter(username="bench").first() or User.objects.create_superuser("bench"))
    return client


def _seconds(work: Callable[[], object], *, times: int = 3) -> float:
    """Seconds of the middle of some calls."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return median(found)


def _page(client: Any, query: str = "") -> None:
    answer = client.get(f"/{query}")
    if answer.status_code != 200 or b"data-row" not in answer.content:
        raise RuntimeError(f"no page of the queue came: {answer.status_code}")


def _deep(operations: int) -> str:
    """The query of the page at 90 % of the depth."""
    from datetime import UTC, datetime

    from escalation.policy import EVERY_RECIPIENT
    from escalation.queue import Question
    from escalation.queue.asking import Placed, waiting

    question = Question(now=datetime.now(UTC), reads=EVERY_RECIPIENT)
    at = operations // data.WAITS * 9 // 10
    return f"?after={Placed(*waiting(question)[at]).place}".replace("+", "%2B")


def _rows(sql: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql)
        cursor.fetchall()


def _admin_lean() -> None:
    """What Django admin's list asks without counts: one page of every column, the newest first."""
    from operations.models import Operation

    list(Operation.objects.order_by("-id")[:100])


def _admin() -> None:
    """The same with its two counts."""
    from operations.models import Operation

    Operation.objects.count()
    Operation.objects.order_by("-id").count()
    _admin_lean()


def _facets() -> None:
    from datetime import UTC, datetime

    from escalation.policy import EVERY_RECIPIENT
    from escalation.queue import Question, facets

    facets(Question(now=datetime.now(UTC), reads=EVERY_RECIPIENT))


_GROUPED = (
    "SELECT recipient_id, situation, evidence, count(*) FROM operations_operation GROUP BY 1, 2, 3 ORDER BY 4 DESC"
)


def _to(name: str, ours: Callable[[], object], peer: Callable[[], object], **target: Any) -> Figure:
    return compare(
        f"queue.{name}",
        unit="s",
        ours=partial(_seconds, ours),
        peer=partial(_seconds, peer),
        rounds=ROUNDS,
        **target,
    )


def _statements(client: Any) -> Figure:
    """How many statements a page takes, but for those that say who asks and what they may read."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as found:
        _page(client)
    asked = [one["sql"] for one in found.captured_queries]
    number = float(
        len(
            [
                one
                for one in asked
                if one.startswith(("SELECT", "(SELECT")) and not any(f'FROM "{at}"' in one for at in OF_A_REQUEST)
            ]
        )
    )
    return Figure(
        name="queue.statements a page", unit="statements", ours=number, peer=1, ratio=number, target=5, met=number <= 5,
        lowest=number, highest=number, rounds=1,
    )  # fmt: skip


def figures() -> Iterator[Figure]:
    """The queue over that many operations."""
    operations = int(os.environ.get(SIZE, "20000"))
    with open_desk():
        client = _client()
        data.make(operations // 10)
        _page(client)
        tenth = [_seconds(partial(_page, client)) for _ in range(ROUNDS)]
        data.make(operations, since=operations // 10)
        _page(client)
        whole = [_seconds(partial(_page, client)) for _ in range(ROUNDS)]
        ratio = median(whole) / median(tenth)
        yield Figure(
            name=f"queue.page at {operations} to {operations // 10}, one after the other", unit="s", ours=median(whole),
            peer=median(tenth), ratio=ratio, target=1.2, met=ratio <= 1.2,
            lowest=min(whole) / max(tenth), highest=max(whole) / min(tenth), rounds=ROUNDS,
        )  # fmt: skip
        first = partial(_page, client)
        yield _to(
            "page at 90 % depth to page one", partial(_page, client, _deep(operations)), first, target=1.2, at_most=True
        )
        for word in (data.RARE, data.COMMON):
            yield _to(
                f"search for “{word}” to page one",
                partial(_page, client, f"?text={word}"),
                first,
                target=3.0,
                at_most=True,
            )
        yield _to("admin's list without counts to ours", _admin_lean, first, target=3.0)
        yield _to("admin's list to ours", _admin, first, target=50.0)
        yield _to("GROUP BY to our facets", partial(_rows, _GROUPED), _facets, target=100.0)
        yield _statements(client)

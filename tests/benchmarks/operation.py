"""The page of an operation of which very much was learnt, to that of one of which little was.

What is compared stands in docs/benchmarks.md. `queue` measures the same on its own desk.
"""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import median
from typing import Any, Final
from uuid import UUID

from tests.benchmarks.ingesting.desk import open_desk
from tests.benchmarks.measure import Figure, compare
from tests.benchmarks.queueing.answering import client

FEW: Final = 5
MANY: Final = 5_000
_ID: Final = "md5('{kind} {of} ' || n)::uuid"


def _registered(identity: str, *, at: datetime) -> UUID:
    from operations.core.facts import Sends
    from operations.core.representation import Representation
    from operations.models import Contract
    from operations.recording import Binding, Intent, register

    asked = Representation(
        method="POST",
        target="/desks/East/tickets",
        headers=(("idempotency-key", identity),),
        body=b"{}",
        arguments=b"{}",
        scope="east",
        identity=identity,
    )
    contract = Contract.objects.filter(recipient__key="desk").latest("version")
    binding = Binding(
        contract=contract, representation=asked, identity_known=True, effect=f"Issue a ticket: {identity}"
    )
    intent = Intent(attempt="a1", sends=Sends.ONE, scope="east", begun_at=at)
    return register(binding, intent=intent, now=at, by="benchmark").operation_id


def _observed(operation: UUID, says: str, *, at: datetime) -> None:
    from operations.core.facts import Correlation
    from operations.recording import Claimed, Report, observe

    report = Report(
        event="first",
        channel="record",
        received_at=at,
        authentic=True,
        status=200,
        headers=(("content-type", "application/json"),),
        payload=b'{"state": "queued", "as_of": "2026-11-30T12:00:00.000Z", "tickets": []}',
        asked_at=at,
    )
    claimed = Claimed(
        rule="queued",
        says=says,
        because="The desk's record shows the request under way.",
        reaches="handler_finished",
        as_of=at,
        correlation=Correlation.OPERATION,
        authentic=True,
        effect_refs=("T-1",) if says == "applied" else (),
    )
    observe(operation, report, claimed=claimed, now=at, source="the desk")


def _again(operation: UUID, times: int) -> None:
    """Copy the one observation and its reading, a second later each; their chain of digests would not verify."""
    from django.db import connection
    from django.db.models import F

    from operations.models import Observation, Operation, Reading

    later = "one.{} + n * interval '1 second'"
    ids = {kind: _ID.format(kind=kind, of=operation) for kind in ("observation", "reading")}
    values = {
        Observation: {
            "id": ids["observation"],
            "event": "'copy ' || n",
            **{name: later.format(name) for name in ("received_at", "asked_at", "recorded_at")},
        },
        Reading: {
            "id": ids["reading"],
            "observation_id": ids["observation"],
            **{name: later.format(name) for name in ("as_of", "read_at")},
        },
    }
    with connection.cursor() as cursor:
        for model, own in values.items():
            given = {**own, "position": "one.position + 2 * n"}
            columns = [str(field.column) for field in model._meta.concrete_fields]
            names = ", ".join([f'"{column}"' for column in columns])
            some = ", ".join([given.get(column, f'one."{column}"') for column in columns])
            cursor.execute(
                f"INSERT INTO {model._meta.db_table} ({names}) SELECT {some}"  # ours
                f" FROM {model._meta.db_table} AS one, generate_series(1, %s) AS n WHERE one.operation_id = %s",
                [times, operation],
            )
    grown = {"links": F("links") + 2 * times, "revision": F("revision") + 2 * times}
    Operation.objects.filter(id=operation).update(**grown)


def learnt_of(identity: str, says: str, *, observations: int) -> int:
    """Register an operation of which the desk's record said the same so many times, a second apart; return its number.

    One that a run before this made is taken as it is.
    """
    from operations.models import Operation

    made_before = Operation.objects.filter(recipient__key="desk", identity=identity).first()
    if made_before is not None:
        return made_before.number
    since = datetime.now(UTC) - timedelta(hours=2)
    operation = _registered(identity, at=since)
    _observed(operation, says, at=since + timedelta(seconds=1))
    _again(operation, observations - 1)
    return Operation.objects.get(id=operation).number


def _look_again() -> None:
    import psycopg

    from escalation.env import owner_url

    with psycopg.connect(owner_url(), autocommit=True) as owner:
        for table in ("operations_operation", "operations_observation", "operations_reading"):
            owner.execute(f"VACUUM ANALYZE {table}")  # ours


def _seconds(work: Callable[[], object], *, times: int = 5) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return median(found)


def _page(asking: Any, number: int) -> None:
    answer = asking.get(f"/operations/{number}")
    if answer.status_code != 200 or b"observation" not in answer.content:
        raise RuntimeError(f"no page of the operation came: {answer.status_code}")


def within(asking: Any) -> Iterator[Figure]:
    """The figures, on a desk that is open."""
    made = {
        (says, size): learnt_of(f"learnt-{says}-{size}", says, observations=size)
        for says in ("pending", "applied")
        for size in (FEW, MANY)
    }
    _look_again()
    for says, target in (("pending", 2.0), ("applied", None)):
        yield compare(
            f"queue.an operation with {MANY} answers “{says}” to one with {FEW}",
            unit="s",
            ours=partial(_seconds, partial(_page, asking, made[says, MANY])),
            peer=partial(_seconds, partial(_page, asking, made[says, FEW])),
            target=target,
            at_most=True,
        )


def figures() -> Iterator[Figure]:
    """The same on a desk of its own."""
    with open_desk():
        yield from within(client())

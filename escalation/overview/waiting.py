"""What is in the queue at one moment, by the queue's own rule, counted once for all figures about it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import connection

from escalation.overview.ranges import Asked
from escalation.queue import Group, Question
from escalation.queue.asking import waiting
from operations.core.missing import Fact
from operations.core.standing import Situation

# Rows of the queue that a page counts; of more every number is a least one.
MOST_COUNTED: Final = 100_000
HOURS: Final = 12
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
# Ages below which a row stands in each part; the last one has no end.
AGES: Final = (_HOUR, 4 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY, 30 * _DAY)
_UNRESOLVED: Final = frozenset({Situation.OPEN.value, Situation.CONFLICT.value})
_FACTS: Final = {fact.value: fact for fact in Fact}
# In the order of the columns below.
_KEYS: Final = (
    "group",
    "recipient_id",
    "at",
    "deadline",
    "operation__situation",
    "operation__created_at",
    "operation__contract_id",
    "operation__judged_by_id",
    "operation__missing",
)
_ENDS: Final = ", ".join([str(int(end.total_seconds())) for end in AGES])
_ALIKE: Final = f"""
    SELECT "group", recipient_id, COALESCE(judged_by, contract), situation, missing::text, at IS NOT DISTINCT FROM deadline AS due,
        width_bucket(EXTRACT(EPOCH FROM %s - created_at), ARRAY[{_ENDS}]::numeric[]) AS age,
        LEAST(GREATEST(CEIL(EXTRACT(EPOCH FROM at - %s) / 3600), 0), {HOURS + 1})::int AS hour,
        count(*)
    FROM ({{rows}}) AS waiting (
        "group", recipient_id, at, deadline, situation, created_at, contract, judged_by, missing
    )
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
"""  # noqa: S608  # numbers of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """So many (`number`) rows of the queue that are alike. `recipient` is a row id, `contract` that of the version by which they
    are read, `age` a part of `AGES`.

    `hour` is in which hour from now to act before, where it is put off, to look again: 0 is passed, 1 the first hour,
    beyond `HOURS` any later one; an hour ends with its last moment, as the queue's does. `due`: it is the deadline.
    """

    group: Group
    recipient: int
    contract: int
    unresolved: bool
    age: int
    hour: int
    due: bool
    facts: frozenset[Fact]
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The rows of the queue; `more`: there are more than are counted, so that every number made of them is a least one."""

    rows: tuple[Alike, ...]
    more: bool


def queue(asked: Asked) -> Queue:
    """Return what is in the queue now, counting no further than `MOST_COUNTED`."""
    question = Question(now=asked.now, reads=asked.reads)
    rows = waiting(question, most=MOST_COUNTED + 1, keys=_KEYS).order_by()
    sql, parameters = rows[: MOST_COUNTED + 1].query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_ALIKE.replace("{rows}", sql), [asked.now, asked.now, *parameters])
        found = [_alike(*row) for row in cursor.fetchall()]
    return Queue(rows=tuple(found), more=sum(one.number for one in found) > MOST_COUNTED)


def _alike(
    group: int, recipient: int, contract: int, situation: str, missing: str, due: Any, age: int, hour: int, number: int
) -> Alike:
    return Alike(
        group=Group(group),
        recipient=recipient,
        contract=contract,
        unresolved=situation in _UNRESOLVED,
        age=age,
        hour=hour,
        due=bool(due),
        facts=_facts(json.loads(missing)),
        number=number,
    )


def _facts(missing: Iterable[list[Any]]) -> frozenset[Fact]:
    return frozenset([_FACTS[fact] for fact, _ in missing if fact in _FACTS])

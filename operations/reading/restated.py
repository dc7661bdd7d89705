"""A long record is read without what was stated again and decides nothing (operations/core/restating.py).

The database says which readings those are, and hands over all others: what decides, and what somebody wants to see one by
one. Which facts they become, and what is concluded from them, is as for any other record.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection

from operations import models
from operations.core.restating import RESTATED, TURNING

FEW: Final = 200  # links of a chain, about two an observation: up to here a record is read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which observations of a long record are wanted one by one, besides those that decide.

    The newest of all, and the newest `last` of those with a lower number than `before` (None: of all); numbers count from 1
    in the order of the record. And those received first and last, `ends` of each.
    """

    last: int
    before: int | None = None
    ends: int


@dataclass(frozen=True, slots=True)
class Found:
    """The readings (ids) that a long record is read by, with the number of each observation (id), and how many are left out."""

    readings: tuple[UUID, ...]
    numbers: Mapping[UUID, int]
    left_out: int


def _words(claims: frozenset[Any]) -> str:
    return ", ".join(sorted([f"'{claim.value}'" for claim in claims]))


# One reading an observation, that of the newest contract version, each at its place by date, with how many dates that
# turn the matter lie at or before its own, and whether one is its own. The first and the last of a part decide.
_SAID: Final = f"""
long AS (
    SELECT id FROM operations_operation WHERE id = ANY(%(operations)s) AND links > %(few)s
),
said AS (
    SELECT DISTINCT ON (r.observation_id) r.id, r.operation_id, r.observation_id, r.position, r.says, r.attempt,
        r.authentic, r.correlation, r.effect_refs, r.covers_copies, r.until, o.channel, o.received_at,
        o.position AS learnt, LEAST(r.as_of, o.received_at) AS date, r.says IN ({_words(TURNING)}) AS turns,
        r.says IN ({_words(RESTATED)}) AND o.words = '' AND o.status IS NOT NULL AS restated
    FROM operations_reading r
    JOIN operations_observation o ON o.id = r.observation_id JOIN operations_contract c ON c.id = r.contract_id
    WHERE r.operation_id IN (SELECT id FROM long)
    ORDER BY r.observation_id, c.version DESC, r.position DESC
),
dated AS (
    SELECT * FROM said
    UNION ALL
    SELECT NULL, operation_id, NULL, position, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, begun_at, true, false
    FROM operations_attempt WHERE operation_id IN (SELECT id FROM long)
),
placed AS (
    SELECT *, row_number() OVER (PARTITION BY operation_id ORDER BY date, position) AS place,
        count(*) FILTER (WHERE turns) OVER (PARTITION BY operation_id ORDER BY date) AS turned,
        count(*) FILTER (WHERE turns) OVER (PARTITION BY operation_id, date) > 0 AS at_a_turn
    FROM dated
),
parts AS (
    SELECT operation_id, min(place) AS earliest, max(place) AS newest, min(position) AS first, max(position) AS last
    FROM placed WHERE restated
    GROUP BY operation_id, channel, says, attempt, authentic, correlation, effect_refs, covers_copies, until, turned, at_a_turn
),
decides AS (
    SELECT id FROM said WHERE NOT restated
    UNION ALL
    SELECT p.id FROM placed p WHERE p.restated AND (
        (p.operation_id, p.place) IN (SELECT operation_id, unnest(ARRAY[earliest, newest]) FROM parts)
        OR (p.operation_id, p.position) IN (SELECT operation_id, unnest(ARRAY[first, last]) FROM parts)
    )
)"""  # noqa: S608  # ours
# Of those `operations` whose chains have more than `few` links: the readings that decide.
DECIDING: Final = f"WITH {_SAID} SELECT id FROM decides"  # noqa: S608  # likewise
_ONE: Final = f"""
WITH {_SAID},
numbered AS (
    SELECT id, observation_id, restated, row_number() OVER (ORDER BY learnt) AS number, count(*) OVER () AS all_of_them,
        row_number() OVER (PARTITION BY restated ORDER BY received_at, position) AS from_first,
        row_number() OVER (PARTITION BY restated ORDER BY received_at DESC, position DESC) AS from_last
    FROM said
),
shown AS (
    SELECT id FROM numbered WHERE from_first <= %(ends)s OR from_last <= %(ends)s OR number = all_of_them
    UNION ALL
    (SELECT id FROM numbered WHERE restated AND number < %(before)s ORDER BY number DESC LIMIT %(last)s)
)
SELECT id, observation_id, number, all_of_them FROM numbered
WHERE id IN (SELECT id FROM decides) OR id IN (SELECT id FROM shown)"""  # noqa: S608  # likewise
_NO_NUMBER: Final = 2**31


def find(operation: models.Operation, wanted: Wanted) -> Found | None:
    """Return by which of its readings a record is read, its attempts and successors aside; None: by all.

    So it is where it is not long, or nothing of it can be left out.
    """
    if operation.links <= FEW:
        return None
    asked: dict[str, Any] = {
        "operations": [operation.id],
        "few": FEW,
        "before": _NO_NUMBER if wanted.before is None else wanted.before,
        "last": wanted.last,
        "ends": wanted.ends,
    }
    with connection.cursor() as cursor:
        cursor.execute(_ONE, asked)
        rows = cursor.fetchall()
    there_are = rows[0][3] if rows else 0
    numbers = {observation: number for _, observation, number, _ in rows}
    left_out = there_are - len(rows)
    return Found(tuple([row[0] for row in rows]), numbers, left_out) if left_out else None

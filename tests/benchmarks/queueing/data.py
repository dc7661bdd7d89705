"""Very many operations, copied from some that were made as in life, so that a queue over them can be measured.

Every row of a template's record is copied for each operation: its attempt, what was learnt and read, what our record says,
its case, its schedule and its place in the queue, each at its own age. The chains of digests are the templates' and would
not verify. No poll and no call falls due within a year: what is measured is the queue, not the worker.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from tests.benchmarks.queueing import templates
from tests.benchmarks.queueing.aside import put_aside
from tests.benchmarks.queueing.templates import KINDS, Template

OF: Final = 1_000
WAITS: Final = OF // sum([kind.of_thousand for kind in KINDS[: templates.WAITING]])  # one in so many waits for a person
COMMON, RARE, RARE_ONES = "parcel", "quokka", 7
_SLOTS: Final = {
    "observation_id": ("operations_observation", "position"),
    "receipt_id": ("operations_observation", "position"),
    "case_id": ("escalation_case", "nth"),
}
# When something is to come, which is no older for an older operation.
_TO_COME: Final = ("next_call_at", "at", "call_at", "person_at", "leased_until", "snoozed_until", "left_until", "until")
_IN_A_YEAR: Final = ("next_call_at", "at", "call_at")
_BY_TEMPLATE: Final = (
    "CREATE TEMPORARY TABLE benchmark_template (k int, r int, id uuid, spread interval, dated bool) ON COMMIT DROP"
)


class NotEmpty(Exception):
    """There are operations in the database already: what is written here would stand among them."""


def _models() -> Sequence[Any]:
    """What an operation's record is kept in, in the order in which it is written."""
    from escalation.models import Case, CaseAct, Owing, ReasonHeld, Searched, Waiting
    from operations import models

    of_it = (models.Operation, models.Attempt, models.Seal, models.Observation, models.Reading, models.Completion)
    return (*of_it, models.Due, Owing, Case, ReasonHeld, CaseAct, Waiting, Searched)


def _uuid(slot: str) -> str:
    """Return the SQL of an id that grows with n and differs with the place in the chain of digests."""
    return (
        f"(lpad(to_hex(%(ms)s::bigint + n), 12, '0') || '7' || lpad(to_hex({slot}), 3, '0') || '8000'"
        " || lpad(to_hex(n), 12, '0'))::uuid"
    )


def _older(name: str, column: str, *, acts: bool) -> str:
    """Return the SQL of a time: as much older as the copy is, but for what is to come."""
    to_come = name in _TO_COME and not (acts and name == "at")
    if to_come and name in _IN_A_YEAR:
        return f"CASE WHEN {column} IS NOT NULL THEN now() + interval '1 year' END"
    if to_come:
        return f"{column} + n %% 997 * interval '1 second'"
    if name in ("deadline", "act_before"):  # those that are dated by a deadline come nearer to it
        return (
            f"CASE WHEN {column} > '9999-01-01' THEN {column} WHEN dated THEN {column} - frac * interval '29 days'"
            f" ELSE {column} - older END"
        )
    return f"{column} - older"


def _written(model: Any) -> dict[str, str]:
    """Return the SQL of each column of a copy; a key that is left out is given by the table."""
    table = model._meta.db_table
    values = {}
    for field in model._meta.concrete_fields:
        name, column = field.column, f'one."{field.column}"'
        values[name] = (
            _older(name, column, acts=table == "escalation_caseact")
            if field.get_internal_type() == "DateTimeField"
            else column
        )
    return {**values, **_told_apart(table, list(values))}


def _told_apart(table: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns in which two copies differ but for their age."""
    found = {"operation_id": _uuid("0")}
    found |= {name: _uuid(f"one.slot_{name}") for name in ("observation_id", "receipt_id")}
    found |= {"case_id": "%(case)s + n * 10 + one.slot_case_id"}
    found |= {"id": _uuid("one.position"), "words": f"replace(one.words, told, {_CALLED})"}
    found |= {"payload": _renamed("payload"), "body": "one.body", "arguments": "one.arguments"}
    if table == "operations_operation":
        found |= {
            "id": _uuid("0"),
            "number": "%(number)s + n",
            "identity": _CALLED,
            "subject": "lpad(to_hex(n), 64, '0')",
        }
        found |= {"headers": f"replace(one.headers::text, told, {_CALLED})::jsonb"}
    if table == "escalation_waiting":
        found |= {"number": "%(number)s + n", "owner_id": f"CASE WHEN one.case_id IS NOT NULL THEN {_OWNER} END"}
    if table == "escalation_case":
        found |= {"id": "%(case)s + n * 10 + one.nth", "owner_id": _OWNER}
        found |= {"owned_since": f"CASE WHEN {_OWNER} IS NOT NULL THEN one.opened_at - older END"}
    return {name: value for name, value in found.items() if name in columns}


_CALLED: Final = f"('order-' || CASE WHEN n %% {OF} = 0 AND n <= {OF} * {RARE_ONES} THEN '{RARE}-' ELSE '' END || n)"
# Two in three that somebody has to look after have an owner.
_OWNER: Final = (
    f"coalesce(one.owner, CASE WHEN n %% 3 > 0 THEN (%(people)s::bigint[])[1 + n %% {templates.PEOPLE}] END)"
)


def _renamed(column: str) -> str:
    return f"convert_to(replace(convert_from(one.{column}, 'UTF8'), told, {_CALLED}), 'UTF8')"


def _one(model: Any) -> str:
    """Return the SQL of the templates' rows in a table: whose they are, what they were called, and what they link to."""
    table, columns = model._meta.db_table, [field.column for field in model._meta.concrete_fields]
    of = "t.operation_id" if "operation_id" in columns else "c.operation_id" if "case_id" in columns else "t.id"
    joined = " JOIN escalation_case AS c ON c.id = t.case_id" if of.startswith("c.") else ""
    links = "".join(
        [
            f", (SELECT {slot} FROM {at} AS linked WHERE linked.id = t.{name}) AS slot_{name}"
            for name, (at, slot) in _SLOTS.items()
            if name in columns
        ]
    )
    owner = ", t.owner_id AS owner" if "owner_id" in columns else ""
    return (
        f"SELECT t.*, {of} AS of, o.identity AS told{links}{owner} FROM {table} AS t{joined}"
        f" JOIN operations_operation AS o ON o.id = {of} WHERE {of} IN (SELECT id FROM benchmark_template)"
    )


def _copied(model: Any) -> str:
    """Return the statement that copies the rows that each template has in one table, for every n."""
    written = _written(model)
    if model._meta.pk.get_internal_type() == "BigAutoField" and model._meta.db_table != "escalation_case":
        del written["id"]
    return f"""
WITH one AS MATERIALIZED ({_one(model)}), asked AS (
    SELECT n, (n %% {OF})::int AS k, floor(%(recipients)s * power((n * 7919 %% 10007) / 10007.0, 2))::int AS r,
        (%(most)s - n)::float / %(most)s AS frac
    FROM generate_series(1::bigint, %(most)s::bigint) AS n
)
INSERT INTO {model._meta.db_table} ({", ".join([f'"{name}"' for name in written])})
SELECT {", ".join(written.values())}
FROM (SELECT asked.*, id, dated, frac * spread AS older FROM asked JOIN benchmark_template USING (k, r)) AS wanted
    JOIN one ON one.of = wanted.id
"""


def make(operations: int) -> None:
    """Write so many operations into an empty database, unless they are there; Django is set up. Raises `NotEmpty`."""
    import psycopg

    from escalation.env import owner_url
    from operations.models import Operation

    if Operation.objects.filter(identity__in=[f"order-{operations}", f"order-{RARE}-{operations}"]).exists():
        return
    if Operation.objects.exists():
        raise NotEmpty(f"there are other operations than these {operations} in the database")
    made = list(templates.make(now=datetime.now(UTC)))
    with psycopg.connect(owner_url()) as owner:
        write(owner, operations, made=made)
    with psycopg.connect(owner_url(), autocommit=True) as owner:
        for table in tables():
            owner.execute(f"VACUUM ANALYZE {table}")  # ours


def tables() -> list[str]:
    """The tables that are written."""
    return [model._meta.db_table for model in _models()]


def write(owner: Any, operations: int, *, made: Sequence[Template]) -> None:
    """Write copies of what was made in the transaction of the owner's connection.

    Indexes, constraints and triggers are put aside meanwhile, and are there again when it returns.
    """
    owner.execute("SET CONSTRAINTS ALL IMMEDIATE")  # no table is altered while a check of it is still to be made
    given = _given(owner, operations, recipients=len({one.recipient for one in made}))
    _tell(owner, made)
    with put_aside(owner, tables()):
        for model in _models():
            owner.execute(_copied(model), given)
    _go_on_counting(owner)


def _given(owner: Any, operations: int, *, recipients: int) -> Mapping[str, object]:
    """Return what the statements are given: ids begin a year ago and numbers behind those that are taken."""
    (number,) = owner.execute("SELECT max(number) FROM operations_operation").fetchone()
    (case,) = owner.execute("SELECT max(id) FROM escalation_case").fetchone()
    now = datetime.now(UTC)
    begin = now - templates.YEAR
    people = [person.pk for person in templates.people(now=now)]
    return {
        "most": operations,
        "recipients": recipients,
        "number": number,
        "case": case,
        "people": people,
        "ms": int(begin.timestamp() * 1000),
    }


def _tell(owner: Any, made: Sequence[Template]) -> None:
    """Say which of a thousand is copied from which template."""
    owner.execute(_BY_TEMPLATE)
    rows = list(_slots(made))
    with owner.cursor().copy("COPY benchmark_template FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
    owner.execute("ANALYZE benchmark_template")


def _slots(made: Sequence[Template]) -> Iterator[tuple[object, ...]]:
    begins = 0
    for nth, kind in enumerate(KINDS):
        for one in [one for one in made if one.kind == nth]:
            for k in range(begins, begins + kind.of_thousand):
                yield k, one.recipient, one.operation, kind.spread, kind.deadline is not None
        begins += kind.of_thousand


def _go_on_counting(owner: Any) -> None:
    owner.execute("SELECT setval('operation_number', (SELECT max(number) FROM operations_operation))")
    owner.execute(
        "SELECT setval(pg_get_serial_sequence('escalation_case', 'id'), (SELECT max(id) FROM escalation_case))"
    )

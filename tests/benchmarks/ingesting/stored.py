"""What is kept of one registration, and of one workflow: bytes a row, with its indices, as PostgreSQL counts them."""

from collections.abc import Iterator

import psycopg

from tests.benchmarks.measure import Figure

OURS = ("operations_operation", "operations_attempt", "operations_due")
THEIRS = "dbos"


def stored_a_workflow(conninfo: str) -> Iterator[Figure]:
    """Bytes kept a registration to bytes kept a workflow; everything that DBOS keeps beside what it was asked."""
    with psycopg.connect(conninfo) as connection:
        ours = _bytes(connection, [f"public.{table}" for table in OURS]) / _rows(connection, "public", OURS[0])
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [THEIRS]).fetchall()
        theirs = _bytes(connection, [f"{THEIRS}.{table}" for (table,) in tables])
        theirs /= _rows(connection, THEIRS, "workflow_status")
    ratio = ours / theirs
    yield Figure(
        name="ingest.kept of a registration to kept of a DBOS workflow of one step",
        unit="bytes",
        ours=ours,
        peer=theirs,
        ratio=ratio,
        target=None,
        met=None,
        lowest=ratio,
        highest=ratio,
        rounds=1,
    )


def _bytes(connection: "psycopg.Connection[tuple[object, ...]]", tables: list[str]) -> float:
    total = "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name"
    return float(str((connection.execute(total, [tables]).fetchone() or (0,))[0]))


def _rows(connection: "psycopg.Connection[tuple[object, ...]]", schema: str, table: str) -> int:
    count = psycopg.sql.SQL("SELECT count(*) FROM {}").format(psycopg.sql.Identifier(schema, table))
    return int(str((connection.execute(count).fetchone() or (0,))[0]))

"""Many operations at once, copied from one that was registered, so that a queue over them can be measured.

Rows are copied in PostgreSQL; their chains of digests are the first one's and would not verify. One in `WAITS` waits for
a person: half of these is known and not in our record, the rest is open; one in `DATED` has a deadline that is to come.
"""

from datetime import UTC, datetime
from typing import Final

WAITS: Final = 10
DATED: Final = 100
COMMON, RARE, RARE_ONES = "parcel", "quokka", 7
_CHUNK: Final = 100_000
_ID: Final = "md5('benchmark ' || n)::uuid"


def _copied(table: str, columns: list[str], values: dict[str, str], where: str) -> str:
    """Return the statement that copies the one row of `where` for every n of a series, but for what `values` give."""
    names = ", ".join([f'"{column}"' for column in columns])
    some = ", ".join([values.get(column, f'one."{column}"') for column in columns])
    return (
        f"INSERT INTO {table} ({names}) SELECT {some} FROM {table} AS one, generate_series(%s, %s) AS n WHERE {where}"
    )


_WAITING: Final = """
INSERT INTO escalation_waiting (operation_id, recipient_id, number, rank, situation, missing, waits_from, deadline, act_before,
    reasons, effect)
SELECT o.id, o.recipient_id, o.number, CASE WHEN n %% 2 = 0 THEN 4 ELSE 3 END,
    CASE WHEN n %% 2 = 0 THEN 'unknown' ELSE 'happened' END, CASE WHEN n %% 2 = 0 THEN 'whether_it_happened' ELSE '' END,
    o.created_at, later.at, coalesce(later.at, '9999-12-31 00:00+00'),
    CASE WHEN n %% 2 = 0 THEN ARRAY['unknown_too_long'] ELSE ARRAY[]::text[] END, 'collection ticket'
FROM generate_series(%s, %s) AS n JOIN operations_operation AS o ON o.id = md5('benchmark ' || n * {waits})::uuid,
    LATERAL (SELECT CASE WHEN n %% ({dated} / {waits}) = 0 THEN now() + n * interval '1 second' END AS at) AS later
"""
_WORDS: Final = """
INSERT INTO escalation_searched (operation_id, words)
SELECT md5('benchmark ' || n * {waits})::uuid,
    'order-' || n * {waits} || E'\\nIssue one collection ticket for {common} ' || md5(n::text)
    || CASE WHEN n <= {rare_ones} THEN ' {rare}' ELSE '' END
FROM generate_series(%s, %s) AS n
"""


def make(operations: int, *, since: int = 0) -> None:
    """Write operations up to this number, beginning after `since`; Django is set up, the first one is registered here."""
    from django.db import connection, transaction

    template = _template()
    with connection.cursor() as cursor:
        for begin in range(since + 1, operations + 1, _CHUNK):
            end = min(begin + _CHUNK - 1, operations)
            with transaction.atomic():
                for statement in _statements():
                    cursor.execute(statement, [begin, end, template])
                for statement in (_WAITING, _WORDS):
                    text = statement.format(waits=WAITS, dated=DATED, common=COMMON, rare=RARE, rare_ones=RARE_ONES)
                    cursor.execute(text, [-(-begin // WAITS), end // WAITS])
    _look_again()


def _statements() -> list[str]:
    from operations.models import Attempt, Operation

    bound = [str(field.column) for field in Operation._meta.concrete_fields if field.name != "number"]
    sent = [str(field.column) for field in Attempt._meta.concrete_fields]
    return [
        _copied("operations_operation", bound, {"id": _ID, "identity": "'order-' || n"}, "one.id = %s"),
        _copied("operations_attempt", sent, {"id": _ID, "operation_id": _ID}, "one.operation_id = %s"),
    ]


def _template() -> str:
    """Return the id of the one operation that the others are copies of."""
    from operations.core.facts import Sends
    from operations.core.representation import Representation
    from operations.models import Contract
    from operations.recording import Binding, Intent, register

    now = datetime.now(UTC)
    contract = Contract.objects.filter(recipient__key="desk").latest("version")
    asked = Representation(
        method="POST",
        target="/desks/East/tickets",
        headers=(("idempotency-key", "template"),),
        body=b"{}",
        arguments=b"{}",
        scope="east",
        identity="template",
    )
    binding = Binding(
        contract=contract,
        representation=asked,
        identity_known=True,
        effect="Issue one collection ticket for parcel Cedar",
    )
    intent = Intent(attempt="a1", sends=Sends.ONE, scope="east", begun_at=now)
    return str(register(binding, intent=intent, now=now, by="benchmark").operation_id)


def _look_again() -> None:
    """Let PostgreSQL look at the tables, as it does by itself after some minutes; that is the owner's to do."""
    import psycopg

    from escalation.env import owner_url

    with psycopg.connect(owner_url(), autocommit=True) as owner:
        for table in ("operations_operation", "operations_attempt", "escalation_waiting", "escalation_searched"):
            owner.execute(f"VACUUM ANALYZE {table}")  # ours

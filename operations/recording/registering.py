"""An operation is bound once, with its first attempt, in one statement, before the first byte leaves."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final, TypeAlias
from uuid import UUID

from django.db import connection, transaction

from operations import models, reading
from operations.core.facts import Sends
from operations.core.proposal import Comparison, compare
from operations.core.representation import Representation
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.identifiers import uuid7
from operations.models.operation import NOT_OPEN
from operations.recording import watching
from operations.recording.first_standing import first_standing
from operations.recording.pen import bound_row, chain, infer_into
from operations.recording.planning import first_due
from operations.recording.tables import made, table_of

Rows: TypeAlias = tuple[models.Operation, models.Attempt, models.Due | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One decision to send, as its owner tells it: `attempt` is its own id, `begun_at` is before the first byte."""

    attempt: str
    sends: Sends
    scope: str
    begun_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a call came from: provenance, never identity."""

    agent: str = ""
    run: str = ""
    call: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What an operation is bound to. `subject` is a digest of what the effect is about, empty where none is named."""

    contract: models.Contract
    representation: Representation
    identity_known: bool
    effect: str
    subject: str = ""
    origin: Origin = Origin()
    authorised_by: str = ""
    deadline: datetime | None = None


@dataclass(frozen=True, slots=True)
class Registered:
    """The operation a registration led to; `created` is False where it was on record already.

    `begun` is False where the attempt is not on record: whoever asked may not send, but has to begin a further attempt.
    `confronts` is an open operation about the same thing, which an unasked attempt was put on record beside.
    """

    operation_id: UUID
    created: bool
    begun: bool = True
    confronts: UUID | None = None


class NewProposal(Exception):
    """The identity is bound to another representation: this is a proposal for another operation."""

    def __init__(self, operation_id: UUID, comparison: Comparison) -> None:
        super().__init__(f"{comparison.total} differences from the operation that holds this identity")
        self.operation_id = operation_id
        self.comparison = comparison


class ConfrontsOpenOperation(Exception):
    """A fresh identity asks for the effect of an operation that is still open; a person has to say that both are meant."""

    def __init__(self, operation_id: UUID) -> None:
        super().__init__("an open operation is about the same thing")
        self.operation_id = operation_id


class AttemptDiffers(Exception):
    """The attempt's id is on record with other sends or another scope; what was recorded before the send holds."""

    def __init__(self, attempt: models.Attempt) -> None:
        super().__init__(f"{attempt.attempt} is on record as sends {attempt.sends}, scope {attempt.scope!r}")
        self.attempt = attempt


def require_same(attempt: models.Attempt, intent: Intent) -> None:
    """Raise `AttemptDiffers` unless the attempt on record is the one that is told again."""
    if (attempt.sends, attempt.scope) != (intent.sends, intent.scope):
        raise AttemptDiffers(attempt)


def operation_row(binding: Binding, *, now: datetime) -> models.Operation:
    """Return the row of a new operation, not judged yet and not written."""
    asked, contract = binding.representation, binding.contract
    values = {
        "id": uuid7(now),
        "recipient_id": contract.recipient_id,
        "contract_id": contract.id,
        "identity": asked.identity,
        "identity_known": binding.identity_known,
        "method": asked.method,
        "target": asked.target,
        "headers": [list(line) for line in asked.headers],
        "body": asked.body,
        "arguments": asked.arguments,
        "scope": asked.scope,
        "digest": asked.digest,
        "subject": binding.subject,
        "effect": binding.effect,
        "agent": binding.origin.agent,
        "run": binding.origin.run,
        "call": binding.origin.call,
        "tool": binding.origin.tool,
        "authorised_by": binding.authorised_by,
        "deadline": binding.deadline,
        "created_at": now,
        "sealed": False,
        "revision": 1,
        "links": 1,
    }
    operation = made(models.Operation, values)
    operation.contract = contract
    return operation


def attempt_row(operation: models.Operation, intent: Intent, *, number: int, now: datetime, by: str) -> models.Attempt:
    """Return the row of one decision to send; its place in the chain is still to be given."""
    values = {
        "id": uuid7(now),
        "operation_id": operation.id,
        "number": number,
        "attempt": intent.attempt,
        "sends": intent.sends,
        "scope": intent.scope,
        "begun_at": intent.begun_at,
        "recorded_at": now,
        "recorded_by": by,
    }
    return made(models.Attempt, values)


def bind(binding: Binding, intent: Intent, *, now: datetime, by: str) -> Rows:
    """Return the rows of a new operation and its first attempt, chained, judged and planned, not yet written."""
    operation = operation_row(binding, now=now)
    operation.head = link(NOTHING_BEFORE, bound_row(operation))
    attempt = attempt_row(operation, intent, number=1, now=now, by=by)
    chain(attempt, operation)
    standing, gaps = first_standing(binding.contract, identity_known=binding.identity_known, sends=intent.sends)
    infer_into(operation, standing, gaps, now=now)
    return operation, attempt, first_due(operation, attempt, now=now)


# Said as the partial index of open subjects says it: else the planner does not see it in a long list.
IS_OPEN: Final = f"subject <> '' AND situation NOT IN ({', '.join([repr(situation) for situation in NOT_OPEN])})"
# An open operation about the same thing under another identity; a fresh one is not written beside it.
_CONFRONTED: Final = (
    "SELECT id FROM operations_operation WHERE recipient_id = %s AND subject = %s"  # noqa: S608  # ours
    f" AND {IS_OPEN} AND identity <> %s"
)


@cache
def _statement(*, planned: bool, guarded: bool) -> str:
    """Return the statement that writes a new operation with its first attempt, and its plan, or nothing of them."""
    bound, begun, due = table_of(models.Operation, "number"), table_of(models.Attempt), table_of(models.Due)
    guard = f" WHERE NOT EXISTS ({_CONFRONTED})" if guarded else ""
    plan = f", planned AS (INSERT INTO {due.name} ({due.columns}) SELECT {due.places} FROM bound)"  # noqa: S608  # ours
    return (
        f"WITH bound AS (INSERT INTO {bound.name} ({bound.columns}) SELECT {bound.places}{guard}"  # noqa: S608  # ours
        " ON CONFLICT (recipient_id, identity) DO NOTHING RETURNING id)"
        f", begun AS (INSERT INTO {begun.name} ({begun.columns}) SELECT {begun.places} FROM bound)"
        f"{plan if planned else ''} SELECT id FROM bound"
    )


def insert(rows: Rows, *, guarded: bool) -> bool:
    """Insert these rows in one statement, or none where the identity is taken.

    `guarded`: none either where the operation confronts an open one.
    """
    operation, attempt, due = rows
    values = table_of(models.Operation, "number").values(operation)
    if guarded:
        values += [operation.recipient_id, operation.subject, operation.identity]
    values += table_of(models.Attempt).values(attempt)
    if due is not None:
        values += table_of(models.Due).values(due)
    with connection.cursor() as cursor:
        cursor.execute(_statement(planned=due is not None, guarded=guarded), values)
        return cursor.fetchone() is not None


def on_record(existing: models.Operation, binding: Binding, *, intent: Intent) -> Registered:
    """Return the operation that holds the identity already, or raise `NewProposal` or `AttemptDiffers`."""
    if existing.digest != binding.representation.digest:
        rules = reading.comparison_rules(existing.contract)
        comparison = compare(reading.representation(existing), proposed=binding.representation, rules=rules)
        if not comparison.identical:
            raise NewProposal(existing.id, comparison)
    attempt = next((row for row in existing.attempts.all() if row.attempt == intent.attempt), None)
    if attempt is not None:
        require_same(attempt, intent)
    return Registered(existing.id, created=False, begun=attempt is not None)


def _holder(binding: Binding) -> models.Operation | None:
    """Return the operation that holds the identity, if there is one."""
    holders = models.Operation.objects.select_related("contract")
    return holders.filter(recipient_id=binding.contract.recipient_id, identity=binding.representation.identity).first()


def lock_subjects(subjects: Iterable[tuple[int, str]]) -> None:
    """Let one of two registrations about one thing through at a time; in one order, so that no two wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(key) FROM"
            " (SELECT DISTINCT hashtextextended(text, 0) AS key FROM unnest(%s::text[]) AS text ORDER BY key) AS keys",
            [[f"{recipient} {subject}" for recipient, subject in subjects]],
        )


def open_about(binding: Binding) -> UUID | None:
    """Return an open operation about the same thing under another identity, the oldest."""
    about: list[int | str] = [binding.contract.recipient_id, binding.subject, binding.representation.identity]
    with connection.cursor() as cursor:
        cursor.execute(f"{_CONFRONTED} ORDER BY id LIMIT 1", about)
        found = cursor.fetchone()
    return None if found is None else found[0]


def register(binding: Binding, *, intent: Intent, now: datetime, by: str, independent: bool = False) -> Registered:
    """Bind an operation and begin its first attempt, or return the one that is on record for the same representation.

    Raises `NewProposal` where the identity is bound to something else, `AttemptDiffers` where the attempt is, and
    `ConfrontsOpenOperation` where the identity is fresh and an open operation is about the same thing, unless a person
    said that both are meant (`independent`). Then nothing is written.
    """
    guarded = bool(binding.subject) and not independent
    with transaction.atomic():
        if guarded:
            lock_subjects([(binding.contract.recipient_id, binding.subject)])
        rows = bind(binding, intent, now=now, by=by)
        while not insert(rows, guarded=guarded):
            holder = _holder(binding)
            if holder is not None:
                return on_record(holder, binding, intent=intent)
            confronted = open_about(binding) if guarded else None
            if confronted is not None:
                raise ConfrontsOpenOperation(confronted)
            # What stood in the way was settled between two statements; nothing else can come while we hold the lock.
        watching.tell([watching.changed(rows[0], rows[2], now=now, fresh=True)], now=now)
        return Registered(rows[0].id, created=True)

"""An operation is bound once, with its first attempt, in one statement, before the first byte leaves."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db import models as django_models

from operations import models, reading
from operations.core.facts import Attempt, Facts, Operation, Sends
from operations.core.proposal import Comparison, compare
from operations.core.representation import Representation
from operations.core.standing import infer
from operations.models.chain import NOTHING_BEFORE, link
from operations.models.identifiers import uuid7
from operations.recording.pen import bound_row, chain, infer_into
from operations.recording.planning import first_due


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
    """

    operation_id: UUID
    created: bool
    begun: bool = True


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


def _operation(binding: Binding, *, now: datetime) -> models.Operation:
    asked = binding.representation
    return models.Operation(
        id=uuid7(now),
        recipient_id=binding.contract.recipient_id,
        contract=binding.contract,
        identity=asked.identity,
        identity_known=binding.identity_known,
        method=asked.method,
        target=asked.target,
        headers=[list(line) for line in asked.headers],
        body=asked.body,
        arguments=asked.arguments,
        scope=asked.scope,
        digest=asked.digest,
        subject=binding.subject,
        effect=binding.effect,
        agent=binding.origin.agent,
        run=binding.origin.run,
        call=binding.origin.call,
        tool=binding.origin.tool,
        authorised_by=binding.authorised_by,
        deadline=binding.deadline,
        created_at=now,
        sealed=False,
        revision=1,
        links=1,
    )


def attempt_row(operation: models.Operation, intent: Intent, *, number: int, now: datetime, by: str) -> models.Attempt:
    """Return the row of one decision to send; its place in the chain is still to be given."""
    return models.Attempt(
        id=uuid7(now),
        operation=operation,
        number=number,
        attempt=intent.attempt,
        sends=intent.sends,
        scope=intent.scope,
        begun_at=intent.begun_at,
        recorded_at=now,
        recorded_by=by,
    )


def bind(binding: Binding, intent: Intent, *, now: datetime, by: str) -> tuple[models.Operation, models.Attempt]:
    """Return the rows of a new operation and its first attempt, chained and judged, not yet written."""
    operation = _operation(binding, now=now)
    operation.head = link(NOTHING_BEFORE, bound_row(operation))
    attempt = attempt_row(operation, intent, number=1, now=now, by=by)
    chain(attempt, operation)
    sent = Attempt(at=reading.seconds(intent.begun_at), id=intent.attempt, sends=intent.sends, scope=intent.scope)
    facts = Facts(
        contract=reading.terms(binding.contract),
        operation=Operation(identity_known=binding.identity_known),
        events=(sent,),
    )
    standing = infer(facts, now=reading.seconds(now))
    infer_into(operation, standing, reading.gaps(standing), now=now)
    return operation, attempt


def columns(row: django_models.Model, *, but: str = "") -> tuple[list[str], list[Any]]:
    """Return a row's columns and the values that are written into them."""
    fields = [field for field in row._meta.concrete_fields if field.name != but]  # noqa: SLF001  # public in all but name
    names = [connection.ops.quote_name(str(field.column)) for field in fields]
    return names, [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


def _insert(operation: models.Operation, attempt: models.Attempt, due: models.Due | None) -> bool:
    """Insert these rows, or none where the identity is taken, in one statement."""
    bound, values = columns(operation, but="number")
    begun, begun_values = columns(attempt)
    values += begun_values
    planned = ""
    if due is not None:
        names, due_values = columns(due)
        values += due_values
        planned = (
            f", planned AS (INSERT INTO operations_due ({', '.join(names)})"  # noqa: S608  # column names are ours
            f" SELECT {', '.join(['%s'] * len(names))} FROM bound)"
        )
    statement = (
        f"WITH bound AS (INSERT INTO operations_operation ({', '.join(bound)})"  # noqa: S608  # likewise
        f" VALUES ({', '.join(['%s'] * len(bound))})"
        " ON CONFLICT (recipient_id, identity) WHERE identity_known DO NOTHING RETURNING id)"
        f", begun AS (INSERT INTO operations_attempt ({', '.join(begun)})"
        f" SELECT {', '.join(['%s'] * len(begun))} FROM bound){planned}"
        " SELECT id FROM bound"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
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
    """Return the operation that holds the identity, if it is a known one."""
    return (
        models.Operation.objects.select_related("contract")
        .filter(
            recipient_id=binding.contract.recipient_id, identity=binding.representation.identity, identity_known=True
        )
        .first()
    )


def lock_subjects(subjects: Iterable[tuple[int, str]]) -> None:
    """Let one of two registrations about one thing through at a time; in one order, so that no two wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(key) FROM"
            " (SELECT DISTINCT hashtextextended(text, 0) AS key FROM unnest(%s::text[]) AS text ORDER BY key) AS keys",
            [[f"{recipient} {subject}" for recipient, subject in subjects]],
        )


def _open_about(binding: Binding) -> UUID | None:
    """Return an open operation about the same thing under another identity."""
    return (
        models.Operation.objects.open()
        .filter(recipient_id=binding.contract.recipient_id, subject=binding.subject)
        .exclude(identity=binding.representation.identity, identity_known=True)
        .values_list("id", flat=True)
        .first()
    )


def _refuse_confronting(binding: Binding) -> None:
    """Raise `ConfrontsOpenOperation` for a fresh identity about the same thing as an open operation."""
    lock_subjects([(binding.contract.recipient_id, binding.subject)])
    confronted = _open_about(binding)
    if confronted is not None and (not binding.identity_known or _holder(binding) is None):
        raise ConfrontsOpenOperation(confronted)


def register(binding: Binding, *, intent: Intent, now: datetime, by: str, independent: bool = False) -> Registered:
    """Bind an operation and begin its first attempt, or return the one that is on record for the same representation.

    Raises `NewProposal` where the identity is bound to something else, `AttemptDiffers` where the attempt is, and
    `ConfrontsOpenOperation` where the identity is fresh and an open operation is about the same thing, unless a person
    said that both are meant (`independent`). Then nothing is written.
    """
    with transaction.atomic():
        if binding.subject and not independent:
            _refuse_confronting(binding)
        operation, attempt = bind(binding, intent, now=now, by=by)
        if _insert(operation, attempt, first_due(operation, attempt, now=now)):
            return Registered(operation.id, created=True)
        holder = _holder(binding)
        if holder is None:
            raise RuntimeError("an identity that was taken a moment ago is held by no operation")
        return on_record(holder, binding, intent=intent)

"""Rows become facts here and nowhere else; what is concluded from them is the core's to say.

An operation's events are its attempts, the newest reading of each observation and its successors, in the order they were
recorded, so that an index in a standing's grounds finds its row again.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Prefetch

from operations import models
from operations.contracts.answer import Answer
from operations.contracts.loading import document_of, terms_of
from operations.contracts.terms import normalisation
from operations.core.facts import Contract, Facts, Operation
from operations.core.missing import missing
from operations.core.normalisation import Normalisation
from operations.core.representation import Representation
from operations.core.standing import Standing, infer
from operations.core.weaker import weaker
from operations.reading.answers import DEFERRED
from operations.reading.answers import fetch_answers as fetch_answers
from operations.reading.events import Row as Row
from operations.reading.events import events_of, newest
from operations.reading.events import moment as moment
from operations.reading.events import seconds as seconds
from operations.reading.restated import Wanted as Wanted
from operations.reading.restated import find


class NoSuchOperation(Exception):
    """No operation has this id or number."""


class NoSuchContract(Exception):
    """No contract of this recipient has this version, or none is in force."""


@dataclass(frozen=True, slots=True)
class Read:
    """An operation's row with its facts; `rows[i]` is the row behind `facts.events[i]`.

    Of a long record some observations may be `left_out`; then `numbers` are those of the others (ids) among all of them.
    """

    operation: models.Operation
    facts: Facts
    rows: tuple[Row, ...]
    numbers: Mapping[UUID, int] = field(default_factory=dict)
    left_out: int = 0

    def standing(self, *, now: datetime) -> Standing:
        """Return what is known at `now`."""
        return infer(self.facts, now=seconds(now))


@lru_cache(maxsize=512)
def _terms(document: str) -> Contract:
    return terms_of(document)


def terms(contract: models.Contract) -> Contract:
    """Return what a contract's document promises, as the core's terms."""
    return _terms(contract.document)


@lru_cache(maxsize=512)
def _governing(first: str, current: str) -> Contract:
    return weaker(_terms(first), current=_terms(current))


def judging(operation: models.Operation) -> models.Contract:
    """Return the contract version by which an operation's observations are read: the newest that read them anew."""
    return operation.contract if operation.judged_by_id is None else published(operation.judged_by_id)


def governing(operation: models.Operation) -> Contract:
    """Return the terms that an operation is judged by: the weaker of its first attempt's promise and the newer one."""
    return _governing(operation.contract.document, judging(operation).document)


def answer(row: models.Observation) -> Answer:
    """Return an observation as it came, ready to be read by a contract."""
    return Answer(
        channel=row.channel,
        received_at=seconds(row.received_at),
        authentic=row.authentic,
        asked_at=None if row.asked_at is None else seconds(row.asked_at),
        attempt=row.attempt,
        status=row.status,
        headers=tuple([(name, value) for name, value in row.headers]),
        body=None if row.payload is None else bytes(row.payload),
        truncated=row.truncated,
        fact=row.fact,
        reference=row.reference or None,
        first_seen_at=None if row.first_seen_at is None else seconds(row.first_seen_at),
    )


def comparison_rules(contract: models.Contract) -> Normalisation:
    """Return which differences the recipient states don't matter, by a contract's document."""
    return normalisation(document_of(contract.document))


def _read(operation: models.Operation, rows: Iterable[Row]) -> Read:
    events, behind = events_of(sorted(rows, key=lambda row: row.position), of=operation.id)
    facts = Facts(
        contract=governing(operation),
        operation=Operation(attempts_complete=operation.sealed, identity_known=operation.identity_known),
        events=events,
    )
    return Read(operation, facts, behind)


def _rows(operation: models.Operation, *more: models.Reading) -> list[Row]:
    readings = operation.readings.all()
    if not operation_is_prefetched(operation):
        readings = readings.select_related("observation", "contract")
    return [*operation.attempts.all(), *newest([*readings, *more]), *_carriers(operation)]


def _carriers(operation: models.Operation) -> list[models.Successor]:
    """Return the links to whoever else carries an operation's intent: its successors, or its original again.

    Whoever locked the operation has asked already whether there are any links (`succeeded`, `succeeds`).
    """
    found = list(operation.successors.all()) if getattr(operation, "succeeded", True) else []
    if getattr(operation, "succeeds", True) and hasattr(operation, "predecessor"):
        found += [operation.predecessor] if operation.predecessor.given_back else []
    return found


def operation_is_prefetched(operation: models.Operation) -> bool:
    """Whether the readings were loaded with the operation."""
    return "readings" in getattr(operation, "_prefetched_objects_cache", {})


def read(operation: models.Operation) -> Read:
    """Return an operation with its facts, from rows that are already loaded or are loaded now."""
    return _read(operation, _rows(operation))


def read_with(operation: models.Operation, *claims: models.Reading) -> Read:
    """Return an operation with its facts as they would be with more readings, which are not written yet."""
    return _read(operation, _rows(operation, *claims))


def read_of(
    operation: models.Operation, attempts: Iterable[models.Attempt], readings: Iterable[models.Reading]
) -> Read:
    """Return an operation with its facts from rows that the caller holds, all there are but for successors.

    Those change nothing that is kept in a row: whoever decides what is permitted reads them (`read`).
    """
    return _read(operation, [*attempts, *newest(readings)])


def gaps(standing: Standing) -> list[list[Any]]:
    """Return the missing facts as they are kept in a row: a list of [fact, [channel, ...]]."""
    return [[gap.fact.value, list(gap.channels)] for gap in missing(standing)]


_BESIDE: Final = ("attempts", "successors__successor", "predecessor__operation", "predecessor__decision")


def _row(operation_id: UUID, *more: Any) -> models.Operation:
    rows = models.Operation.objects.select_related("recipient", "contract").prefetch_related(*_BESIDE, *more)
    row = rows.filter(id=operation_id).first()
    if row is None:
        raise NoSuchOperation(str(operation_id))
    return row


def _under(readings: Iterable[models.Reading]) -> list[models.Reading]:
    """Give each reading its contract, which can't change any more: read once in a process, not once a reading."""
    found = list(readings)
    for one in found:
        one.contract = published(one.contract_id)
    return found


def operation(operation_id: UUID) -> Read:
    """Return one operation with its facts; raises `NoSuchOperation`."""
    row = _row(operation_id, Prefetch("readings", models.Reading.objects.select_related("observation")))
    _under(row.readings.all())
    return read(row)


def operation_shown(operation_id: UUID, *, wanted: Wanted) -> Read:
    """Return the same for a page: payloads and headers stay where they are, and `fetch_answers` brings those of some.

    Of a long record, what was stated again, decides nothing and is not wanted stays there too (reading/restated.py).
    """
    row = _row(operation_id)
    found = find(row, wanted)
    readings = row.readings.select_related("observation").defer(*DEFERRED)
    told = _under(readings if found is None else readings.filter(pk__in=found.readings))
    whole = _read(row, [*row.attempts.all(), *newest(told), *_carriers(row)])
    return whole if found is None else replace(whole, numbers=found.numbers, left_out=found.left_out)


def last_asked_at(row: models.Operation, *, channel: str) -> datetime | None:
    """Return when an operation was last asked about through a channel and an answer came."""
    asked = row.observations.filter(channel=channel, asked_at__isnull=False).order_by("-asked_at")
    return asked.values_list("asked_at", flat=True).first()


def representation(row: models.Operation) -> Representation:
    """Return the exact representation that an operation was bound to."""
    return Representation(
        method=row.method,
        target=row.target,
        headers=tuple([(name, value) for name, value in row.headers]),
        body=None if row.body is None else bytes(row.body),
        arguments=None if row.arguments is None else bytes(row.arguments),
        scope=row.scope,
        identity=row.identity,
    )


@lru_cache(maxsize=512)
def published(contract_id: int) -> models.Contract:
    """Return a published contract, which can't change any more and is therefore read from the database once."""
    return models.Contract.objects.get(id=contract_id, published_at__isnull=False)


_IN_FORCE: Final = (
    "SELECT id FROM operations_contract WHERE recipient_id = %s AND published_at IS NOT NULL"
    " ORDER BY version DESC LIMIT 1"
)


def contract_in_force(recipient_id: int) -> models.Contract | None:
    """Return the newest published contract of a recipient, if there is one."""
    with connection.cursor() as cursor:  # every registration asks this: written out, it takes a third of the time
        cursor.execute(_IN_FORCE, [recipient_id])
        newest = cursor.fetchone()
    return None if newest is None else published(newest[0])


def in_force(operation: models.Operation) -> models.Contract:
    """Return the contract version by which what is learnt of an operation now is read."""
    return contract_in_force(operation.recipient_id) or operation.contract


def contract_version(recipient: str, *, version: int | None = None) -> models.Contract:
    """Return one version of a recipient's contract, drafts too, with the recipient; None: the newest that is published.

    `recipient` is its key. Raises `NoSuchContract`.
    """
    versions = models.Contract.objects.select_related("recipient").filter(recipient__key=recipient)
    chosen = versions.filter(published_at__isnull=False) if version is None else versions.filter(version=version)
    row = chosen.order_by("-version").first()
    if row is None:
        raise NoSuchContract(recipient if version is None else f"{recipient}, version {version}")
    return row


def bound(operation_id: UUID, *, recipients: Collection[int]) -> models.Operation:
    """Return the row of an operation of one of these recipients (row ids); raises `NoSuchOperation`."""
    row = models.Operation.objects.filter(id=operation_id, recipient_id__in=recipients).first()
    if row is None:
        raise NoSuchOperation(str(operation_id))
    return row


def bound_as(identity: str, *, recipient: int) -> models.Operation:
    """Return the row of the operation that holds an identity at a recipient (row id); raises `NoSuchOperation`."""
    row = models.Operation.objects.filter(recipient_id=recipient, identity=identity).first()
    if row is None:
        raise NoSuchOperation(identity)
    return row


def page(
    recipients: Collection[int], *, having: Mapping[str, object], before: UUID | None, limit: int
) -> list[models.Operation]:
    """Return up to `limit` rows of these recipients (row ids), the newest first, all older than `before`.

    `having` are conditions on columns. The order is that of the ids, which are unique and never change, so a reader
    who goes on from the last row sees none twice and misses none that was there when he began.
    """
    rows = models.Operation.objects.filter(recipient_id__in=recipients, **having).select_related("recipient")
    if before is not None:
        rows = rows.filter(id__lt=before)
    return list(rows.defer("headers", "body", "arguments").order_by("-id")[:limit])

"""A rehearsal is kept whole or not at all, once however often it was asked for, and one at a time for a contract.

The lock is PostgreSQL's and ends with the transaction: who is killed while rehearsing leaves nothing, not even a lock.
"""

import importlib.util
from datetime import datetime
from typing import Final

from django.db import connection, transaction

from escalation.models import Rehearsal
from escalation.rehearsing.result import STATEMENT, Rehearsed, rehearse
from operations import reading
from operations.contracts.loading import document_of

_LOCK: Final = 0x5245  # the class of our advisory locks; the object is the contract's row
_OBJECTS: Final = 2**31


class BeingRehearsed(Exception):
    """Somebody else rehearses this contract version at this moment; the message is the sentence."""


class OutOfTurn(Exception):
    """The number asked for is not the next; nothing was rehearsed."""


def no_desk() -> str | None:
    """Return None, or the sentence that says why there is no desk to rehearse with."""
    try:
        found = importlib.util.find_spec("tests.recipients.collection_desk")
    except ModuleNotFoundError:
        found = None
    return None if found else "The collection desk is not installed here, so nothing can be rehearsed."


def last_number(contract_id: int) -> int:
    """Return the number of the newest rehearsal of a contract version; 0 where there is none."""
    newest = Rehearsal.objects.filter(contract_id=contract_id).order_by("-number")
    return newest.values_list("number", flat=True).first() or 0


def being_rehearsed(contract_id: int) -> bool:
    """Say whether a contract version is being rehearsed at this moment, by whichever process."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2"
            " AND classid = %s AND objid = %s"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))",
            [_LOCK, contract_id % _OBJECTS],
        )
        return bool(cursor.fetchone()[0])


def _locked(contract_id: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK, contract_id % _OBJECTS])
        return bool(cursor.fetchone()[0])


def rehearse_and_keep(
    recipient: str, *, version: int | None = None, number: int | None = None, by: int | None, now: datetime
) -> Rehearsal:
    """Return rehearsal `number` of a contract version, rehearsed at `now` unless it is kept already.

    `recipient` is its key, `version` None the newest published, `number` None the next, `by` the id of who asked for
    it. Raises `BeingRehearsed`, `OutOfTurn`, `NoDesk` and `reading.NoSuchContract`; then nothing is kept.
    """
    contract = reading.contract_version(recipient, version=version)
    with transaction.atomic():
        if not _locked(contract.id):
            raise BeingRehearsed(
                f"Version {contract.version} is being rehearsed right now; its result will stand here."
            )
        last = last_number(contract.id)
        if number is not None and number <= last:
            return Rehearsal.objects.get(contract=contract, number=number)
        if number not in (None, last + 1):
            raise OutOfTurn(f"The next rehearsal is number {last + 1}, not {number}.")
        found = rehearse(document_of(contract.document))
        return _kept(found, contract_id=contract.id, digest=contract.digest, number=last + 1, by=by, now=now)


def _kept(found: Rehearsed, *, contract_id: int, digest: str, number: int, by: int | None, now: datetime) -> Rehearsal:
    return Rehearsal.objects.create(
        contract_id=contract_id,
        number=number,
        digest=digest,
        ran_at=now,
        ran_by_id=by,
        passed=found.passed,
        desk=found.desk_json(),
        rows=list(found.rows),
        summary=found.summary(),
        statement=STATEMENT,
    )

"""Recipients with the versions of their contracts, and the open operations that a version reads: rows, read only.

What a version promises is operations.contracts' to say; what is published, operations.recording.publishing's.
"""

from collections.abc import Collection
from itertools import islice
from uuid import UUID

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery

from operations import models
from operations.contracts.loading import document_of
from operations.reading import Read, contract_in_force, read


class NoSuchRecipient(Exception):
    """No recipient has this key."""


def _among(recipients: Collection[int] | None) -> QuerySet[models.Recipient]:
    rows = models.Recipient.objects.all()
    return rows if recipients is None else rows.filter(id__in=recipients)


def recipient(key: str, *, among: Collection[int] | None = None) -> models.Recipient:
    """Return the recipient with this key `among` some (row ids; None: all); raises `NoSuchRecipient`."""
    row = _among(among).filter(key=key).first()
    if row is None:
        raise NoSuchRecipient(key)
    return row


def recipients(*, after: str, limit: int, among: Collection[int] | None) -> list[models.Recipient]:
    """Return up to `limit` recipients `among` some with a key behind `after`, in its order, each with its `contracts`.

    Only the documents that are in force or drafts are loaded: those of older versions are not shown in a list.
    """
    versions = models.Contract.objects.order_by("-version").defer("document")
    rows = _among(among).filter(key__gt=after).order_by("key")
    return list(rows.prefetch_related(Prefetch("contracts", versions))[:limit])


def count(*, among: Collection[int] | None) -> int:
    """Return how many recipients there are `among` some (row ids; None: all)."""
    return _among(among).count()


def versions_of(recipient_id: int) -> list[models.Contract]:
    """Return all versions of a recipient's contract, drafts included, the newest first, with how many operations began
    under each (`began`)."""
    rows = models.Contract.objects.filter(recipient_id=recipient_id).defer("document").order_by("-version")
    return list(rows.annotate(began=Count("operations")))


def documents(contract_ids: Collection[int]) -> dict[int, str]:
    """Return the documents of these contract versions (row ids)."""
    return dict(models.Contract.objects.filter(id__in=contract_ids).values_list("id", "document"))


def draft_of(recipient_id: int) -> models.Contract | None:
    """Return the version that is being written for a recipient (row id), if there is one."""
    return models.Contract.objects.filter(recipient_id=recipient_id, published_at=None).order_by("-version").first()


def _open_behind(recipient_id: int) -> QuerySet[models.Operation]:
    """Return the open operations of a recipient that an older contract version than the one in force reads."""
    newest = contract_in_force(recipient_id)
    if newest is None:
        return models.Operation.objects.none()
    older = models.Contract.objects.filter(
        recipient_id=recipient_id, published_at__isnull=False, version__lt=newest.version
    ).values("id")
    return models.Operation.objects.open().filter(
        Q(judged_by=None) | ~Q(judged_by=newest), recipient_id=recipient_id, contract_id__in=older
    )


def behind_count(recipient_id: int) -> int:
    """Return how many open operations of a recipient (row id) wait to be read by its contract in force."""
    return _open_behind(recipient_id).count()


def behind(*, limit: int, but: Collection[UUID] = ()) -> list[UUID]:
    """Return up to `limit` ids of open operations, `but` some, that wait to be read by a newer contract version."""
    several = models.Contract.objects.filter(published_at__isnull=False, version__gt=1)
    found: list[UUID] = []
    for recipient_id in several.values_list("recipient_id", flat=True).distinct().order_by("recipient_id"):
        rows = _open_behind(recipient_id).exclude(id__in=but).order_by("id").values_list("id", flat=True)
        found += rows[: limit - len(found)]
        if len(found) >= limit:
            break
    return found


def _open_of(recipient_id: int) -> QuerySet[models.Operation]:
    return models.Operation.objects.open().filter(recipient_id=recipient_id)


def open_count(recipient_id: int) -> int:
    """Return how many operations of a recipient (row id) are open."""
    return _open_of(recipient_id).count()


def open_page(recipient_id: int, *, after: UUID | None, limit: int) -> list[Read]:
    """Return up to `limit` open operations of a recipient (row id) with their facts, the oldest first, after `after`."""
    readings = models.Reading.objects.select_related("observation").prefetch_related("contract")
    rows = (
        _open_of(recipient_id)
        .prefetch_related("contract", "attempts", "successors__successor", Prefetch("readings", readings))
        .prefetch_related("predecessor__operation", "predecessor__decision")
        .order_by("id")
    )
    if after is not None:
        rows = rows.filter(id__gt=after)
    return [read(row) for row in rows[:limit]]


def observed(operation: models.Operation) -> list[models.Observation]:
    """Return the observations of an operation whose readings are loaded, each once, in no order."""
    return list({row.observation_id: row.observation for row in operation.readings.all()}.values())


def named(recipient_ids: Collection[int]) -> dict[int, str]:
    """Return the names of these recipients (row ids)."""
    return dict(_among(recipient_ids).values_list("id", "name"))


def with_effect(word: str, *, among: Collection[int] | None = None, limit: int) -> list[models.Recipient]:
    """Return up to `limit` recipients `among` some whose contract in force calls its effect by this very word, by key.

    Documents are read only where the word stands somewhere in them.
    """
    newest = models.Contract.objects.filter(recipient=OuterRef("recipient"), published_at__isnull=False)
    in_force = Subquery(newest.order_by("-version").values("id")[:1])
    rows = models.Contract.objects.filter(id=in_force, document__contains=word).select_related("recipient")
    some = rows if among is None else rows.filter(recipient__in=among)
    calling = (
        row.recipient
        for row in some.order_by("recipient__key").iterator(chunk_size=50)
        if document_of(row.document).effect.word == word
    )
    return list(islice(calling, limit))

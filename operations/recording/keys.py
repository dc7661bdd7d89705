"""Keys for programs are kept as digests; when one was last used is written at most once a minute."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import transaction
from django.db.models import Q, Value

from operations import models
from operations.models.api_key import SCOPES

__all__ = ["SCOPES", "USED_EVERY", "NoSuchRecipient", "add_key", "end_key", "key_named", "mark_used"]

USED_EVERY: Final = timedelta(minutes=1)


class NoSuchRecipient(Exception):
    """No recipient has one of these names; `key` is the first of them."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no recipient {key}")
        self.key = key


def key_named(key_id: str) -> tuple[models.ApiKey, dict[str, int]] | None:
    """Return the key of this id and its recipients (key to row id), in one statement."""
    found = (
        models.ApiKey.objects.filter(id=key_id)
        .annotate(recipient_keys=_of_recipients("key"), recipient_ids=_of_recipients("id"))
        .first()
    )
    if found is None:
        return None
    return found, dict(zip(found.recipient_keys, found.recipient_ids, strict=True))


def _of_recipients(column: str) -> ArrayAgg:
    """Return one column of a key's recipients, in the order of their ids."""
    there = Q(recipients__isnull=False)
    return ArrayAgg(f"recipients__{column}", filter=there, default=Value([]), order_by="recipients__id")


def add_key(
    key_id: str,
    *,
    name: str,
    secret_digest: str,
    scopes: Iterable[str],
    recipients: Iterable[str],
    now: datetime,
    expires_at: datetime,
) -> models.ApiKey:
    """Write a key for the recipients of these names; raises `NoSuchRecipient`, and then nothing is written."""
    wanted = sorted(set(recipients))
    with transaction.atomic():
        found = {recipient.key: recipient for recipient in models.Recipient.objects.filter(key__in=wanted)}
        for key in wanted:
            if key not in found:
                raise NoSuchRecipient(key)
        row = models.ApiKey.objects.create(
            id=key_id,
            name=name,
            secret_digest=secret_digest,
            scopes=sorted(set(scopes)),
            created_at=now,
            expires_at=expires_at,
        )
        row.recipients.set(found.values())
    return row


def mark_used(key_id: str, *, now: datetime) -> bool:
    """Write that a key is used at `now`, unless a use less than a minute ago is on record; say whether it was written."""
    stale = Q(last_used_at=None) | Q(last_used_at__lte=now - USED_EVERY)
    return bool(models.ApiKey.objects.filter(stale, id=key_id).update(last_used_at=now))


def end_key(key_id: str, *, now: datetime) -> bool:
    """End a key at `now`; say whether it was one that had not ended."""
    return bool(models.ApiKey.objects.filter(id=key_id, ended_at=None).update(ended_at=now))

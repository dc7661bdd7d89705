"""Keys for programs are kept as digests; when one was last used is written at most once a minute."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import F, Q

from operations import models
from operations.models.api_key import SCOPES

__all__ = ["SCOPES", "USED_EVERY", "NoSuchRecipient", "add_key", "end_key", "key_named", "keys", "mark_used"]

USED_EVERY: Final = timedelta(minutes=1)


class NoSuchRecipient(Exception):
    """No recipient has one of these names; `key` is the first of them."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no recipient {key}")
        self.key = key


# Every call at the door asks this: written out, because putting it together anew took longer than its answer.
_NAMED: Final = (
    "SELECT key.name, key.secret_digest, key.scopes, key.expires_at, key.ended_at, key.last_used_at,"
    " array_agg(recipient.key) FILTER (WHERE recipient.id IS NOT NULL),"
    " array_agg(recipient.id) FILTER (WHERE recipient.id IS NOT NULL)"
    " FROM operations_apikey AS key"
    " LEFT JOIN operations_apikey_recipients AS bound ON bound.apikey_id = key.id"
    " LEFT JOIN operations_recipient AS recipient ON recipient.id = bound.recipient_id"
    " WHERE key.id = %s GROUP BY key.id"
)


def key_named(key_id: str) -> tuple[models.ApiKey, dict[str, int]] | None:
    """Return the key of this id and its recipients (key to row id), in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, [key_id])
        found = cursor.fetchone()
    if found is None:
        return None
    name, secret_digest, scopes, expires_at, ended_at, last_used_at, keys, ids = found
    row = models.ApiKey(
        id=key_id,
        name=name,
        secret_digest=secret_digest,
        scopes=scopes,
        expires_at=expires_at,
        ended_at=ended_at,
        last_used_at=last_used_at,
    )
    return row, dict(zip(keys or (), ids or (), strict=True))


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


def keys(*, among: Collection[int] | None, limit: int) -> list[models.ApiKey]:
    """Return up to `limit` keys with their recipients: those that run first, then the newest.

    `among` are recipients (row ids; None: all); a key for any other is left out. No secret is in a row.
    """
    rows = models.ApiKey.objects.prefetch_related("recipients").defer("secret_digest")
    if among is not None:
        others = models.ApiKey.recipients.through.objects.exclude(recipient_id__in=among)
        rows = rows.filter(recipients__in=among).exclude(pk__in=others.values("apikey_id")).distinct()
    return list(rows.order_by(F("ended_at").desc(nulls_first=True), "-created_at", "pk")[:limit])


def end_key(key_id: str, *, now: datetime) -> bool:
    """End a key at `now`; say whether it was one that had not ended."""
    return bool(models.ApiKey.objects.filter(id=key_id, ended_at=None).update(ended_at=now))

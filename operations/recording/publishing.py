"""A contract is published whole, checked, and never changed again; a draft may be anything, and can't be used.

Publishing writes one row: operations are read by the new version afterwards (operations.rereading).
"""

import hashlib
from datetime import datetime

from django.db import transaction

from operations import models
from operations.contracts.loading import document_of, selectable


class DraftExists(Exception):
    """The recipient has a draft already; there is one at a time, which becomes the next version."""

    def __init__(self, contract: models.Contract) -> None:
        super().__init__(f"version {contract.version} is being written already")
        self.contract = contract


class NoSuchDraft(Exception):
    """There is no such draft, or it was published meanwhile and can't change any more."""


def digest_of(text: str) -> str:
    """Return SHA-256 of a contract's text in lower-case hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _recipient(key: str, *, name: str, now: datetime) -> models.Recipient:
    """Return a recipient, locked, so that two versions at once get two numbers; it is made if it is new."""
    models.Recipient.objects.get_or_create(key=key, defaults={"name": name, "created_at": now})
    return models.Recipient.objects.select_for_update().get(key=key)


def _next_version(recipient: models.Recipient) -> int:
    last = recipient.contracts.order_by("-version").values_list("version", flat=True).first()
    return (last or 0) + 1


def publish(recipient: str, *, name: str, text: str, now: datetime) -> models.Contract:
    """Publish a contract's text as the recipient's next version, and the recipient itself if it is new.

    The same text again is the version that is in force. Raises `ContractRefused` with every place that is wrong and
    `Draft` for a contract that rests on invented answers alone; then nothing is written.
    """
    selectable(document_of(text))
    digest = digest_of(text)
    with transaction.atomic():
        row = _recipient(recipient, name=name, now=now)
        newest = row.contracts.filter(published_at__isnull=False).order_by("-version").first()
        if newest is not None and newest.digest == digest:
            return newest
        return models.Contract.objects.create(
            recipient=row,
            version=_next_version(row),
            document=text,
            digest=digest,
            created_at=now,
            published_at=now,
        )


def begin_draft(recipient: str, *, name: str, text: str, now: datetime) -> models.Contract:
    """Begin the recipient's next version as a draft, whatever its text; raises `DraftExists`. The recipient may be new."""
    with transaction.atomic():
        row = _recipient(recipient, name=name, now=now)
        held = row.contracts.filter(published_at=None).first()
        if held is not None:
            raise DraftExists(held)
        return models.Contract.objects.create(
            recipient=row, version=_next_version(row), document=text, digest=digest_of(text), created_at=now
        )


def lock_draft(contract_id: int) -> models.Contract:
    """Return a draft, locked to the end of the caller's transaction; raises `NoSuchDraft`."""
    row = (
        models.Contract.objects.select_for_update(of=("self",))
        .select_related("recipient")
        .filter(id=contract_id, published_at=None)
        .first()
    )
    if row is None:
        raise NoSuchDraft(str(contract_id))
    return row


def write_draft(draft: models.Contract, text: str) -> None:
    """Give a draft that the caller locked another text."""
    draft.document, draft.digest = text, digest_of(text)
    draft.save(update_fields=["document", "digest"])


def publish_draft(draft: models.Contract, *, now: datetime) -> models.Contract:
    """Publish a draft that the caller locked; it is numbered anew where another version overtook it.

    Raises `ContractRefused` and `Draft` as `publish` does; then nothing is written.
    """
    selectable(document_of(draft.document))
    recipient = models.Recipient.objects.select_for_update().get(id=draft.recipient_id)
    newest = recipient.contracts.exclude(published_at=None).order_by("-version").values_list("version", flat=True)
    if draft.version < (newest.first() or 0):
        draft.version = _next_version(recipient)
    draft.published_at = now
    draft.save(update_fields=["version", "published_at"])
    return draft

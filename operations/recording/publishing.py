"""A contract is published whole, checked, and never changed again; a draft can't be published."""

import hashlib
from datetime import datetime

from django.db import transaction

from operations import models
from operations.contracts.loading import document_of, selectable


def publish(recipient: str, *, name: str, text: str, now: datetime) -> models.Contract:
    """Publish a contract's text as the recipient's next version, and the recipient itself if it is new.

    The same text again is the version that is in force. Raises `ContractRefused` with every place that is wrong and
    `Draft` for a contract that rests on invented answers alone; then nothing is written.
    """
    selectable(document_of(text))
    digest = hashlib.sha256(text.encode()).hexdigest()
    with transaction.atomic():
        row, _ = models.Recipient.objects.get_or_create(key=recipient, defaults={"name": name, "created_at": now})
        newest = row.contracts.filter(published_at__isnull=False).order_by("-version").first()
        if newest is not None and newest.digest == digest:
            return newest
        last = row.contracts.order_by("-version").values_list("version", flat=True).first()
        return models.Contract.objects.create(
            recipient=row,
            version=(last or 0) + 1,
            document=text,
            digest=digest,
            created_at=now,
            published_at=now,
        )

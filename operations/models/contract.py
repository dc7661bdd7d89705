"""What a recipient promises, version by version."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models import Q


class Contract(models.Model):
    """One version of a recipient's contract document; once published it can't be changed or removed.

    Before that it is a draft, whose text may be anything; a draft that another version overtook is numbered anew when it
    is published, so that the newest published version is the one with the highest number.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (version, document, digest, published_at)")
    kept_once: ClassVar = (("published_at", "version", "document", "digest"),)

    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="contracts")
    version = models.PositiveIntegerField()
    document = models.TextField(help_text="The document as it was written, in YAML.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of the document in lower-case hexadecimal.")
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["recipient", "version"], name="contract_version_is_used_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="contract_versions_count_from_one"),
        ]
        triggers = [
            pgtrigger.Protect(
                name="published_contract_is_immutable",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Q(old__published_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.recipient_id}, version {self.version}"

"""Decisions to repair our own record."""

import pgtrigger
from django.conf import settings
from django.db import models


class RecordRepair(models.Model):
    """One person's decision, on the receipt or the standing that it stood on; nothing was sent.

    `revision` is the operation's as the person saw it, `standing` the answer of semantics.md as inferred again under
    the lock. What our record says since then is the completion's to say, and on which receipt.
    """

    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="record_repairs")
    completion = models.OneToOneField("operations.Completion", on_delete=models.PROTECT, related_name="repair")
    revision = models.PositiveBigIntegerField()
    standing = models.JSONField()
    remark = models.TextField(blank=True)
    decided_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="record_repairs")

    class Meta:
        default_permissions = ()
        permissions = [("repair_record", "Can repair our record of an operation")]
        constraints = [
            models.UniqueConstraint(fields=["operation", "revision"], name="a_revision_is_decided_on_once"),
        ]
        indexes = [models.Index(fields=["decided_at"], name="record_repaired_when")]
        triggers = [
            pgtrigger.Protect(name="record_repair_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"repair of {self.operation_id}, {self.decided_at:%Y-%m-%d %H:%M}"

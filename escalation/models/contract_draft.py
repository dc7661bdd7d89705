"""Who wrote a contract version, and who published it."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class ContractDraft(models.Model):
    """The people and times behind one contract version that was written at this desk.

    `revision` grows with every saving, so that two people who write at once don't overwrite each other. The text itself
    is the contract's; once it is published neither changes any more.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        "UPDATE (revision, edited_at, edited_by_id, published_at, published_by_id)",
    )
    kept_once: ClassVar = (("published_at", "published_by"),)

    contract = models.OneToOneField("operations.Contract", on_delete=models.PROTECT, related_name="draft")
    begun_from = models.CharField(max_length=200, blank=True, help_text="What its text was taken from.")
    begun_at = models.DateTimeField()
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    revision = models.PositiveIntegerField()
    edited_at = models.DateTimeField()
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(null=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=Q(revision__gte=1), name="draft_revisions_count_from_one"),
            models.CheckConstraint(
                condition=Q(published_at=None, published_by=None)
                | Q(published_at__isnull=False, published_by__isnull=False),
                name="somebody_published_it",
            ),
        ]

    def __str__(self) -> str:
        return f"draft of contract {self.contract_id}, revision {self.revision}"

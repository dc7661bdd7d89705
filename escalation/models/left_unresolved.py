"""Decisions to stop here, outcome unknown."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q


class LeftUnresolved(models.Model):
    """An investigation that one person completed with an unresolved outcome; it changes no fact and sends nothing.

    `fact` is what is missing (operations.core.missing), `told` who was told of it (a name or an address), `look_again_at` when the operation
    comes back to the queue. `evidence`, `finality` and `conflict` (empty: none) are those that the decision stood on:
    when any of them moves, the operation comes back at once. Leaving again adds a row, and the newest holds.
    """

    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="left_unresolved")
    decision = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, related_name="left_unresolved")
    fact = models.CharField(max_length=64)
    told = models.CharField(max_length=300)
    look_again_at = models.DateTimeField()
    remark = models.TextField(blank=True)
    evidence = models.CharField(max_length=16)
    finality = models.CharField(max_length=16)
    conflict = models.CharField(max_length=64, blank=True)
    decided_at = models.DateTimeField()
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="left_unresolved")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(look_again_at__gt=F("decided_at")), name="left_unresolved_is_looked_at_later"
            ),
            models.CheckConstraint(condition=~Q(told=""), name="left_unresolved_tells_somebody"),
            # What is established is not left (semantics.md, Permitted actions).
            models.CheckConstraint(
                condition=~Q(evidence="applied") & ~Q(finality="excluded"), name="left_unresolved_is_not_established"
            ),
        ]
        indexes = [models.Index(fields=["decided_at"], name="left_unresolved_when")]
        triggers = [
            pgtrigger.Protect(name="left_unresolved_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.operation_id} left until {self.look_again_at:%Y-%m-%d %H:%M}"

"""Decisions to authorise a new operation."""

import pgtrigger
from django.db import models
from django.db.models import F, Q


class NewOperation(models.Model):
    """One person's decision that `successor` carries the intent of `operation` (the original); nothing was sent by it.

    Two statements stay apart: `established` is what the recipient established about the original, told from its standing
    under the lock; `authority`, `because` and `reference` are what permits the new one, as the person typed it.
    `preconditions` were checked before: a list of {"what", "by"}. `exception` is the accepted risk that it used up.
    """

    decision = models.OneToOneField(
        "operations.Decision", on_delete=models.PROTECT, primary_key=True, related_name="new_operation"
    )
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="new_operations")
    successor = models.OneToOneField("operations.Operation", on_delete=models.PROTECT, related_name="authorisation")
    established = models.TextField()
    authority = models.CharField(max_length=200)
    because = models.TextField()
    reference = models.CharField(max_length=255)
    preconditions = models.JSONField()
    exception = models.OneToOneField(
        "escalation.BusinessException", on_delete=models.PROTECT, null=True, related_name="new_operation"
    )

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=~Q(established="") & ~Q(authority="") & ~Q(because="") & ~Q(reference=""),
                name="a_new_operation_has_both_statements",
            ),
            models.CheckConstraint(condition=~Q(preconditions=[]), name="a_new_operation_had_its_conditions_checked"),
            models.CheckConstraint(condition=~Q(successor=F("operation")), name="a_new_operation_is_another_one"),
        ]
        triggers = [
            pgtrigger.Protect(name="new_operation_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.successor_id}, new for {self.operation_id}"

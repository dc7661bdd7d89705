"""What our own record says came of an operation."""

from django.db import models
from django.db.models import Q

from operations.models.chain import DIGEST_BYTES, append_only

APPLIED, NO_EFFECT = "applied", "no_effect"


class Completion(models.Model):
    """Our record's word on the outcome, and on which receipt or standing it rests; the newest one holds.

    `applied` needs the observation that is its receipt; `no_effect` rests on a receipt or on a standing that excludes
    any effect. `standing` is the answer of semantics.md as it stood then.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="completions")
    outcome = models.CharField(max_length=16, choices=[(APPLIED, APPLIED), (NO_EFFECT, NO_EFFECT)])
    receipt = models.ForeignKey(
        "operations.Observation", on_delete=models.PROTECT, null=True, related_name="completions"
    )
    effect_ref = models.CharField(max_length=255, blank=True)
    standing = models.JSONField()
    completed_at = models.DateTimeField()
    completed_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(outcome=APPLIED) | Q(receipt__isnull=False), name="applied_rests_on_a_receipt"
            ),
            models.UniqueConstraint(fields=["operation", "position"], name="completion_has_its_place_in_the_chain"),
        ]
        triggers = append_only("completion")

    def __str__(self) -> str:
        return f"{self.outcome}, {self.completed_at:%Y-%m-%d %H:%M}"

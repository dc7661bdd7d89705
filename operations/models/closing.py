"""Another operation that a person had sent to end an operation at its recipient."""

from django.db import models
from django.db.models import F, Q

from operations.models.chain import DIGEST_BYTES, append_only


class Closing(models.Model):
    """That `closing` asks the recipient to end `operation` (the original) for good, by one decision; linked, never merged.

    It is a link of the original's chain and changes nothing of what is known of it. `closing` carries no intent of the
    original; what its answers say of the original are observations of that one. `reference` is the recipient's own to
    the original, by which the request names it, empty where it names it otherwise.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="closings")
    closing = models.OneToOneField("operations.Operation", on_delete=models.PROTECT, related_name="closes")
    decision = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, related_name="closing")
    reference = models.CharField(max_length=255, blank=True)
    named_at = models.DateTimeField()
    named_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "position"], name="closing_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=~Q(closing=F("operation")), name="a_closing_is_another_operation"),
            models.CheckConstraint(condition=~Q(named_by=""), name="a_person_has_it_closed"),
        ]
        triggers = append_only("closing")

    def __str__(self) -> str:
        return f"{self.closing_id} to close {self.operation_id}"

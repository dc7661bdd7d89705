"""The word of every writer that the record is complete."""

from django.db import models

from operations.models.chain import DIGEST_BYTES, append_only


class Seal(models.Model):
    """From here on the writers begin no further attempt without a grant from the desk (semantics.md, the record)."""

    id = models.UUIDField(primary_key=True)
    operation = models.OneToOneField("operations.Operation", on_delete=models.PROTECT, related_name="seal")
    sealed_at = models.DateTimeField()
    sealed_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        triggers = append_only("seal")

    def __str__(self) -> str:
        return f"seal of {self.operation_id}"

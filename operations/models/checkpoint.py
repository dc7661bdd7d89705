"""Which checkpoints of the record were exported off the host."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from operations.models.chain import DIGEST_BYTES, append_only


class Checkpoint(models.Model):
    """One exported file: the heads of every chain at one moment. `digest` is the file's own, as its last line says.

    `previous` is the digest of the checkpoint before it, None for the first. `operations` and `links` are how many it
    covers, `name` is the file's. The row proves nothing by itself: the file, kept elsewhere, does.
    """

    sequence = models.PositiveIntegerField(primary_key=True)
    taken_at = models.DateTimeField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)
    previous = models.BinaryField(max_length=DIGEST_BYTES, null=True)
    operations = models.PositiveBigIntegerField()
    links = models.PositiveBigIntegerField()
    name = models.CharField(max_length=200)

    uncovered: ClassVar = "The files that it names are held against it, and against each other."

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(sequence__gte=1), name="checkpoints_count_from_one"),
            models.CheckConstraint(
                condition=Q(sequence=1, previous=None) | Q(sequence__gt=1, previous__isnull=False),
                name="a_checkpoint_names_the_one_before",
            ),
        ]
        triggers = append_only("checkpoint")

    def __str__(self) -> str:
        return f"checkpoint {self.sequence}, {self.taken_at:%Y-%m-%d %H:%M}"

"""What a contract version makes of an observation."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from operations.core.facts import Correlation
from operations.models.chain import DIGEST_BYTES, append_only


class Reading(models.Model):
    """One claim, read from one observation by one rule of one contract version (semantics.md, Words).

    A corrected contract reads old observations anew and adds rows; the newest version's reading is the one that
    speaks. `counts` and `why_not` are as they were when it was read; inference judges them anew every time.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="readings")
    observation = models.ForeignKey("operations.Observation", on_delete=models.PROTECT, related_name="readings")
    contract = models.ForeignKey("operations.Contract", on_delete=models.PROTECT, related_name="readings")
    rule = models.CharField(max_length=128)
    says = models.CharField(max_length=64)
    because = models.CharField(max_length=500)
    reaches = models.CharField(max_length=32, help_text="The boundary: transport, accepted, handler, effect.")
    as_of = models.DateTimeField()
    attempt = models.CharField(max_length=128, null=True)  # noqa: DJ001  # none is not empty
    correlation = models.CharField(max_length=16, choices=[(word.value, word.value) for word in Correlation])
    authentic = models.BooleanField()
    effect_refs = ArrayField(models.CharField(max_length=255), help_text="All the effects that the answer names.")
    covers_copies = models.BooleanField()
    until = models.DateTimeField(null=True)
    counts = models.BooleanField()
    why_not = models.CharField(max_length=32, null=True)  # noqa: DJ001  # likewise
    read_at = models.DateTimeField()
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["observation", "contract"], name="a_version_reads_an_observation_once"),
            models.UniqueConstraint(fields=["operation", "position"], name="reading_has_its_place_in_the_chain"),
            models.CheckConstraint(
                condition=models.Q(counts=True, why_not=None) | models.Q(counts=False, why_not__isnull=False),
                name="a_reading_counts_or_says_why_not",
            ),
        ]
        indexes = [
            GinIndex(fields=["effect_refs"], name="reading_names_an_effect", condition=~models.Q(effect_refs=[])),
        ]
        triggers = append_only("reading")

    def __str__(self) -> str:
        return f"{self.says} by {self.rule}"

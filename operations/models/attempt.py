"""Decisions to send, recorded before the first byte."""

from django.db import models
from django.db.models import Q

from operations.core.facts import Sends
from operations.models.chain import DIGEST_BYTES, append_only


class Attempt(models.Model):
    """One intent to send, durable before its first byte; it says nothing of what came of it.

    `attempt` is the caller's own id where it gave one: a second registration with it is the same attempt.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="attempts")
    number = models.PositiveIntegerField()
    attempt = models.CharField(max_length=128)
    sends = models.CharField(max_length=4, choices=[(word.value, word.value) for word in Sends])
    scope = models.CharField(max_length=255, blank=True)
    begun_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "number"], name="attempt_numbers_are_used_once"),
            models.UniqueConstraint(fields=["operation", "attempt"], name="attempt_ids_are_used_once"),
            models.UniqueConstraint(fields=["operation", "position"], name="attempt_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=Q(number__gte=1), name="attempts_count_from_one"),
            models.CheckConstraint(condition=~Q(attempt__in=["", "?"]), name="attempt_has_an_id"),
        ]
        triggers = append_only("attempt")

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.operation_id}"

"""What was learnt, exactly as it came."""

from django.db import models
from django.db.models import Q

from operations.models.chain import DIGEST_BYTES, append_only


class Observation(models.Model):
    """One raw thing learnt through one channel; what it means is a reading's to say.

    `event` is the reporter's id for it: the same report again is the same observation. `attempt` is the id of the
    attempt that the report belongs to, on record or not. `payload` is the answer's body, bounded by whoever recorded it
    (`truncated`). `reference` is the recipient's own reference that the question asked by, if it did. `first_seen_at` is
    when the same kept answer was first received, for one that is given again. `source` says who reported it: a key, a
    person, the desk.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="observations")
    event = models.CharField(max_length=128)
    channel = models.CharField(max_length=64)
    attempt = models.CharField(max_length=128, null=True)  # noqa: DJ001  # none is not empty
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(help_text="A list of [name, value].")
    payload = models.BinaryField(null=True)
    truncated = models.BooleanField(default=False)
    fact = models.CharField(max_length=32, blank=True, help_text="A transport fact: not_sent, timeout, reset, ...")
    words = models.TextField(blank=True, help_text="What somebody said; never evidence.")
    source = models.CharField(max_length=200)
    authentic = models.BooleanField()
    reference = models.CharField(max_length=255, blank=True)
    first_seen_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True, help_text="When the question was asked, for a read.")
    received_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "event"], name="observation_events_are_used_once"),
            models.UniqueConstraint(fields=["operation", "position"], name="observation_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=~Q(event=""), name="observation_has_an_event"),
        ]
        triggers = append_only("observation")

    def __str__(self) -> str:
        return f"{self.channel} at {self.received_at:%Y-%m-%d %H:%M:%S}"

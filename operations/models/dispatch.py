"""How far a send has come: the one part of an attempt that changes."""

from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q

PROGRESS: Final = (
    "claimed_by",
    "leased_until",
    "live",
    "resolved_at",
    "connected_at",
    "secured_at",
    "first_byte_written_at",
    "last_byte_written_at",
    "first_byte_read_at",
    "ended_at",
    "ended_as",
    "because",
)


class Dispatch(models.Model):
    """The lease under which this desk sends one attempt, and its progress on the wire (all times are the desk's).

    At most one dispatch of an operation is live; an expired lease leaves an attempt of unknown outcome. `address` and
    `credential` (a reference, never a secret) are what it was authorised for: to others nothing is sent under it.
    `send_by` is the last moment for the first byte. `because` says in a sentence why it ended as it did.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(PROGRESS)})")

    attempt = models.OneToOneField("operations.Attempt", on_delete=models.PROTECT, primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="dispatches")
    address = models.CharField(max_length=500)
    credential = models.CharField(max_length=128)
    send_by = models.DateTimeField()
    claimed_by = models.CharField(max_length=200, blank=True)
    leased_until = models.DateTimeField(null=True)
    live = models.BooleanField(default=True)
    resolved_at = models.DateTimeField(null=True)
    connected_at = models.DateTimeField(null=True)
    secured_at = models.DateTimeField(null=True)
    first_byte_written_at = models.DateTimeField(null=True)
    last_byte_written_at = models.DateTimeField(null=True)
    first_byte_read_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=32, blank=True)
    because = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operation"], condition=Q(live=True), name="one_live_dispatch_an_operation"
            ),
            models.CheckConstraint(
                condition=Q(live=True) ^ Q(ended_at__isnull=False), name="a_dispatch_lives_or_ended"
            ),
            models.CheckConstraint(
                condition=Q(last_byte_written_at=None) | Q(last_byte_written_at__gte=F("first_byte_written_at")),
                name="bytes_are_written_in_order",
            ),
        ]
        indexes = [models.Index(fields=["leased_until"], name="dispatch_live", condition=Q(live=True))]

    def __str__(self) -> str:
        return f"dispatch of {self.attempt_id}"

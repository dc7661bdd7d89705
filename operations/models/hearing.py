"""How much a recipient tells us, so that no flood fills the disk."""

from typing import ClassVar, Final

from django.db import models

HEARD: Final = ("minute_at", "messages", "day_at", "bytes", "refused", "refused_at", "refused_because")


class Hearing(models.Model):
    """What came from one recipient: messages in the minute from `minute_at`, bytes in the day from `day_at`.

    `refused` counts what was not kept, at most once a second; `refused_because` is the last reason. Nothing of what
    was refused is kept.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(HEARD)})")
    uncovered: ClassVar = "It counts what came, so that no flood fills the disk; nothing rests on it."

    recipient = models.OneToOneField(
        "operations.Recipient", on_delete=models.PROTECT, primary_key=True, related_name="hearing"
    )
    minute_at = models.DateTimeField(null=True)
    messages = models.PositiveIntegerField(default=0)
    day_at = models.DateTimeField(null=True)
    bytes = models.PositiveBigIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    refused_at = models.DateTimeField(null=True)
    refused_because = models.CharField(max_length=300, blank=True)

    def __str__(self) -> str:
        return f"hearing of {self.recipient_id}"

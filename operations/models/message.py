"""What a recipient told us by itself, exactly as it came."""

from typing import ClassVar, Final

import pgtrigger
from django.db import models
from django.db.models import Q

# Where a message belongs, and what came of looking for that; the message itself never changes.
FOUND: Final = (
    "operation",
    "linked_at",
    "linked_by",
    "judged_at",
    "looked_at",
    "failure",
    "dismissed_at",
    "dismissed_by",
    "remark",
)
_COLUMNS: Final = tuple(["operation_id" if name == "operation" else name for name in FOUND])


class Message(models.Model):
    """One proven message, stored before anything is made of it; what it means is the reading's of its observation to say.

    `event` is the recipient's id for it where its signature covers that, else the digest of its bytes. `digest` is
    SHA-256 of `payload` in hexadecimal: another message under the same id is another row. `headers` are a list of
    [name, value]: those that its signature covers, the signature, and the type. `verified_by` names the secret.
    Without an operation it is an orphan: `looked_at` is when one was last looked for, `failure` why it could not be
    judged. A dismissed orphan is out of people's sight, and still found by an operation that it names.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(_COLUMNS)})")
    kept_once: ClassVar = (
        ("operation", "linked_at", "linked_by", "judged_at"),
        ("dismissed_at", "dismissed_by", "remark"),
    )

    id = models.UUIDField(primary_key=True)
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="messages")
    contract = models.ForeignKey("operations.Contract", on_delete=models.PROTECT, related_name="+", db_index=False)
    channel = models.CharField(max_length=64)
    event = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    headers = models.JSONField()
    signed = models.JSONField(help_text="The lines among them that the signature covers: a list of [name, value].")
    payload = models.BinaryField()
    verified_by = models.CharField(max_length=150)
    received_at = models.DateTimeField()

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, null=True, related_name="messages", db_index=False
    )
    linked_at = models.DateTimeField(null=True)
    linked_by = models.CharField(max_length=200, blank=True)
    judged_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=300, blank=True)
    dismissed_at = models.DateTimeField(null=True)
    dismissed_by = models.CharField(max_length=200, blank=True)
    remark = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "channel", "event", "digest"], name="a_message_is_stored_once"
            ),
            models.CheckConstraint(
                condition=Q(operation=None, linked_at=None, linked_by="", judged_at=None)
                | Q(operation__isnull=False, linked_at__isnull=False, judged_at__isnull=False) & ~Q(linked_by=""),
                name="what_is_linked_is_judged",
            ),
            models.CheckConstraint(
                condition=Q(dismissed_at=None, dismissed_by="", remark="")
                | Q(dismissed_at__isnull=False) & ~Q(dismissed_by="") & ~Q(remark=""),
                name="somebody_dismisses_with_a_remark",
            ),
            models.CheckConstraint(condition=~Q(event="") & ~Q(verified_by=""), name="a_message_is_proven"),
        ]
        indexes = [
            models.Index(fields=["recipient", "-id"], name="message_orphan", condition=Q(operation=None)),
            models.Index(fields=["looked_at", "id"], name="message_unjudged", condition=Q(operation=None)),
            models.Index(fields=["operation"], name="message_linked", condition=Q(operation__isnull=False)),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="message_stays_as_it_came", exclude=list(FOUND)),
            pgtrigger.Protect(
                name="a_link_stays", operation=pgtrigger.Update, condition=pgtrigger.Q(old__operation__isnull=False)
            ),
            pgtrigger.Protect(name="message_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.event}"

"""What is owed to an agent that waits for it, and when that is looked at next."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q


class Owing(models.Model):
    """One operation of which a result is owed to somebody who waits, `since` when; looked at at `call_at`, None: its case says so.

    It is written with the operation and with each step of a hand-over, in the same transaction, and is no evidence: what
    is owed is read off the rows (operations/reading/owed.py).
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE", "DELETE")
    uncovered: ClassVar = "It is a clock, made anew from what is covered; no evidence."

    operation = models.OneToOneField(
        "operations.Operation", on_delete=models.PROTECT, primary_key=True, related_name="owing"
    )
    since = models.DateTimeField()
    call_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(F("call_at"), name="owing_to_call", condition=Q(call_at__isnull=False))]

    def __str__(self) -> str:
        return f"owed since {self.since:%Y-%m-%d %H:%M}"

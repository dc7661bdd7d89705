"""What the queue orders, narrows and searches by: one narrow row for each operation that waits for a person."""

from typing import ClassVar, Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper

_BY_CLOCK: Final = ("waits_from", "deadline", "window_until", "left_until")


class Waiting(models.Model):
    """One operation that waits for a person, or will by time alone; no row where our record says what is established and no case is open.

    It is written with the operation, in the same transaction, and is no evidence: it can be made anew from the rows that
    are. `rank` is its group of the queue while nothing presses and nobody put it off, `situation` its answer to "Did it
    happen?", `missing` the most telling missing fact (empty: none can be named). It is on its way until `waits_from`, unless something
    runs out within the hour. `act_before` is the earlier of `deadline` and `window_until`, the end of a repeat's
    protection; a window that ended is swept out of it. `case` is its open case with its `owner` and the `reasons` that hold;
    put off until `left_until`. `effect` is what the contract by which it is read calls one of its effects; a team may own that.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE", "DELETE")
    uncovered: ClassVar = "It is what the queue is found by, made anew from what is covered; no evidence."

    operation = models.OneToOneField(
        "operations.Operation", on_delete=models.PROTECT, primary_key=True, related_name="waiting"
    )
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="+", db_index=False)
    number = models.BigIntegerField()
    rank = models.PositiveSmallIntegerField()
    situation = models.CharField(max_length=16)
    missing = models.CharField(max_length=64, blank=True)
    waits_from = models.DateTimeField()
    deadline = models.DateTimeField(null=True)
    window_until = models.DateTimeField(null=True)
    act_before = models.DateTimeField()
    case = models.OneToOneField("escalation.Case", on_delete=models.PROTECT, null=True, related_name="waiting")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    left_until = models.DateTimeField(null=True)
    reasons = ArrayField(models.CharField(max_length=32), default=list)
    effect = models.CharField(max_length=200, blank=True)

    class Meta:
        default_permissions = ()
        # What the clock decides stands in the indexes too, so that rows are counted without being read.
        indexes = [
            models.Index(fields=["rank", "act_before", "number"], name="waiting_in_order", include=[*_BY_CLOCK]),
            models.Index(
                fields=["recipient", "rank", "act_before", "number"],
                name="waiting_at_a_recipient",
                include=[*_BY_CLOCK],
            ),
            models.Index(
                fields=["situation", "act_before", "number"], name="waiting_by_situation", include=[*_BY_CLOCK]
            ),
            models.Index(
                fields=["missing", "act_before", "number"], name="waiting_by_missing_fact", include=[*_BY_CLOCK]
            ),
            models.Index(
                fields=["act_before", "number"],
                name="waiting_for_nobody",
                include=[*_BY_CLOCK],
                condition=Q(owner=None, case__isnull=False),
            ),
            models.Index(
                fields=["act_before", "number"],
                name="waiting_with_a_date",
                condition=Q(act_before__lt="9999-01-01T00:00Z"),
            ),
            models.Index(F("left_until"), F("number"), name="waiting_put_off", condition=Q(left_until__isnull=False)),
            GinIndex(fields=["reasons"], name="waiting_for_a_reason"),
            models.Index(F("window_until"), name="waiting_for_a_window", condition=Q(window_until__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.number} waits"


class Searched(models.Model):
    """The words by which the queue finds an operation that waits: all that it was sent with, references, and notes."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE", "DELETE")
    uncovered: ClassVar = "It is what the queue is found by, made anew from what is covered; no evidence."

    operation = models.OneToOneField(
        "operations.Operation", on_delete=models.PROTECT, primary_key=True, related_name="searched"
    )
    words = models.TextField()

    class Meta:
        default_permissions = ()
        indexes = [GinIndex(OpClass(Upper("words"), name="gin_trgm_ops"), name="searched_words")]

    def __str__(self) -> str:
        return f"the words of {self.operation_id}"

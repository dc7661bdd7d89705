"""What happened to cases, summed by the day, so that no page has to count millions of them again."""

from enum import StrEnum
from typing import ClassVar

from django.db import models


class Figure(StrEnum):
    """What is summed; `key` of a count says which of its parts (docs/overview.md)."""

    TOOK = "took"
    SETTLED = "settled"
    UNKNOWN = "unknown"


class DaySum(models.Model):
    """How often one part of a figure came about at one recipient on one day (UTC). A part that has no row: never.

    It is counted from the cases and can be counted again; a day of which no `SummedDay` stands has none.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE")
    uncovered: ClassVar = "It is counted from cases, which are covered, and can be counted again."

    day = models.DateField()
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="+", db_index=False)
    figure = models.CharField(max_length=16, choices=[(word.value, word.value) for word in Figure])
    key = models.CharField(max_length=32)
    number = models.PositiveBigIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["figure", "day", "recipient", "key"], name="a_part_of_a_day_is_summed_once"
            ),
            models.CheckConstraint(condition=models.Q(number__gt=0), name="a_part_without_any_is_not_kept"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.figure} {self.key} on {self.day}"


class SummedDay(models.Model):
    """That a day (UTC) was summed, at `summed_at`; what is known of its cases may have changed since (`stale`).

    `looked_at`: until when it was looked for such changes, of any day; the newest of all holds.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (summed_at, stale, looked_at)")
    uncovered: ClassVar = "It says when a day was summed; nothing rests on it."

    day = models.DateField(primary_key=True)
    summed_at = models.DateTimeField()
    stale = models.BooleanField(default=False)
    looked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["looked_at"], name="days_looked_at")]

    def __str__(self) -> str:
        return f"{self.day}, summed {self.summed_at:%Y-%m-%d %H:%M}"

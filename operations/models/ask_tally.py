"""How often the desk asked a recipient by itself, and what came of it, hour by hour."""

from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q

TALLIED: Final = ("asks", "answers", "unchanged", "settled")


class AskTally(models.Model):
    """The asks that the desk made by itself at one recipient and that ended in the hour (UTC) from `hour` on.

    Of `asks`, `answers` brought something that was kept, `unchanged` the word that nothing has changed; the others got no
    answer. `settled` of the answers ended the question: the outcome was open before, and established after. It is
    counted in the transaction in which the answers are written, so that none is counted twice or lost.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(TALLIED)})")
    uncovered: ClassVar = "It counts asks; nothing that is known or decided rests on it."

    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="+", db_index=False)
    hour = models.DateTimeField()
    asks = models.PositiveIntegerField(default=0)
    answers = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    settled = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["hour", "recipient"], name="asks_are_tallied_by_the_hour"),
            models.CheckConstraint(
                condition=Q(settled__lte=F("answers"), answers__lte=F("asks") - F("unchanged")),
                name="what_asks_brought_is_no_more_than_they",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.asks} asks in the hour from {self.hour:%Y-%m-%d %H:%M}"

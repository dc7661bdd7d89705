"""What was tried lately: how often somebody tried to sign in, and which codes were used."""

from typing import ClassVar

from django.db import models


class AttemptCount(models.Model):
    """One count, in the shape that Django's database cache keeps; nothing else reads or writes it.

    In PostgreSQL, so that every process counts alike and attempts stay limited while the broker is down.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE", "DELETE")
    uncovered: ClassVar = "It counts what was tried lately, and is forgotten."

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "escalation_attempts"
        default_permissions = ()

    def __str__(self) -> str:
        return f"count until {self.expires:%Y-%m-%d %H:%M}"

"""Rehearsals of contracts, as they came out."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q


class Rehearsal(models.Model):
    """One rehearsal of one contract version, whole or not there at all; `statement` says what it does not show.

    `number` counts a version's rehearsals from one. `digest` is of the document that was rehearsed, which a draft may
    no longer be. `desk` are the desks it was played on, `rows` a history and an action each with the effects counted,
    `summary` the rest (escalation/rehearsing/result.py). `ran_by` is null where it was run from the command line.
    """

    app_may: ClassVar = ("SELECT", "INSERT")

    contract = models.ForeignKey("operations.Contract", on_delete=models.PROTECT, related_name="rehearsals")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    ran_at = models.DateTimeField()
    ran_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="rehearsals")
    passed = models.BooleanField()
    desk = models.JSONField()
    rows = models.JSONField()
    summary = models.JSONField()
    statement = models.TextField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["contract", "number"], name="rehearsal_number_is_used_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="rehearsals_count_from_one"),
            models.CheckConstraint(condition=~Q(statement=""), name="rehearsal_says_what_it_does_not_show"),
        ]
        triggers = [pgtrigger.Protect(name="rehearsal_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"rehearsal {self.number} of contract {self.contract_id}, {self.ran_at:%Y-%m-%d %H:%M}"

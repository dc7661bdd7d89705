"""Decisions to have an original closed at its recipient."""

import pgtrigger
from django.db import models
from django.db.models import F, Q

from escalation.models.protected_repeat import AGENT, DESK


class CloseOriginal(models.Model):
    """One person's decision that `closing` is sent to end `operation` (the original), and who sends it.

    What came of it is other rows' to say. `desk`: this desk sends, as far as the dispatch of `attempt` says. `agent`:
    whoever sent the original may, with `grant`. `takes_back` is what the contract said then of a closing that comes when
    the effect happened already; where it may take that back, the person said that they know it.
    """

    decision = models.OneToOneField(
        "operations.Decision", on_delete=models.PROTECT, primary_key=True, related_name="close_original"
    )
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="close_originals")
    closing = models.OneToOneField("operations.Operation", on_delete=models.PROTECT, related_name="closing_decided")
    executor = models.CharField(max_length=8, choices=[(DESK, DESK), (AGENT, AGENT)])
    takes_back = models.CharField(max_length=16)
    attempt = models.OneToOneField(
        "operations.Attempt", on_delete=models.PROTECT, null=True, related_name="close_original"
    )
    grant = models.OneToOneField("operations.Grant", on_delete=models.PROTECT, null=True, related_name="close_original")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(executor=DESK, attempt__isnull=False, grant=None)
                | Q(executor=AGENT, attempt=None, grant__isnull=False),
                name="a_closing_has_one_executor",
            ),
            models.CheckConstraint(condition=~Q(closing=F("operation")), name="a_closing_request_is_another_operation"),
            models.CheckConstraint(condition=~Q(takes_back=""), name="a_closing_says_what_it_takes_back"),
        ]
        triggers = [
            pgtrigger.Protect(name="close_original_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"closing of {self.operation_id} by the {self.executor}"

"""Decisions to repeat a request under protection."""

import pgtrigger
from django.db import models
from django.db.models import Q

DESK, AGENT = "desk", "agent"


class ProtectedRepeat(models.Model):
    """One person's decision that the same request goes out once more, and who sends it; what came of it is other rows'.

    `desk`: this desk sends, as far as the dispatch of `attempt` says. `agent`: whoever sent before may, with `grant`.
    """

    decision = models.OneToOneField(
        "operations.Decision", on_delete=models.PROTECT, primary_key=True, related_name="protected_repeat"
    )
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="protected_repeats")
    executor = models.CharField(max_length=8, choices=[(DESK, DESK), (AGENT, AGENT)])
    attempt = models.OneToOneField(
        "operations.Attempt", on_delete=models.PROTECT, null=True, related_name="protected_repeat"
    )
    grant = models.OneToOneField(
        "operations.Grant", on_delete=models.PROTECT, null=True, related_name="protected_repeat"
    )

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(executor=DESK, attempt__isnull=False, grant=None)
                | Q(executor=AGENT, attempt=None, grant__isnull=False),
                name="a_repeat_has_one_executor",
            ),
        ]
        triggers = [
            pgtrigger.Protect(name="protected_repeat_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"repeat of {self.operation_id} by the {self.executor}"

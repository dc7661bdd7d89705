"""How fast a recipient is asked, shared by every worker, and whether it is asked at all."""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

PACED: Final = (
    "next_at",
    "held",
    "not_before",
    "not_before_because",
    "answered_at",
    "failures",
    "failed_at",
    "failure",
    "paused_since",
    "paused_because",
    "paused_by",
    "probe_at",
    "probes",
    "changed_by",
    "changed_at",
)


class Pace(models.Model):
    """The limits of one recipient as far as they are used up, and its breaker; whoever changes it has locked the row.

    `next_at` is when the rate allows the next ask (GCRA's theoretical arrival time). `held` are the places at once that
    live leases hold: {lease: [places, until in seconds]}. `not_before` is the recipient's Retry-After. `failures` are
    the asks without an answer since the last answer; the breaker pauses the recipient, then tries one ask at `probe_at`.
    Paused by a person (`paused_by`), it is tried by nobody until a person lets it. `changed_by` and `changed_at`: who
    paused or reset it last.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(PACED)})")
    uncovered: ClassVar = "It says how fast a recipient is asked; nothing that is known or decided rests on it."

    recipient = models.OneToOneField(
        "operations.Recipient", on_delete=models.PROTECT, primary_key=True, related_name="pace"
    )
    next_at = models.DateTimeField(null=True)
    held = models.JSONField(default=dict)
    not_before = models.DateTimeField(null=True)
    not_before_because = models.CharField(max_length=200, blank=True)
    answered_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=300, blank=True)
    paused_since = models.DateTimeField(null=True)
    paused_because = models.CharField(max_length=300, blank=True)
    paused_by = models.CharField(max_length=200, blank=True)
    probe_at = models.DateTimeField(null=True)
    probes = models.PositiveIntegerField(default=0)
    changed_by = models.CharField(max_length=200, blank=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(paused_since=None, paused_because="", paused_by="", probe_at=None)
                | Q(paused_since__isnull=False) & ~Q(paused_because=""),
                name="a_pause_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(paused_since=None)
                | ~Q(paused_by="") & Q(probe_at=None)
                | Q(paused_by="", probe_at__isnull=False),
                name="what_a_person_paused_is_not_tried",
            ),
        ]

    def __str__(self) -> str:
        return f"pace of {self.recipient_id}"

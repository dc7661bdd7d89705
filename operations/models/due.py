"""When the desk asks about an operation next, and from when a person is needed: a schedule, no evidence."""

from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q

from operations.core.schedule import Need, Reason, Timing

PLANNED: Final = (
    "at",
    "channel",
    "why",
    "since",
    "asks_made",
    "asked",
    "failed_at",
    "failure",
    "lease",
    "leased_until",
    "person_at",
    "person_because",
    "call_at",
)


class Due(models.Model):
    """The plan of `core.schedule` for one operation; no row where nothing is left to ask and nobody is needed.

    `at` is None where the desk asks no more, `why` says why. `since` is when the question was opened, `asks_made` are
    the asks since. `asked` holds, by channel, seconds on the desk's clock: {"at": last asked, "not_before": what the
    recipient asked for, "fresh_until": until when a cache may give the last answer again, "cannot": why the question can't be
    put together, "etag": the entity tag of the last answer}. `failure` is the last ask that got no answer,
    in a sentence. `call_at` is when the next reason for a person begins to hold. A lease that lapsed is nobody's: the ask, which changes nothing, is made again.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE", f"UPDATE ({', '.join(PLANNED)})")
    uncovered: ClassVar = "It is a schedule, no evidence; it is planned anew at every write."

    operation = models.OneToOneField(
        "operations.Operation", on_delete=models.PROTECT, primary_key=True, related_name="due"
    )
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="+", db_index=False)
    at = models.DateTimeField(null=True)
    channel = models.CharField(max_length=64, blank=True)
    why = models.CharField(max_length=32, choices=[(word.value, word.value) for word in Timing])
    since = models.DateTimeField()
    asks_made = models.PositiveIntegerField(default=0)
    asked = models.JSONField(default=dict)
    failed_at = models.DateTimeField(null=True)
    failure = models.CharField(max_length=300, blank=True)
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    person_at = models.DateTimeField(null=True)
    person_because = models.CharField(max_length=32, blank=True, choices=[(word.value, word.value) for word in Reason])
    call_at = models.DateTimeField(null=True)

    # Every need of the plan that was just made, soonest first; no column.
    needs: tuple[Need, ...] = ()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(lease=None, leased_until=None) | Q(lease__isnull=False, leased_until__isnull=False),
                name="a_lease_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(at=None, channel="") | Q(at__isnull=False) & ~Q(channel=""),
                name="what_is_due_has_a_channel",
            ),
            models.CheckConstraint(
                condition=Q(person_at=None, person_because="") | Q(person_at__isnull=False) & ~Q(person_because=""),
                name="a_person_is_needed_for_a_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["recipient", "at"], name="due_free", condition=Q(lease=None, at__isnull=False)),
            models.Index(F("leased_until"), name="due_leased", condition=Q(lease__isnull=False)),
            models.Index(F("call_at"), name="due_to_call", condition=Q(call_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.operation_id}, due {self.at}"

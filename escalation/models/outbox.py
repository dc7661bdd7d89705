"""The outbox: what each program is told, when it is due, and every try. The database writes what is to be told.

A trigger on the row that changed adds it, in the very transaction of the change and only where a subscription asks for
it (migration 0026): whoever writes can't forget it, and pays one statement of the database for it, or none.
"""

from typing import ClassVar, Final
from uuid import uuid4

from django.db import models
from django.db.models import F, Q

from escalation.models.subscription import EVENT_KINDS, Subscription
from operations.core.worded import Worded

TEST: Final = "subscription.test"
KINDS: Final = (*EVENT_KINDS, TEST)
# What becomes of an event; what it is about never changes.
TOLD: Final = ("body", "tries", "ended_at", "ended_as")
_UNCOVERED: Final = "It tells programs what stands elsewhere, and is removed after a while."


class Over(Worded):
    """What became of an event."""

    TAKEN = "taken", "Taken"
    GIVEN_UP = "given_up", "Given up"
    STOPPED = "stopped", "Stopped: the subscription ended"


class End(Worded):
    """How one try ended."""

    TAKEN = "taken", "Taken"
    NOT_SENT = "not_sent", "Not sent"
    NO_ANSWER = "no_answer", "No answer"
    REFUSED = "refused", "Refused"


class OutboxEvent(models.Model):
    """One event for one program, under the `key` that it knows it by; its `id` orders the events of an operation.

    `cause` tells one cause from another, so that it is told once. `about` is what the cause was, by row ids. `body` is the
    message, written when it is first sent and the same from then on.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE", f"UPDATE ({', '.join(TOLD)})")
    uncovered: ClassVar = _UNCOVERED

    key = models.UUIDField(unique=True, default=uuid4, editable=False)
    subscription = models.ForeignKey(Subscription, on_delete=models.PROTECT, db_index=False, related_name="events_told")
    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    recipient = models.ForeignKey(
        "operations.Recipient", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    kind = models.CharField(max_length=32, choices=[(one, one) for one in KINDS])
    cause = models.CharField(max_length=200)
    about = models.JSONField()
    made_at = models.DateTimeField()
    body = models.TextField(blank=True)
    tries = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=16, blank=True, choices=[(one.value, one.value) for one in Over])

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["subscription", "operation", "cause"], name="a_cause_is_told_once"),
            models.CheckConstraint(
                condition=Q(operation=None, recipient=None, kind=TEST)
                | Q(operation__isnull=False, recipient__isnull=False) & ~Q(kind=TEST),
                name="an_event_is_of_an_operation",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_as="") | Q(ended_at__isnull=False) & ~Q(ended_as=""),
                name="an_event_ends_in_some_way",
            ),
        ]
        indexes = [
            models.Index(fields=["subscription", "-id"], name="outbox_of_a_subscription"),
            models.Index(fields=["ended_at"], name="outbox_ended", condition=Q(ended_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class OutboxDue(models.Model):
    """That an event is still to be told, from `at` on; gone once it is over. A lease that lapsed is nobody's.

    It was tried `tries` times `since` it was first due; `again`: a person had it sent once more.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE", "UPDATE (at, tries, lease, leased_until)")
    uncovered: ClassVar = _UNCOVERED

    event = models.OneToOneField(OutboxEvent, on_delete=models.PROTECT, primary_key=True, related_name="due")
    subscription = models.ForeignKey(Subscription, on_delete=models.PROTECT, db_index=False, related_name="+")
    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    at = models.DateTimeField()
    since = models.DateTimeField()
    again = models.BooleanField(default=False)
    tries = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(lease=None, leased_until=None) | Q(lease__isnull=False, leased_until__isnull=False),
                name="a_lease_of_an_event_lapses",
            ),
        ]
        indexes = [
            models.Index(fields=["subscription", "at"], name="outbox_due"),
            models.Index(fields=["subscription", "operation", "event"], name="outbox_in_order"),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} at {self.at:%Y-%m-%d %H:%M:%S}"


class OutboxTry(models.Model):
    """One try to tell a program, on record before its first byte; `said` is the beginning of what it answered."""

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE", "UPDATE (ended_at, ended_as, status, detail, said)")
    uncovered: ClassVar = _UNCOVERED

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    event = models.ForeignKey(OutboxEvent, on_delete=models.PROTECT, related_name="attempts")
    nth = models.PositiveIntegerField()
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=16, blank=True, choices=[(one.value, one.value) for one in End])
    status = models.PositiveSmallIntegerField(null=True)
    detail = models.CharField(max_length=300, blank=True)
    said = models.CharField(max_length=300, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["event", "nth"], name="tries_of_an_event_are_counted"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_as="")
                | Q(ended_at__isnull=False, ended_at__gte=F("begun_at")) & ~Q(ended_as=""),
                name="a_try_ends_in_some_way",
            ),
        ]
        indexes = [models.Index(fields=["begun_at"], name="tries_under_way", condition=Q(ended_at=None))]

    def __str__(self) -> str:
        return f"try {self.nth} of {self.event_id}"

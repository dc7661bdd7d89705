"""Programs that are told of events: where, of what, signed with which keys; and every change of that."""

from enum import StrEnum
from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from escalation.models.kept import ENDED, Made, ended, kept, stays
from operations.core.worded import Worded

# How a subscription goes; what it is, never changes.
GOING: Final = ("paused_at", "paused_by", "gone_at", "failures", "failing_since", "rests_until")
# Two keys sign at once while the receiver changes theirs; no more.
SLOTS: Final = (1, 2)


class EventKind(Worded):
    """What a program is told of; the sentence is how it goes on after "Told when"."""

    STANDING_CHANGED = "operation.standing_changed", "what is known of an operation changed"
    NEEDS_PERSON = "operation.needs_person", "an operation needs a person, or needs one for one more reason"
    DECIDED = "operation.decided", "a person decided about an operation"
    RESULT_OWED = "operation.result_owed", "a result is owed to the agent that asked for it"


EVENT_KINDS: Final = {one.value: one for one in EventKind}


class Subscription(Made):
    """One program: it is told at `address` of these `events` of these `recipients` (row ids; None: every one).

    `paused_at`: nothing is sent until somebody lets it go on. `gone_at`: it answered 410, and is told nothing more.
    `failures` are the tries in a row that failed, since `failing_since`; from a number of them on it rests until a time.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        "UPDATE (ended_at, ended_by_id, paused_at, paused_by_id, gone_at, failures, failing_since, rests_until)",
    )

    name = models.CharField(max_length=80)
    address = models.CharField(max_length=500)
    events = ArrayField(models.CharField(max_length=32))
    recipients = ArrayField(models.BigIntegerField(), null=True)
    paused_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    gone_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    rests_until = models.DateTimeField(null=True)

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(ended_at=None), name="a_subscription_has_its_name"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(address=""), name="a_subscription_says_whom_and_where"),
            models.CheckConstraint(condition=Q(events__len__gt=0), name="a_subscription_is_of_something"),
            models.CheckConstraint(
                condition=Q(paused_at=None, paused_by=None) | Q(paused_at__isnull=False, paused_by__isnull=False),
                name="somebody_pauses_a_subscription",
            ),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since=None, rests_until=None)
                | Q(failures__gt=0, failing_since__isnull=False),
                name="a_subscription_fails_since",
            ),
            ended("a_subscription"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="subscription_stays_as_made", exclude=[*ENDED, *GOING]),
            pgtrigger.Protect(
                name="subscription_ends_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__ended_at__isnull=False),
            ),
            pgtrigger.Protect(name="subscription_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return self.name


class SubscriptionKey(Made):
    """One key that messages to a program are signed with, by the name under which the settings hold it."""

    subscription = models.ForeignKey(Subscription, on_delete=models.PROTECT, related_name="keys")
    name = models.CharField(max_length=64)
    slot = models.PositiveSmallIntegerField()

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "slot"], condition=Q(ended_at=None), name="two_keys_sign_at_once"
            ),
            models.UniqueConstraint(
                fields=["subscription", "name"], condition=Q(ended_at=None), name="a_key_signs_once"
            ),
            models.CheckConstraint(condition=Q(slot__in=SLOTS), name="a_key_is_one_of_two"),
            ended("a_subscription_key"),
        ]
        triggers = kept("subscription_key")

    def __str__(self) -> str:
        return self.name


class SubscriptionAct(StrEnum):
    """One thing that is done to a subscription; the words are those of the record."""

    MADE = "subscription_made"
    ENDED = "subscription_ended"
    PAUSED = "subscription_paused"
    RESUMED = "subscription_resumed"
    KEY_ADDED = "subscription_key_added"
    KEY_ENDED = "subscription_key_ended"
    TESTED = "subscription_tested"
    SENT_AGAIN = "subscription_sent_again"
    GONE = "subscription_gone"


class SubscriptionChange(models.Model):
    """One change of a subscription; `said` tells it. Without `by` the desk did it. It is added and never changed."""

    act = models.CharField(max_length=32)
    subscription = models.ForeignKey(Subscription, on_delete=models.PROTECT, related_name="changes")
    said = models.TextField(blank=True)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        default_permissions = ()
        triggers = stays("subscription_change")

    def __str__(self) -> str:
        return f"{self.act} of {self.subscription_id}"

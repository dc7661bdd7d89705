"""Cases: that an operation needs a person, why, who looks after it, and until when it may wait."""

from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from operations.core.schedule import Reason
from operations.core.worded import Worded

# What becomes of a case; what it is of, and since when, never changes.
MOVING: Final = (
    "closed_at",
    "owner",
    "owned_since",
    "acknowledged_until",
    "snoozed_until",
    "snoozed_standing",
    "round",
    "step",
    "next_call_at",
    "chain",
    "revision",
)
_LINKS: Final = {"owner", "chain"}


class CaseReason(Worded):
    """Why an operation needs a person; each stands with its own date, and the case lasts while any holds."""

    CONFLICT = Reason.CONFLICT.value, Reason.CONFLICT.sentence
    NO_POLLABLE_CHANNEL = Reason.NO_POLLABLE_CHANNEL.value, Reason.NO_POLLABLE_CHANNEL.sentence
    POLLS_EXHAUSTED = Reason.POLLS_EXHAUSTED.value, Reason.POLLS_EXHAUSTED.sentence
    RETRY_AFTER_TOO_LATE = Reason.RETRY_AFTER_TOO_LATE.value, Reason.RETRY_AFTER_TOO_LATE.sentence
    PROTECTION_ENDS = Reason.PROTECTION_ENDS.value, Reason.PROTECTION_ENDS.sentence
    DEADLINE = Reason.DEADLINE.value, Reason.DEADLINE.sentence
    PENDING_TOO_LONG = Reason.PENDING_TOO_LONG.value, Reason.PENDING_TOO_LONG.sentence
    UNKNOWN_TOO_LONG = Reason.UNKNOWN_TOO_LONG.value, Reason.UNKNOWN_TOO_LONG.sentence
    AGENT_ASKS = "agent_asks", "An agent asked for a person to look at it."
    RISK_REVIEW = "risk_review", "The day has come to look back at a risk that was accepted."
    LEFT_UNRESOLVED = "left_unresolved", "A person left the outcome unknown, to be looked at again."
    RESULT_OWED = "result_owed", "Its result is owed to an agent that waits, and nothing shows that it arrived."


BY_WORD: Final = {one.value: one for one in CaseReason}


class Act(Worded):
    """One thing that befell a case, as its history tells it."""

    OPENED = "opened", "Opened"
    OPENED_AGAIN = "opened_again", "Opened again"
    REASON = "reason", "One more reason"
    REASON_ENDED = "reason_ended", "A reason ended"
    CLOSED = "closed", "Closed: nothing is open any more"
    WOKEN = "woken", "Woken"
    TAKEN = "taken", "Taken"
    TAKEN_OVER = "taken_over", "Taken over"
    GIVEN_BACK = "given_back", "Given back"
    HANDED_OVER = "handed_over", "Handed over"
    ACKNOWLEDGED = "acknowledged", "Acknowledged"
    SNOOZED = "snoozed", "Put off"
    NOTED = "noted", "Note"
    PASSED_OVER = "passed_over", "Passed over"


class Case(models.Model):
    """That one operation needs a person, from `opened_at` until nothing is open any more; one open case an operation.

    It is opened and closed by what is known, in the transaction in which that changes, and by nobody's hand. `nth` counts
    the cases of the operation. `owner` looks after it. `acknowledged_until`: until then somebody has seen it. While it is
    snoozed it waits until a time, or until the standing is no longer `snoozed_standing`. At `next_call_at` its `step` is
    called in this `round` (0: whoever looks after it, before the chain's first); `chain` is that by which the round goes.
    While it is open there is always a next call. `revision` grows with every change that a reader could see.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        f"UPDATE ({', '.join([f'{name}_id' if name in _LINKS else name for name in MOVING])})",
    )
    kept_once: ClassVar = (("closed_at",),)

    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="cases")
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="+")
    nth = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="cases")
    owned_since = models.DateTimeField(null=True)
    acknowledged_until = models.DateTimeField(null=True)
    snoozed_until = models.DateTimeField(null=True)
    snoozed_standing = models.CharField(max_length=120, blank=True)
    round = models.PositiveIntegerField(default=1)
    step = models.PositiveSmallIntegerField(default=0)
    next_call_at = models.DateTimeField(null=True)
    chain = models.ForeignKey("escalation.Chain", on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["operation"], condition=Q(closed_at=None), name="one_open_case_an_operation"
            ),
            models.UniqueConstraint(fields=["operation", "nth"], name="cases_of_an_operation_are_counted"),
            models.CheckConstraint(
                condition=Q(owner=None, owned_since=None) | Q(owner__isnull=False, owned_since__isnull=False),
                name="an_owner_has_a_since",
            ),
            models.CheckConstraint(
                condition=Q(snoozed_until=None, snoozed_standing="")
                | Q(snoozed_until__isnull=False) & ~Q(snoozed_standing=""),
                name="a_snooze_knows_its_standing",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=False) | Q(next_call_at__isnull=False),
                name="an_open_case_has_a_next_call",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(closed_at__gte=F("opened_at")), name="a_case_ends_after_it_begins"
            ),
        ]
        indexes = [
            models.Index(
                F("snoozed_until"), name="case_to_wake", condition=Q(closed_at=None, snoozed_until__isnull=False)
            ),
            models.Index(F("next_call_at"), name="case_to_call", condition=Q(closed_at=None)),
            models.Index(fields=["owner", "opened_at"], name="case_open_of_owner", condition=Q(closed_at=None)),
            models.Index(fields=["recipient", "opened_at"], name="case_open_of_recipient", condition=Q(closed_at=None)),
            models.Index(F("closed_at"), name="case_ended", condition=Q(closed_at__isnull=False)),
            models.Index(fields=["opened_at"], name="case_begun"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="case_is_of_what_it_is_of", exclude=[*MOVING]),
            pgtrigger.Protect(name="case_is_kept", operation=pgtrigger.Delete),
            # Whoever was called is told that nobody is needed any more (escalation/notify/gathering.py).
            pgtrigger.Trigger(
                name="case_end_is_to_be_told",
                when=pgtrigger.After,
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__closed_at__isnull=True, new__closed_at__isnull=False),
                func="INSERT INTO escalation_totell (closed_id) VALUES (NEW.id); RETURN NULL;",
            ),
            # However a case is moved, its row of the queue goes with it (escalation.models.waiting).
            pgtrigger.Trigger(
                name="queue_follows_case",
                operation=pgtrigger.UpdateOf("owner_id", "snoozed_until", "closed_at"),  # type: ignore[no-untyped-call]  # theirs
                when=pgtrigger.After,
                func="""
                    UPDATE escalation_waiting SET
                        case_id = CASE WHEN NEW.closed_at IS NULL THEN NEW.id END,
                        owner_id = CASE WHEN NEW.closed_at IS NULL THEN NEW.owner_id END,
                        left_until = CASE WHEN NEW.closed_at IS NULL THEN NEW.snoozed_until END
                    WHERE operation_id = NEW.operation_id;
                    RETURN NULL;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"case {self.nth} of {self.operation_id}"


class ReasonHeld(models.Model):
    """One reason of a case, from when it holds to when it ended; a reason that comes back is another row."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at)")
    kept_once: ClassVar = (("ended_at",),)

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="reasons")
    reason = models.CharField(max_length=32, choices=[(word.value, word.value) for word in CaseReason])
    since = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["case", "reason"], condition=Q(ended_at=None), name="a_reason_holds_once"),
        ]
        indexes = [models.Index(fields=["reason", "since"], name="reason_since")]
        triggers = [
            pgtrigger.ReadOnly(name="reason_stays_as_it_was", exclude=["ended_at"]),
            pgtrigger.Protect(name="reason_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.reason} since {self.since:%Y-%m-%d %H:%M}"


class CaseAct(models.Model):
    """One line of a case's history: what, when, by whom (none: the desk), to whom, and in whose words. Never evidence."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="acts")
    act = models.CharField(max_length=16, choices=[(word.value, word.value) for word in Act])
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    to = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=32, blank=True, choices=[(word.value, word.value) for word in CaseReason])
    until = models.DateTimeField(null=True)
    note = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["case", "id"], name="acts_of_a_case")]
        triggers = [
            pgtrigger.Protect(name="case_history_is_append_only", operation=pgtrigger.Update | pgtrigger.Delete),
            # A note that somebody wrote is found by the queue's search at once.
            pgtrigger.Trigger(
                name="queue_finds_note",
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                condition=pgtrigger.Condition("NEW.note <> '' AND NEW.by_id IS NOT NULL"),
                func="""
                    UPDATE escalation_searched SET words = words || E'\\n' || NEW.note
                    WHERE operation_id = (SELECT operation_id FROM escalation_case WHERE id = NEW.case_id);
                    RETURN NULL;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} at {self.at:%Y-%m-%d %H:%M}"

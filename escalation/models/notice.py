"""Notices: what is still to be told to whom, and every message that went out or was about to."""

from typing import ClassVar, Final
from uuid import uuid4

import pgtrigger
from django.db import models
from django.db.models import F, Q

from escalation.models.call import Call
from escalation.models.case import Case
from escalation.models.notice_address import NoticeAddress
from operations.core.worded import Worded

# What becomes of what is told; what it tells, and to whom, never changes.
TELLING: Final = ("due_at", "waits_for", "tries", "notice", "again", "ended_as", "ended_at")
ENDED: Final = ("ended_at", "ended_as", "detail")


class Kind(Worded):
    """What a notice is for."""

    CALL = "call", "Somebody is called"
    SETTLED = "settled", "Nobody is needed any more"
    TEST = "test", "Test"
    CONFIRM = "confirm", "To confirm an address"


KINDS: Final = {one.value: one for one in Kind}


class End(Worded):
    """How one send of a notice ended."""

    TAKEN = "taken", "Taken"
    NOT_SENT = "not_sent", "Not sent"
    REFUSED = "refused", "Refused"
    MAY_HAVE_ARRIVED = "may_have_arrived", "May have arrived"


class Over(Worded):
    """Why nothing is told there any more: how its notice ended, or that there is none."""

    TAKEN = "taken", "Taken"
    REFUSED = "refused", "Refused"
    MAY_HAVE_ARRIVED = "may_have_arrived", "May have arrived"
    GIVEN_UP = "given_up", "Given up"
    NOT_NEEDED = "not_needed", "Not needed any more"
    NO_ADDRESS = "no_address", "No address is known"
    NOT_CONFIRMED = "not_confirmed", "The address is not confirmed"
    MAY_NOT_READ = "may_not_read", "They may not read this recipient"


class Waits(Worded):
    """What something waits for that is told later."""

    QUIET = "quiet", "the end of quiet hours"
    AGAIN = "again", "the next try"
    OUTAGE = "outage", "the next try; the receiver's server can't be reached"
    MORE = "more", "what else comes, to be told in one"


class ToTell(models.Model):
    """A call that nobody was told of yet, or a case that closed; written by the very statement that calls or closes."""

    app_may: ClassVar = ("SELECT", "INSERT", "DELETE")
    uncovered: ClassVar = "It is gone as soon as somebody is to be told; what they are told stays."

    call = models.ForeignKey(Call, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    closed = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(call=None, closed__isnull=False) | Q(call__isnull=False, closed=None),
                name="a_call_or_a_closed_case_is_told",
            )
        ]

    def __str__(self) -> str:
        return f"call {self.call_id}" if self.closed_id is None else f"case {self.closed_id} closed"


class Notice(models.Model):
    """One message to one address, durable before its first byte; sent once, and never resent by whatever lies below.

    `told` is the same for every send of the same message. `count`: how many operations it is about.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(ENDED)})")
    kept_once: ClassVar = (ENDED,)

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    told = models.UUIDField()
    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in Kind])
    address = models.ForeignKey(NoticeAddress, on_delete=models.PROTECT, related_name="notices")
    recipient = models.ForeignKey(
        "operations.Recipient", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    subject = models.CharField(max_length=300)
    count = models.PositiveIntegerField()
    anyway = models.BooleanField(default=False)
    begun_at = models.DateTimeField()
    leased_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_as = models.CharField(max_length=20, blank=True, choices=[(end.value, end.value) for end in End])
    detail = models.CharField(max_length=300, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_as="", detail="")
                | Q(ended_at__isnull=False, ended_at__gte=F("begun_at")) & ~Q(ended_as=""),
                name="a_notice_ends_in_some_way",
            ),
        ]
        indexes = [
            models.Index(fields=["-begun_at", "-id"], name="notices_as_they_went"),
            models.Index(fields=["leased_until"], name="notices_under_way", condition=Q(ended_at=None)),
            models.Index(fields=["address", "recipient", "-begun_at"], name="notices_to_an_address"),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="notice_stays_as_begun", exclude=list(ENDED)),
            pgtrigger.Protect(
                name="notice_ends_once", operation=pgtrigger.Update, condition=pgtrigger.Q(old__ended_at__isnull=False)
            ),
            pgtrigger.Protect(name="notice_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.address_id}"


class Telling(models.Model):
    """That one call, one closed case, one test or one link to confirm by is told at one address, once.

    While `due_at` is given it waits until then; while neither it nor `ended_as` is, `notice` is on its way. `again` is what the
    receiver may know already, and is only told in the same words under the same id.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        f"UPDATE ({', '.join([f'{name}_id' if name == 'notice' else name for name in TELLING])})",
    )
    kept_once: ClassVar = (("ended_as", "ended_at"),)

    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in Kind])
    case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, related_name="tellings")
    call = models.ForeignKey(Call, on_delete=models.PROTECT, null=True, db_index=False, related_name="tellings")
    address = models.ForeignKey(NoticeAddress, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    made_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)
    waits_for = models.CharField(max_length=8, blank=True, choices=[(one.value, one.value) for one in Waits])
    tries = models.PositiveIntegerField(default=0)
    notice = models.ForeignKey(Notice, on_delete=models.PROTECT, null=True, related_name="tellings")
    again = models.UUIDField(null=True)
    ended_as = models.CharField(max_length=20, blank=True, choices=[(over.value, over.value) for over in Over])
    ended_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["call", "address"],
                nulls_distinct=False,
                condition=Q(kind="call"),
                name="a_call_is_told_once_at_an_address",
            ),
            models.UniqueConstraint(
                fields=["case", "address"], condition=Q(kind="settled"), name="a_case_is_settled_once_at_an_address"
            ),
            models.UniqueConstraint(
                fields=["address"], condition=Q(kind="test", ended_as=""), name="an_address_is_tested_once_at_a_time"
            ),
            models.UniqueConstraint(
                fields=["address"], condition=Q(kind="confirm", ended_as=""), name="an_address_is_asked_once_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(kind="call", case__isnull=False, call__isnull=False)
                | Q(kind="settled", case__isnull=False, call=None, address__isnull=False)
                | Q(kind__in=["test", "confirm"], case=None, call=None, address__isnull=False),
                name="what_is_told_is_of_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(ended_as="", ended_at=None) | Q(ended_at__isnull=False, due_at=None) & ~Q(ended_as=""),
                name="what_is_over_waits_for_nothing",
            ),
            models.CheckConstraint(
                condition=~Q(ended_as="", due_at=None) | Q(notice__isnull=False),
                name="what_is_told_waits_or_is_on_its_way",
            ),
        ]
        indexes = [
            models.Index(fields=["address", "due_at"], name="tellings_due", condition=Q(due_at__isnull=False)),
            models.Index(fields=["due_at"], name="tellings_waiting", condition=Q(due_at__isnull=False)),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="telling_stays_as_made", exclude=list(TELLING)),
            pgtrigger.Protect(
                name="telling_ends_once", operation=pgtrigger.Update, condition=~pgtrigger.Q(old__ended_as="")
            ),
            pgtrigger.Protect(name="telling_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.address_id}"

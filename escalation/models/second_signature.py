"""What one person proposed at a door that takes two people, and what became of it; nothing is decided by it."""

from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, Value, When

from escalation.models.money import CURRENCY, DIGITS, PLACES, Money
from operations.core.worded import Worded

# What becomes of it; what was proposed never changes.
_BECAME: Final = ("ended_as", "ended_at", "ended_by", "signature", "reason")
_LINKS: Final = {"ended_by", "signature"}


class State(Worded):
    """Where it stands at one moment; `waiting` and `lapsed` are derived, the others are how it ended."""

    WAITING = "waiting", "Waits for a second signature"
    SIGNED = "signed", "Signed"
    DECLINED = "declined", "Declined"
    WITHDRAWN = "withdrawn", "Taken back"
    LAPSED = "lapsed", "Ran out, never signed"


# Rows with what is annotated to them, which the type checker does not follow.
Annotated: TypeAlias = models.QuerySet[Any]


class SecondSignatures(models.QuerySet["SecondSignature"]):
    """Questions about what waits for a second signature."""

    def with_state(self, now: datetime) -> Annotated:
        """Annotate each with its `state` at `now`: how it ended, else whether its time ran out."""
        state = Case(
            When(~Q(ended_as=""), then=F("ended_as")),
            When(lapses_at__lte=now, then=Value(State.LAPSED.value)),
            default=Value(State.WAITING.value),
            output_field=models.CharField(),
        )
        return self.annotate(state=state)

    def waiting(self, now: datetime) -> Annotated:
        """Return those that somebody may still sign at `now`, as far as they say so themselves."""
        return self.with_state(now).filter(ended_as="", lapses_at__gt=now)


class SecondSignature(models.Model):
    """A decision as one person proposed it, for another to sign: it decides nothing, sends nothing and blocks nothing.

    `door` and `action` are those of the decision, `may` is what both people must be allowed (policy). `typed` is the
    door's form as it was sent, `content` what the door would have decided by it then, with the digest of whatever is to
    be sent; `revision` and `standing` are those it was proposed on, and `position` is the place in the operation's chain
    that the decision would have taken. `amount` is what is at stake, None where the contract does not say. `proved` is how and when who proposed it had proved who they are. `once` is the form's: the same form sent twice proposes once. Signed, it is used up by the
    decision `signature`; the person who signs is another one, by a constraint of the table.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        f"UPDATE ({', '.join([f'{name}_id' if name in _LINKS else name for name in _BECAME])})",
    )
    kept_once: ClassVar = (_BECAME,)

    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="second_signatures")
    door = models.CharField(max_length=32)
    may = models.CharField(max_length=32)
    action = models.CharField(max_length=32)
    once = models.UUIDField()
    typed = models.JSONField()
    content = models.JSONField()
    revision = models.PositiveBigIntegerField()
    position = models.PositiveIntegerField()
    standing = models.JSONField()
    amount = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES, null=True)
    currency = models.CharField(max_length=3, blank=True)
    proposed_at = models.DateTimeField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    proved = models.JSONField(null=True)
    lapses_at = models.DateTimeField()

    ended_as = models.CharField(max_length=16, blank=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    signature = models.OneToOneField(
        "operations.Decision", on_delete=models.PROTECT, null=True, related_name="second_signature"
    )
    reason = models.TextField(blank=True)

    objects = SecondSignatures.as_manager()

    class Meta:
        default_permissions = ()
        # A CHECK that is unknown passes: whatever may be null is asked for by name.
        constraints = [
            models.UniqueConstraint(fields=["operation", "once"], name="a_form_proposes_once"),
            models.CheckConstraint(condition=Q(lapses_at__gt=F("proposed_at")), name="a_second_signature_has_its_time"),
            models.CheckConstraint(
                condition=Q(amount=None, currency="")
                | Q(amount__isnull=False, amount__gte=0, currency__regex=CURRENCY),
                name="a_stake_is_an_amount_of_a_currency",
            ),
            models.CheckConstraint(
                condition=Q(ended_as="", ended_at=None, ended_by=None, signature=None, reason="")
                | Q(ended_as__in=[State.SIGNED.value, State.DECLINED.value, State.WITHDRAWN.value])
                & Q(ended_at__isnull=False, ended_by__isnull=False),
                name="a_second_signature_is_ended_by_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(ended_as__in=[State.SIGNED.value, State.DECLINED.value]) | ~Q(ended_by=F("proposed_by")),
                name="another_person_signs_or_declines",
            ),
            models.CheckConstraint(
                condition=~Q(ended_as=State.WITHDRAWN.value) | Q(ended_by=F("proposed_by")),
                name="who_proposed_takes_it_back",
            ),
            models.CheckConstraint(
                condition=Q(ended_as=State.SIGNED.value, signature__isnull=False, ended_at__lt=F("lapses_at"))
                | ~Q(ended_as=State.SIGNED.value) & Q(signature=None),
                name="what_is_signed_in_time_is_decided",
            ),
            models.CheckConstraint(
                condition=~Q(ended_as=State.DECLINED.value) | ~Q(reason=""), name="who_declines_says_why"
            ),
        ]
        indexes = [
            models.Index(fields=["operation", "-id"], name="signatures_of_operation"),
            models.Index(fields=["-id"], name="signature_waits", condition=Q(ended_as="")),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="second_signature_stays_as_proposed", exclude=list(_BECAME)),
            pgtrigger.Protect(
                name="a_second_signature_ends_once",
                operation=pgtrigger.Update,
                condition=~pgtrigger.Q(old__ended_as=""),
            ),
            pgtrigger.Protect(name="second_signature_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.door} of {self.operation_id}, for a second signature"

    @property
    def money(self) -> Money | None:
        """What is at stake; None where the contract does not say."""
        return None if self.amount is None else Money(self.amount, self.currency)

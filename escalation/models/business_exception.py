"""Risks that people accepted, or asked another person to accept."""

from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Value, When

from escalation.models.money import CURRENCY, DIGITS, PLACES, Money
from operations.core.worded import Worded

# What becomes of a proposal; what was proposed never changes.
JUDGED: Final = ("approved_at", "approved_by", "declined_at", "declined_by", "judgement", "remark")
USED: Final = ("used_at", "used_by", "successor")
_LINKS: Final = {"approved_by", "declined_by", "judgement", "used_by", "successor"}


def _columns(fields: tuple[str, ...]) -> list[str]:
    return [f"{name}_id" if name in _LINKS else name for name in fields]


class Excuses(Worded):
    """What an accepted risk is an excuse for."""

    SECOND_OPERATION = "second_operation", "A second operation is created, once."
    STOPPING = "stopping", "We stop here, and nothing more is sent."


class Loss(Worded):
    """What would have to turn out for the risk to have come true."""

    TWICE = "twice", "that it happens twice"
    MISSING = "missing", "that it never happened"
    HAPPENED = "happened", "that it happened, or still will"


class State(Worded):
    """Where an exception stands at one moment; it is derived, never stored."""

    WAITING = "waiting", "Waits for a second person"
    REPLACED = "replaced", "Replaced by a newer proposal"
    LAPSED = "lapsed", "Expired, never approved"
    DECLINED = "declined", "Declined"
    USABLE = "usable", "Approved, not used yet"
    EXPIRED = "expired", "Expired, never used"
    USED = "used", "Taken"


def _differs(fields: tuple[str, ...]) -> str:
    sides = [", ".join([f"{side}.{column}" for column in _columns(fields)]) for side in ("OLD", "NEW")]
    return f"({sides[0]}) IS DISTINCT FROM ({sides[1]})"


# Rows with what is annotated to them, which the type checker does not follow.
Annotated: TypeAlias = models.QuerySet[Any]


class BusinessExceptions(models.QuerySet["BusinessException"]):
    """Questions about accepted risks."""

    def with_state(self, now: datetime) -> Annotated:
        """Annotate each with its `state` at `now`: the first of these that holds."""
        newer = BusinessException.objects.filter(operation=OuterRef("operation"), id__gt=OuterRef("id"))
        state = Case(
            When(declined_at__isnull=False, then=Value(State.DECLINED.value)),
            When(used_at__isnull=False, then=Value(State.USED.value)),
            When(approved_at__isnull=False, expires_at__lte=now, then=Value(State.EXPIRED.value)),
            When(approved_at__isnull=False, then=Value(State.USABLE.value)),
            When(expires_at__lte=now, then=Value(State.LAPSED.value)),
            When(Exists(newer), then=Value(State.REPLACED.value)),
            default=Value(State.WAITING.value),
            output_field=models.CharField(),
        )
        return self.annotate(state=state)


class BusinessException(models.Model):
    """A stated risk that one person proposed to accept and another accepts; it proves nothing and changes no fact.

    `decision` is the proposal's link of the operation's chain, with the standing that it stood on; `judgement` that of
    the approval or refusal. `histories` are those that were still possible then, a list of {kind, assuming, sentence}
    (operations.core.histories). The exposure is an amount of a currency, or words. `loss` is what would have to turn out
    for the risk to have come true. Up to `expires_at` it may be approved, and used once: by the second operation
    that it excuses (`successor`); stopping is done by the approval itself.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        f"UPDATE ({', '.join(_columns((*JUDGED, *USED)))})",
    )
    kept_once: ClassVar = (JUDGED, USED)

    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="exceptions")
    decision = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, related_name="exception")
    histories = models.JSONField()
    exposure_amount = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES, null=True)
    exposure_currency = models.CharField(max_length=3, blank=True)
    exposure_words = models.TextField(blank=True)
    reason = models.TextField()
    bearer = models.CharField(max_length=200)
    excuses = models.CharField(max_length=32, choices=[(word.value, word.sentence) for word in Excuses])
    loss = models.CharField(max_length=16, choices=[(word.value, word.sentence) for word in Loss])
    review_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    proposed_at = models.DateTimeField()
    proposed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    declined_at = models.DateTimeField(null=True)
    declined_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    judgement = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, null=True, related_name="+")
    remark = models.TextField(blank=True)

    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    successor = models.OneToOneField(
        "operations.Operation", on_delete=models.PROTECT, null=True, related_name="excused_by"
    )

    objects = BusinessExceptions.as_manager()

    class Meta:
        default_permissions = ()
        # A CHECK that is unknown passes: whatever may be null is asked for by name.
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    exposure_amount__isnull=False,
                    exposure_amount__gt=0,
                    exposure_currency__regex=CURRENCY,
                    exposure_words="",
                )
                | Q(exposure_amount=None, exposure_currency="") & ~Q(exposure_words=""),
                name="an_exposure_is_an_amount_or_words",
            ),
            models.CheckConstraint(condition=~Q(reason="") & ~Q(bearer=""), name="somebody_bears_a_risk_for_a_reason"),
            models.CheckConstraint(
                condition=Q(review_at__gt=F("proposed_at"), expires_at__gt=F("proposed_at")),
                name="an_exception_ends_and_is_reviewed_later",
            ),
            models.CheckConstraint(
                condition=Q(excuses=Excuses.STOPPING.value)
                | Q(excuses=Excuses.SECOND_OPERATION.value, loss=Loss.TWICE.value),
                name="a_second_operation_risks_a_second_effect",
            ),
            models.CheckConstraint(
                condition=Q(approved_by=None) | ~Q(approved_by=F("proposed_by")), name="another_person_accepts_a_risk"
            ),
            models.CheckConstraint(
                condition=Q(approved_at=None, approved_by=None, declined_at=None, declined_by=None, judgement=None)
                | Q(approved_at__isnull=False, approved_by__isnull=False, declined_at=None, declined_by=None)
                & Q(judgement__isnull=False, approved_at__lt=F("expires_at"))
                | Q(declined_at__isnull=False, declined_by__isnull=False, approved_at=None, approved_by=None)
                & Q(judgement__isnull=False),
                name="an_exception_is_approved_or_declined",
            ),
            models.CheckConstraint(
                condition=Q(used_at=None, used_by=None, successor=None)
                | Q(used_at__isnull=False, used_by__isnull=False, approved_at__isnull=False)
                & Q(used_at__gte=F("approved_at"), used_at__lt=F("expires_at")),
                name="an_exception_is_used_once_approved_and_in_time",
            ),
            models.CheckConstraint(
                condition=Q(excuses=Excuses.STOPPING.value, successor=None)
                & Q(used_at__isnull=False, used_at=F("approved_at"))
                | Q(excuses=Excuses.STOPPING.value, successor=None, used_at=None, approved_at=None)
                | Q(excuses=Excuses.SECOND_OPERATION.value, used_at=None)
                | Q(excuses=Excuses.SECOND_OPERATION.value, used_at__isnull=False, successor__isnull=False),
                name="an_exception_is_used_for_what_it_excuses",
            ),
            models.CheckConstraint(
                condition=Q(successor=None) | ~Q(successor=F("operation")), name="a_second_operation_is_another_one"
            ),
        ]
        indexes = [
            models.Index(fields=["operation", "-id"], name="exception_of_operation"),
            models.Index(F("used_at"), name="exception_taken_when", condition=Q(used_at__isnull=False)),
            models.Index(
                fields=["-id"], name="exception_waits", condition=Q(approved_at=None, declined_at=None, used_at=None)
            ),
            models.Index(fields=["review_at"], name="exception_to_review", condition=Q(approved_at__isnull=False)),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="exception_stays_as_proposed", exclude=[*JUDGED, *USED]),
            pgtrigger.Protect(
                name="an_exception_is_judged_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(f"OLD.judgement_id IS NOT NULL AND {_differs(JUDGED)}"),
            ),
            pgtrigger.Protect(
                name="an_exception_is_used_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__used_at__isnull=False) | pgtrigger.Q(old__declined_at__isnull=False),
            ),
            pgtrigger.Protect(name="exception_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"exception {self.pk} of {self.operation_id}"

    @property
    def money(self) -> Money | None:
        """What is at stake as an amount; None where it was said in words."""
        return None if self.exposure_amount is None else Money(self.exposure_amount, self.exposure_currency)

    @property
    def exposure(self) -> str:
        """What is at stake, as people read it."""
        return self.exposure_words if self.money is None else str(self.money)

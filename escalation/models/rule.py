"""Settings of the four eyes: where it takes a second person, and how much of a risk one person may accept.

A setting is ended, never changed or removed, so that whoever looks later sees what held at the time, and who set it.
"""

from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from escalation.models.money import CURRENCY, DIGITS, PLACES, Money

_ENDED: Final = ("ended_at", "ended_by")


def _kept(name: str) -> list[pgtrigger.Trigger]:
    return [
        pgtrigger.ReadOnly(name=f"{name}_stays_as_set", exclude=list(_ENDED)),
        pgtrigger.Protect(
            name=f"{name}_ends_once", operation=pgtrigger.Update, condition=pgtrigger.Q(old__ended_at__isnull=False)
        ),
        pgtrigger.Protect(name=f"{name}_is_kept", operation=pgtrigger.Delete),
    ]


def _ended(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=Q(ended_at=None, ended_by=None)
        | Q(ended_at__isnull=False, ended_at__gte=F("set_at"), ended_by__isnull=False),
        name=f"{name}_is_ended_by_somebody",
    )


class _Setting(models.Model):
    """What every setting has: for which recipient (none: every), who set it and who ended it."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by_id)")
    kept_once: ClassVar = (_ENDED,)

    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, null=True, related_name="+")
    set_at = models.DateTimeField()
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        abstract = True


class FourEyesRule(_Setting):
    """One door takes a second person: always, or from an amount of a currency on. `door` is a word of policy.May."""

    door = models.CharField(max_length=32)
    from_amount = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES, null=True)
    currency = models.CharField(max_length=3, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(from_amount=None, currency="")
                | Q(from_amount__isnull=False, from_amount__gt=0, currency__regex=CURRENCY),
                name="a_rule_is_for_always_or_from_an_amount",
            ),
            models.UniqueConstraint(
                fields=["door", "recipient", "currency"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="a_door_has_one_rule_a_currency",
            ),
            _ended("a_rule"),
        ]
        triggers = _kept("rule")

    def __str__(self) -> str:
        return f"{self.door}: {self.money or 'always'}"

    @property
    def money(self) -> Money | None:
        """From which amount on; None: always."""
        return None if self.from_amount is None else Money(self.from_amount, self.currency)


class RiskLimit(_Setting):
    """The most that one person may accept of a risk: whoever holds `role`, or `person` alone.

    With no `most` and no currency it is for a risk that is stated in words: then it may be accepted at all.
    """

    role = models.CharField(max_length=32, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="risk_limits"
    )
    currency = models.CharField(max_length=3, blank=True)
    most = models.DecimalField(max_digits=DIGITS, decimal_places=PLACES, null=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(role="", person__isnull=False) | ~Q(role="") & Q(person=None),
                name="a_limit_is_a_roles_or_a_persons",
            ),
            models.CheckConstraint(
                condition=Q(most=None, currency="") | Q(most__isnull=False, most__gt=0, currency__regex=CURRENCY),
                name="a_limit_is_an_amount_or_for_words",
            ),
            models.CheckConstraint(condition=~Q(person=F("set_by")), name="nobody_sets_their_own_limit"),
            models.UniqueConstraint(
                fields=["role", "person", "recipient", "currency"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="a_limit_is_set_once",
            ),
            _ended("a_limit"),
        ]
        triggers = [
            *_kept("limit"),
            pgtrigger.Protect(  # no constraint: before this stood here, somebody may have
                name="nobody_ends_their_own_limit",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(new__ended_by=pgtrigger.F("new__person")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role or self.person_id}: {self.money or 'in words'}"

    @property
    def money(self) -> Money | None:
        """The most; None: a risk in words."""
        return None if self.most is None else Money(self.most, self.currency)

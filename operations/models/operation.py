"""One intended business effect: what was asked for, and the cache of what is known of it."""

from enum import StrEnum
from typing import ClassVar, Final

import pgtrigger
from django.db import models
from django.db.models import F, Func, Q

from operations.core.conflicts import ConflictKind
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Evidence, Finality, FurtherEffect, Situation
from operations.models.chain import DIGEST_BYTES

# Inferred, never assigned: written by `recording` alone, and all that the app role may change (design.md, rule 1).
INFERRED: Final = (
    "evidence",
    "finality",
    "protection",
    "protection_until",
    "protection_reason",
    "conflict",
    "duplicate_effect",
    "further_effect",
    "situation",
    "missing",
    "judged_by",
    "sealed",
    "assessed_at",
    "revision",
    "links",
    "head",
)


def _words(words: type[StrEnum]) -> list[tuple[str, str]]:
    return [(word.value, word.value) for word in words]


# Standings in which what was asked for may still come to be, or is not told apart from what came to be.
NOT_OPEN: Final = (Situation.APPLIED.value, Situation.CLOSED.value)


class Operations(models.QuerySet["Operation"]):
    """Questions about operations."""

    def open(self) -> "Operations":
        """Those whose outcome is not settled by a receipt."""
        return self.exclude(situation__in=NOT_OPEN)


class Operation(models.Model):
    """An operation as it was bound, which never changes, and its standing as last inferred.

    `identity` is the caller's name for the intent, used once at a recipient; `identity_known` says that what was sent
    carried it where the contract says that it protects. `number` is short enough to say on the phone. `body` and `arguments` are the raw bytes, None where there is none.
    `digest` is the representation's (proposal.py). `subject` is a digest of the arguments which the contract names as
    what the effect is about. `contract` is the version in force at the first attempt;
    `judged_by` the newer one by which the observations were read anew, None while there is none (design.md, rule 1).
    `head` is the last digest of the chain, `links` how many it has, `revision` grows with every change that a reader
    could see.
    """

    app_may: ClassVar = ("SELECT", "INSERT", f"UPDATE ({', '.join(INFERRED)})")
    uncovered: ClassVar = "Its bound request is the first link of its chain, and the rest is inferred from the others."

    id = models.UUIDField(primary_key=True)
    number = models.BigIntegerField(
        unique=True, db_default=Func(function="nextval", template="nextval('operation_number')")
    )
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, related_name="operations")
    contract = models.ForeignKey("operations.Contract", on_delete=models.PROTECT, related_name="operations")
    identity = models.CharField(max_length=255)
    identity_known = models.BooleanField()
    method = models.CharField(max_length=64)
    target = models.CharField(max_length=2048)
    headers = models.JSONField(help_text="The lines that bind, in order: a list of [name, value].")
    body = models.BinaryField(null=True)
    arguments = models.BinaryField(null=True)
    scope = models.CharField(max_length=255, blank=True)
    digest = models.CharField(max_length=64)
    subject = models.CharField(max_length=64, blank=True)
    effect = models.CharField(max_length=500)
    agent = models.CharField(max_length=200, blank=True)
    run = models.CharField(max_length=200, blank=True)
    call = models.CharField(max_length=200, blank=True)
    tool = models.CharField(max_length=200, blank=True)
    authorised_by = models.CharField(max_length=200, blank=True)
    deadline = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    evidence = models.CharField(max_length=16, choices=_words(Evidence))
    finality = models.CharField(max_length=16, choices=_words(Finality))
    protection = models.CharField(max_length=16, choices=_words(Protection))
    protection_until = models.DateTimeField(null=True)
    protection_reason = models.CharField(max_length=32, null=True, choices=_words(ProtectionReason))  # noqa: DJ001  # none is not empty
    conflict = models.CharField(max_length=64, null=True, choices=_words(ConflictKind))  # noqa: DJ001  # likewise
    duplicate_effect = models.BooleanField()
    further_effect = models.CharField(max_length=16, null=True, choices=_words(FurtherEffect))  # noqa: DJ001  # likewise
    situation = models.CharField(max_length=32, choices=_words(Situation))
    missing = models.JSONField(help_text="The missing facts: a list of [fact, [channel, ...]].")
    judged_by = models.ForeignKey(
        "operations.Contract",
        on_delete=models.PROTECT,
        null=True,
        db_column="judged_by",
        db_index=False,
        related_name="judged",
    )
    sealed = models.BooleanField()
    assessed_at = models.DateTimeField()
    revision = models.PositiveBigIntegerField()
    links = models.PositiveIntegerField()
    head = models.BinaryField(max_length=DIGEST_BYTES)

    objects = Operations.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["recipient", "identity"], name="identity_names_one_operation"),
            models.CheckConstraint(
                condition=Q(evidence="applied", finality="settled") | ~Q(evidence="applied") & ~Q(finality="settled"),
                name="applied_is_settled",
            ),
            models.CheckConstraint(
                condition=~Q(finality="excluded") | Q(evidence="not_applied"), name="excluded_is_not_applied"
            ),
            models.CheckConstraint(
                condition=Q(conflict=None)
                | Q(evidence="unknown", finality="unestablished", situation=Situation.CONFLICT.value),
                name="a_conflict_establishes_nothing",
            ),
            models.CheckConstraint(
                condition=Q(protection="active", protection_reason=None)
                | ~Q(protection="active") & Q(protection_until=None) & ~Q(protection_reason=None),
                name="protection_is_active_or_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(evidence="applied") & ~Q(further_effect=None)
                | ~Q(evidence="applied") & Q(further_effect=None),
                name="a_further_effect_is_asked_where_applied",
            ),
            models.CheckConstraint(condition=Q(revision__gte=F("links")), name="every_link_is_a_revision"),
        ]
        indexes = [
            models.Index(
                fields=["recipient", "subject"],
                name="operation_open_subject",
                condition=~Q(subject="") & ~Q(situation__in=NOT_OPEN),
            ),
            models.Index(
                fields=["contract", "judged_by", "id"],
                name="operation_open_reading",
                condition=~Q(situation__in=NOT_OPEN),
            ),
            models.Index(fields=["recipient", "-id"], name="operation_newest"),
            models.Index(
                fields=["protection_until"], name="operation_window", condition=Q(protection_until__isnull=False)
            ),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="operation_stays_as_bound", exclude=list(INFERRED)),
            pgtrigger.Protect(name="operation_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.number}: {self.effect}"

"""What people took down at a recipient's screen or from its staff, and who stands for it."""

from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

# What becomes of it; what was taken down never changes.
DECIDED: Final = ("observation", "confirmed_by", "confirmed_at", "proved", "rejected_by", "rejected_at", "rejection")
_LINKS: Final = {"observation", "confirmed_by", "rejected_by"}


class Inspection(models.Model):
    """One person's reading through one channel of a contract; `payload` is what was typed, as the contract reads it.

    `said` is the same for people: a list of [label, value or null]. Where the contract asks for a second person
    (`needs_second`) it is no observation, and counts for nothing, until another person confirms it; `proved` is how and
    when that one had proved who they are. `notes` are free words and never evidence. An attachment is kept as bytes with its SHA-256 (`attachment_digest`), and only ever
    handed out as a download.
    """

    app_may: ClassVar = (
        "SELECT",
        "INSERT",
        f"UPDATE ({', '.join([f'{name}_id' if name in _LINKS else name for name in DECIDED])})",
    )
    kept_once: ClassVar = (DECIDED,)

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="inspections")
    contract = models.ForeignKey("operations.Contract", on_delete=models.PROTECT, related_name="+")
    channel = models.CharField(max_length=64)
    said = models.JSONField()
    payload = models.BinaryField()
    notes = models.TextField(blank=True)
    read_at = models.DateTimeField()
    attachment = models.BinaryField(null=True)
    attachment_name = models.CharField(max_length=200, blank=True)
    attachment_type = models.CharField(max_length=100, blank=True)
    attachment_digest = models.CharField(max_length=64, blank=True)
    needs_second = models.BooleanField()
    recorded_at = models.DateTimeField()
    recorded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    observation = models.OneToOneField(
        "operations.Observation", on_delete=models.PROTECT, null=True, related_name="inspection"
    )
    confirmed_at = models.DateTimeField(null=True)
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    proved = models.JSONField(null=True)
    rejected_at = models.DateTimeField(null=True)
    rejected_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    rejection = models.TextField(blank=True)

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(confirmed_by=None) | ~Q(confirmed_by=F("recorded_by")), name="another_person_confirms"
            ),
            models.CheckConstraint(
                condition=Q(observation=None) | Q(needs_second=False) | Q(confirmed_by__isnull=False),
                name="what_needs_two_is_no_observation_of_one",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by=None, confirmed_at=None)
                | Q(confirmed_by__isnull=False, confirmed_at__isnull=False, observation__isnull=False),
                name="what_is_confirmed_is_an_observation",
            ),
            models.CheckConstraint(
                condition=Q(proved=None) | Q(confirmed_by__isnull=False), name="who_confirms_proves_who_they_are"
            ),
            models.CheckConstraint(
                condition=Q(rejected_by=None, rejected_at=None, rejection="")
                | Q(rejected_by__isnull=False, rejected_at__isnull=False, observation=None) & ~Q(rejection=""),
                name="what_is_rejected_is_no_observation",
            ),
            models.CheckConstraint(
                condition=Q(attachment=None, attachment_name="", attachment_type="", attachment_digest="")
                | Q(attachment__isnull=False) & ~Q(attachment_digest=""),
                name="an_attachment_has_its_digest",
            ),
            models.CheckConstraint(
                condition=Q(read_at__lte=F("recorded_at")), name="it_was_read_before_it_was_recorded"
            ),
        ]
        indexes = [
            models.Index(
                fields=["operation", "recorded_at"],
                name="inspection_waits",
                condition=Q(observation=None, rejected_by=None),
            )
        ]
        triggers = [
            pgtrigger.ReadOnly(name="inspection_stays_as_taken_down", exclude=list(DECIDED)),
            pgtrigger.Protect(
                name="an_inspection_is_decided_once",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__observation__isnull=False) | pgtrigger.Q(old__rejected_by__isnull=False),
            ),
            pgtrigger.Protect(  # no constraint: what was confirmed before this was kept has none
                name="nobody_confirms_unproved",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(new__confirmed_by__isnull=False) & pgtrigger.Q(new__proved__isnull=True),
            ),
            pgtrigger.Protect(name="inspection_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"inspection of {self.operation_id} through {self.channel}"

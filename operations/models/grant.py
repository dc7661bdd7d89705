"""Leave that this desk gives an agent to send once more, and its one use."""

from django.db import models
from django.db.models import F, Q

from operations.core.actions import Action
from operations.models.chain import DIGEST_BYTES, append_only


class Grant(models.Model):
    """Leave for one attempt of one operation, by whoever sent before: bound to action, bytes and scope, until `ends_at`.

    It is given by one decision. A later decision to repeat replaces it; that is read off the rows, never written here.
    """

    id = models.UUIDField(primary_key=True)
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="grants")
    decision = models.OneToOneField("operations.Decision", on_delete=models.PROTECT, related_name="grant")
    action = models.CharField(max_length=32, choices=[(Action.REPEAT.value, Action.REPEAT.value)])
    request_digest = models.CharField(max_length=64)
    scope = models.CharField(max_length=255, blank=True)
    granted_at = models.DateTimeField()
    granted_by = models.CharField(max_length=200)
    ends_at = models.DateTimeField()
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "position"], name="grant_has_its_place_in_the_chain"),
            models.CheckConstraint(condition=Q(ends_at__gt=F("granted_at")), name="a_grant_ends_after_it_is_given"),
            models.CheckConstraint(condition=~Q(granted_by=""), name="a_person_grants"),
        ]
        triggers = append_only("grant")

    def __str__(self) -> str:
        return f"grant for {self.operation_id}, until {self.ends_at:%Y-%m-%d %H:%M:%S}"


class GrantUse(models.Model):
    """The one attempt that a grant was used for; a grant has no second."""

    id = models.UUIDField(primary_key=True)
    grant = models.OneToOneField("operations.Grant", on_delete=models.PROTECT, related_name="use")
    operation = models.ForeignKey("operations.Operation", on_delete=models.PROTECT, related_name="grant_uses")
    attempt = models.OneToOneField("operations.Attempt", on_delete=models.PROTECT, related_name="grant_use")
    used_at = models.DateTimeField()
    used_by = models.CharField(max_length=200)
    position = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=DIGEST_BYTES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operation", "position"], name="grant_use_has_its_place_in_the_chain"),
        ]
        triggers = append_only("grant_use")

    def __str__(self) -> str:
        return f"use of {self.grant_id}"

"""Keys for programs. None of them decides anything."""

from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

SCOPES: Final = ("transport", "agent", "read", "collect")


class ApiKey(models.Model):
    """One key, `unr_<id>.<secret>`; only a digest of the secret is kept. `scopes` say what it may report or read.

    `transport` may report replies and transport facts, `agent` words alone, `read` may read, `collect` may collect
    results (design.md, rule 3a). Without recipients the key is for none.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (last_used_at, ended_at)")
    kept_once: ClassVar = (("ended_at",),)

    id = models.CharField(primary_key=True, max_length=16)
    name = models.CharField(max_length=200)
    secret_digest = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=16))
    recipients = models.ManyToManyField("operations.Recipient", related_name="api_keys")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scopes__contained_by=list(SCOPES)) & ~Q(scopes=[]), name="api_key_scopes_are_known"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("created_at")), name="api_key_expires_after_it_is_made"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} (unr_{self.id})"

"""Who holds which role, for which recipient, given by whom."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q


class RoleGrants(models.QuerySet["RoleGrant"]):
    """Questions about roles that were given."""

    def held(self) -> "RoleGrants":
        """Those that were not taken back."""
        return self.filter(ended_at=None)


class RoleGrant(models.Model):
    """One role of one person (escalation/policy.py says what it holds); for every recipient where none is named.

    It is ended, never changed or removed, so that whoever looks later sees who was allowed what, and when.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by_id)")
    kept_once: ClassVar = (("ended_at", "ended_by"),)

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="roles")
    role = models.CharField(max_length=32)
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, null=True, related_name="roles")
    given_at = models.DateTimeField()
    given_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    objects = RoleGrants.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["person", "role", "recipient"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="a_role_is_held_once",
            ),
            models.CheckConstraint(condition=~Q(person=models.F("given_by")), name="nobody_gives_roles_to_themselves"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None) | Q(ended_at__gte=models.F("given_at")),
                name="a_role_ends_after_it_was_given",
            ),
        ]
        triggers = [
            pgtrigger.ReadOnly(name="role_stays_as_given", exclude=["ended_at", "ended_by"]),
            pgtrigger.Protect(
                name="a_role_ends_once", operation=pgtrigger.Update, condition=pgtrigger.Q(old__ended_at__isnull=False)
            ),
            pgtrigger.Protect(name="role_is_kept", operation=pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.person_id}"

"""What was set by an administrator is ended, never changed or removed: the triggers and the columns of all that is so."""

from typing import ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

ENDED: Final = ("ended_at", "ended_by")


def kept(name: str) -> list[pgtrigger.Trigger]:
    """Return the triggers of a table whose rows are added, and ended once."""
    return [
        pgtrigger.ReadOnly(name=f"{name}_stays_as_made", exclude=list(ENDED)),
        pgtrigger.Protect(
            name=f"{name}_ends_once", operation=pgtrigger.Update, condition=pgtrigger.Q(old__ended_at__isnull=False)
        ),
        pgtrigger.Protect(name=f"{name}_is_kept", operation=pgtrigger.Delete),
    ]


def stays(name: str) -> list[pgtrigger.Trigger]:
    """Return the trigger of a table whose rows are added, and nothing else."""
    return [pgtrigger.Protect(name=f"{name}_stays", operation=pgtrigger.Update | pgtrigger.Delete)]


def ended(name: str) -> models.CheckConstraint:
    """Return the constraint that a row is ended by somebody, after it was made."""
    return models.CheckConstraint(
        condition=Q(ended_at=None, ended_by=None)
        | Q(ended_at__isnull=False, ended_at__gte=F("made_at"), ended_by__isnull=False),
        name=f"{name}_is_ended_by_somebody",
    )


class Made(models.Model):
    """What was made by an administrator, and is ended by one."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at, ended_by_id)")
    kept_once: ClassVar = (ENDED,)

    made_at = models.DateTimeField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        abstract = True
        default_permissions = ()

"""What was done to the way in of a person or of a program, by whom. Roles have rows of their own (role.py)."""

from enum import StrEnum
from typing import Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Change(StrEnum):
    """One thing that is done to somebody's, or to a key's, way in; the words are those of the record."""

    PERSON_MADE = "person_made"
    PERSON_DEACTIVATED = "person_deactivated"
    PERSON_REACTIVATED = "person_reactivated"
    LINK_MADE = "link_made"
    SESSIONS_ENDED = "sessions_ended"
    PASSWORD_SET = "password_set"  # noqa: S105  # the word, not one
    PASSWORD_FORGOTTEN = "password_forgotten"  # noqa: S105  # likewise
    FACTOR_ADDED = "factor_added"
    FACTOR_REMOVED = "factor_removed"
    FACTORS_FORGOTTEN = "factors_forgotten"
    SINGLE_SIGN_ON_ADDED = "single_sign_on_added"
    SINGLE_SIGN_ON_REMOVED = "single_sign_on_removed"
    KEY_MADE = "key_made"
    KEY_ENDED = "key_ended"


OF_KEYS: Final = (Change.KEY_MADE, Change.KEY_ENDED)


class AccessChange(models.Model):
    """One change: of a `person`, or of a `key` for a program; without `by` it was done on the desk's host.

    It is added and never changed or removed, so that whoever looks later sees who could get in, and who let them.
    """

    act = models.CharField(max_length=32)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="access_changes"
    )
    key = models.ForeignKey("operations.ApiKey", on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(act__in=[one.value for one in OF_KEYS], person=None, key__isnull=False)
                | Q(
                    act__in=[one.value for one in Change if one not in OF_KEYS],
                    person__isnull=False,
                    key=None,
                ),
                name="access_of_a_person_or_of_a_key_changes",
            ),
            models.CheckConstraint(
                condition=~Q(act__in=[Change.PERSON_DEACTIVATED.value, Change.LINK_MADE.value], person=F("by")),
                name="nobody_changes_their_own_way_in",
            ),
        ]
        triggers = [
            pgtrigger.Protect(name="access_change_stays", operation=pgtrigger.Update | pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.act} of {self.person_id or self.key_id}"

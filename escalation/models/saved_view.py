"""What somebody narrowed the queue to, under a name."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class SavedView(models.Model):
    """One view of the queue: the query of its address, under its owner's name for it; `shared` with everybody.

    It gives no right: who opens it sees what it leaves of what they may read.
    """

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (query, shared, saved_at)", "DELETE")
    uncovered: ClassVar = "It is an address that somebody keeps, no evidence."

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="saved_views")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000)
    shared = models.BooleanField(default=False)
    saved_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="a_view_has_its_name"),
            models.CheckConstraint(condition=~Q(name=""), name="a_view_has_a_name"),
        ]
        indexes = [models.Index(fields=["name"], name="view_for_everybody", condition=Q(shared=True))]

    def __str__(self) -> str:
        return self.name

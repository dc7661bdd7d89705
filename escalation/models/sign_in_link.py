"""Links that sign one person in once."""

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models


class SignInLinks(models.QuerySet["SignInLink"]):
    """Questions about links."""

    def open_at(self, now: datetime) -> "SignInLinks":
        """Those that sign in at `now`."""
        return self.filter(ended_at=None, expires_at__gt=now)


class SignInLink(models.Model):
    """One link. `digest` is of the token, which is nowhere else; `ended_at` is when it was used or replaced."""

    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE (ended_at)")
    kept_once: ClassVar = (("ended_at",),)

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sign_in_links")
    digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    objects = SignInLinks.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(expires_at__gt=models.F("made_at")), name="sign_in_link_expires_after_it_is_made"
            ),
        ]

    def __str__(self) -> str:
        return f"sign-in link of user {self.user_id}, made {self.made_at:%Y-%m-%d %H:%M}"

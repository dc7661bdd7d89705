"""People."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """Somebody who signs in. Our own model from the start: Django can't exchange it later."""

    # What the app role may do with these rows (escalation/grants.py); people are made inactive, never deleted.
    app_may: ClassVar = ("SELECT", "INSERT", "UPDATE")
    # What of them a checkpoint of the record holds on to: who decided, and who holds every role.
    kept: ClassVar = ("username", "is_superuser", "date_joined")

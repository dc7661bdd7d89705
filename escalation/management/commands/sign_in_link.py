"""`manage.py sign_in_link`: a way in for somebody without a password, or who lost what they sign in with."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from escalation.access.changing import note
from escalation.models import AccessChange, User
from escalation.models.access_change import Change
from escalation.sign_in_link import LASTS, first_administrator, forget, make_sign_in_link


def _note(user: User, *, now: datetime) -> None:
    known = user.is_superuser is False or AccessChange.objects.filter(person=user).exists()
    note(Change.LINK_MADE if known else Change.PERSON_MADE, user, by=None, now=now)


class Command(BaseCommand):
    """Prints a link that signs one person in once. Who may run commands here could read the database anyway."""

    help = "Print a link that signs NAME in once; earlier links of that person end."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose link, what of theirs is lost, and where the desk is."""
        parser.add_argument("name", nargs="?", help="user name")
        parser.add_argument(
            "--first", action="store_true", help="the first administrator's, while nobody has signed in"
        )
        parser.add_argument(
            "--forget-password",
            action="store_true",
            help="NAME's password and account of single sign-on end; the link leads to a new password",
        )
        parser.add_argument(
            "--forget-second-factors", action="store_true", help="NAME's app, passkeys and recovery codes end"
        )
        parser.add_argument("--at", default="http://127.0.0.1:8000", help="address of the desk")

    def _forget(
        self, user: User, *, now: datetime, forget_password: bool, forget_second_factors: bool, **_: Any
    ) -> None:
        disconnected = forget(user, password=forget_password, second_factors=forget_second_factors)
        if disconnected:
            note(Change.SINGLE_SIGN_ON_REMOVED, user, by=None, now=now)
            self.stdout.write(f"The account of single sign-on of {user.username} is connected no more.")
        if forget_password:
            note(Change.PASSWORD_FORGOTTEN, user, by=None, now=now)
        if forget_second_factors:
            note(Change.FACTORS_FORGOTTEN, user, by=None, now=now)

    def handle(self, *args: Any, name: str | None, first: bool, at: str, **options: Any) -> None:
        """Print the link; with --first, nothing once anybody has signed in."""
        now = timezone.now()
        user = first_administrator() if first else User.objects.filter(username=name or "", is_active=True).first()
        if user is None and not first:
            raise CommandError(f"Nobody active is called {name}." if name else "Whose link? Name a user.")
        if user is not None:
            _note(user, now=now)
            self._forget(user, now=now, **options)
            token = make_sign_in_link(user, now=now)
            self.stdout.write(
                f"Sign in as {user.username} (once, within {LASTS.seconds // 60} minutes): {at}/sign-in/{token}"
            )

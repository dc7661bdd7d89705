"""`manage.py create_api_key`: a key for a program. It may report and read; no key decides anything."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from escalation.models import AccessChange
from escalation.models.access_change import Change
from operations.keys import SCOPES, create_key
from operations.recording.keys import NoSuchRecipient

LONGEST_NAME = 200
LONGEST_DAYS = 3650


class Command(BaseCommand):
    """Prints one key. What is kept of it is a digest: whoever loses it makes another."""

    help = "Make an API key and print it, once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose key, for what, for whom and for how long. Nothing has a default: a key is never wider than was said."""
        parser.add_argument("name", help="what the key is for, as people will read it in the record")
        parser.add_argument("--scope", action="append", required=True, choices=SCOPES, help="repeat for several")
        parser.add_argument("--recipient", action="append", required=True, metavar="KEY", help="repeat for several")
        parser.add_argument("--expires-in", type=int, required=True, metavar="DAYS")

    def handle(
        self, *args: Any, name: str, scope: list[str], recipient: list[str], expires_in: int, **options: Any
    ) -> None:
        """Print the key, or say in a sentence why there is none."""
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            raise CommandError(f"Give the key a name of one line and at most {LONGEST_NAME} characters.")
        if not 1 <= expires_in <= LONGEST_DAYS:
            raise CommandError(f"Let the key expire in 1 to {LONGEST_DAYS} days.")
        now = timezone.now()
        try:
            with transaction.atomic():  # no key without a line that says when it was made
                key = create_key(name, scopes=scope, recipients=recipient, now=now, lasts=timedelta(days=expires_in))
                made = key.partition(".")[0].removeprefix("unr_")
                AccessChange.objects.create(act=Change.KEY_MADE.value, key_id=made, at=now, by=None)
        except NoSuchRecipient as error:
            raise CommandError(f"There is no recipient {error.key}.") from error
        self.stdout.write(key)
        self.stderr.write("This is the only time that it is shown.")

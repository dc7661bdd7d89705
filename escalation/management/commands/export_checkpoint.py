"""`manage.py export_checkpoint`: the heads of every chain at this moment, as a file to be kept off the host."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError
from django.utils import timezone

from operations.auditing.exporting import NotExported, export


class Command(BaseCommand):
    """Writes one checkpoint beside the others, or says why not; then nothing was written."""

    help = "Export a checkpoint of the record; verify_audit holds the record against it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to."""
        parser.add_argument(
            "--to", help="a folder, best one that is a mount elsewhere (default: UNRESOLVED_CHECKPOINTS)"
        )

    def handle(self, *args: Any, to: str | None, **options: Any) -> None:
        """Export it."""
        folder = to or settings.CHECKPOINTS
        if not folder:
            raise CommandError("Name a folder with --to, or in UNRESOLVED_CHECKPOINTS.")
        try:
            row = export(Path(folder), now=timezone.now())
        except NotExported as refused:
            raise CommandError(f"Nothing was exported. {refused}") from refused
        except IntegrityError as refused:
            raise CommandError("Nothing was exported: another export took this place in the sequence.") from refused
        self.stdout.write(f"Checkpoint {row.sequence}: {row.operations} operations, {row.links} links.")
        self.stdout.write(str(Path(folder) / row.name))
        self.stdout.write(f"sha256 {bytes(row.digest).hex()}")

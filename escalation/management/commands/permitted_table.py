"""`manage.py permitted_table`: the table of permitted actions, printed for people from the one that decides."""

from typing import Any

from django.core.management.base import BaseCommand

from operations.core.tables import permitted_in_markdown


class Command(BaseCommand):
    """Prints the table as Markdown; the README's copy is kept equal by a test."""

    help = "Print the table of permitted actions in Markdown."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(permitted_in_markdown(), ending="")

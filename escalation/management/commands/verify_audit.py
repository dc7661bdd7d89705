"""`manage.py verify_audit`: is the record still what was written? Exit 0: yes; 1: no, and where; 2: it can't be told."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError

from escalation.decisions.compared import compared
from operations.auditing.checkpoint import Exported, Unreadable, opened
from operations.auditing.verifying import Verified, verify

CLEAN, FOUND, UNREAD = 0, 1, 2


class Command(BaseCommand):
    """Recomputes every chain from its rows, and holds it against the checkpoints that are given."""

    help = "Verify the record; with --checkpoint also against exported checkpoints."

    def add_arguments(self, parser: CommandParser) -> None:
        """Which checkpoints."""
        parser.add_argument(
            "--checkpoint",
            action="append",
            default=[],
            nargs="+",
            metavar="FILE",
            help="an exported checkpoint, or several; fetch them from where they are kept, not from this host",
        )

    def handle(self, *args: Any, checkpoint: list[list[str]], **options: Any) -> None:
        """Verify, and exit."""
        try:
            given = [opened(Path(name)) for names in checkpoint for name in names]
            found = verify(given, tell=lambda fault: self.stdout.write(str(fault)))
            of_doors = list(compared())
        except (Unreadable, DatabaseError) as error:
            self.stderr.write(f"It can't be verified: {error}")
            sys.exit(UNREAD)
        for line in [*of_doors, *found.beside, *found.checkpoints]:
            self.stdout.write(line)
        self._sum_up(found, given, wrong=found.faults + len(of_doors) + len(found.beside) + len(found.checkpoints))

    def _sum_up(self, found: Verified, given: list[Exported], *, wrong: int) -> None:
        self.stdout.write(
            f"{_many(found.operations, 'operation')}, {_many(found.links, 'link')}, {_many(found.rows, 'other row')}: {_said(wrong)}."
        )
        if given:
            self.stdout.write(_covered(found, max(given, key=lambda one: one.sequence)))
        else:
            self.stdout.write("No checkpoint was given: a removed end, or a chain written anew, could not be seen.")
        sys.exit(FOUND if wrong else CLEAN)


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _covered(found: Verified, newest: Exported) -> str:
    when = newest.when
    if not found.uncovered_links and not found.uncovered_rows:
        return f"All of it is covered by {when}."
    operations, links = _many(found.uncovered_operations, "operation"), _many(found.uncovered_links, "link")
    others = _many(found.uncovered_rows, "other row")
    return (
        f"Not covered by {when}: {links}, {operations} whole, {others}."
        " What was removed or written anew there could not be seen."
    )


def _said(wrong: int) -> str:
    return f"{_many(wrong, 'thing')} wrong" if wrong else "nothing is wrong"

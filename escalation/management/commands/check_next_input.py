"""`manage.py check_next_input STATE REQUEST`: does the resumed run's input hold one output for every call owed one?"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from escalation.management.commands.import_transcript import bytes_of, visible
from operations.imports import ImportRefused
from operations.imports.next_input import faults

FAULTY = 1


class Command(BaseCommand):
    """Print what is wrong with the input that followed a state; exit status 1 if anything is, 2 if it can't be read."""

    help = "Check that a resumed run's next input holds exactly one output for every call that is owed one."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("state", help="a state of the Agents SDK, as it was before the run went on")
        parser.add_argument("request", help="the request that followed, or a log of requests")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line a fault."""
        try:
            found = faults(bytes_of(options["state"]), bytes_of(options["request"]))
        except ImportRefused as refused:
            raise CommandError(visible(f"{refused} ({refused.rule})"), returncode=2) from None
        for fault in found:
            self.stdout.write(visible(str(fault)))
        if found:
            sys.exit(FAULTY)
        self.stdout.write("Every call that is owed an output has exactly one.")

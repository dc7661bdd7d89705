"""`manage.py check_next_input STATE REQUEST`: does the resumed run's input hold one output for every call owed one?"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from escalation.management.commands.import_transcript import bytes_of, visible
from operations import runs
from operations.imports import ImportRefused
from operations.imports.next_input import Fault, faults
from operations.reading.runs import NoSuchRun, run

FAULTY = 1
UNREADABLE = 2


class Command(BaseCommand):
    """Print what is wrong with the input that followed a state; exit status 1 if anything is, 2 if it can't be read."""

    help = "Check that a resumed run's next input holds exactly one output for every call that is owed one."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("state", nargs="?", help="a state of the Agents SDK, as it was before the run went on")
        parser.add_argument("request", nargs="?", help="the request that followed, or a log of requests")
        parser.add_argument(
            "--run",
            type=int,
            help="a run at the desk: STATE and REQUEST are then numbers of its records, the newest of each if left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line a fault."""
        try:
            found = _found(options["run"], options["state"], options["request"])
        except ImportRefused as refused:
            raise CommandError(visible(f"{refused} ({refused.rule})"), returncode=UNREADABLE) from None
        except (NoSuchRun, runs.NotCheckable) as refused:
            raise CommandError(str(refused), returncode=UNREADABLE) from None
        for fault in found:
            self.stdout.write(visible(str(fault)))
        if found:
            sys.exit(FAULTY)
        self.stdout.write("Every call that is owed an output has exactly one.")


def _found(run_id: int | None, state: str | None, request: str | None) -> Sequence[Fault]:
    if run_id is not None:
        return _of_the_desk(run_id, state, request)
    if state is None or request is None:
        raise CommandError("Name a STATE and a REQUEST, or a run with --run.", returncode=UNREADABLE)
    return faults(bytes_of(state), bytes_of(request))


def _of_the_desk(run_id: int, state: str | None, request: str | None) -> Sequence[Fault]:
    try:
        row = run(run_id, among=None)
    except NoSuchRun:
        raise NoSuchRun(f"There is no run {run_id}.") from None
    numbers = [_number(one) for one in (state, request)]
    return runs.check(row, state=numbers[0], request=numbers[1]).faults


def _number(written: str | None) -> int | None:
    if written is None:
        return None
    if not (written.isascii() and written.isdigit() and len(written) < 10):
        raise CommandError(f"{visible(written)} is not the number of a record.", returncode=UNREADABLE)
    return int(written)

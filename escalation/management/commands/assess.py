"""`manage.py assess [FILE|-]`: one answer a line for scenarios of the semantics, without a database."""

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand

from operations.core.assessing import Assessed, BadLine, assess
from operations.core.permitted import permitted
from operations.core.prose import can_still_happen, explain, happened, safe_to_send_again
from operations.core.scenario import answer

STANDARD_INPUT = "-"
ANSWERED, BAD_LINES, UNREADABLE = 0, 1, 2
_WIDTHS = (5, 24, 30, 30, 0)
_HEADS = ("line", "did it happen?", "could it still happen?", "safe to send again?", "what you may do")


def _error(bad: BadLine) -> str:
    return json.dumps(bad.as_answer(), ensure_ascii=False)


def _answer(found: Assessed) -> str:
    return json.dumps(answer(found.standing), ensure_ascii=False)


def _columns(cells: tuple[str, ...]) -> str:
    return "".join(f"{cell:<{width}}  " for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip()


def _row(found: Assessed) -> str:
    standing = found.standing
    may = [action.value for action, refusal in permitted(standing).items() if refusal is None]
    cells = (str(found.line), happened(standing), can_still_happen(standing), safe_to_send_again(standing))
    row = _columns((*cells, ", ".join(may)))
    return f"{row}  {found.name}" if found.name else row


def _bad_row(bad: BadLine) -> str:
    return f"{bad.line:<5}  not a scenario: {bad.field or 'the line'} {bad.message} ({bad.rule})"


def _prose(found: Assessed) -> str:
    return explain(found.standing, name=found.name or f"Line {found.line}")


def _printers(*, table: bool, prose: bool) -> tuple[Callable[[Assessed], str], Callable[[BadLine], str]]:
    if table:
        return _row, _bad_row
    return (_prose, _bad_row) if prose else (_answer, _error)


class Unreadable(Exception):
    """The scenarios can't be read, for the reason in words."""


@contextmanager
def _opened(name: str) -> Iterator[Iterable[bytes]]:
    """Give the lines of a file or of standard input; whatever keeps them from being read is `Unreadable`."""
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise Unreadable("standard input is closed")
        yield _read(sys.stdin.buffer)
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115  # closed below; only opening it is looked after here
    except OSError as error:
        raise Unreadable(error.strerror) from None
    with file:
        yield _read(file)


def _read(lines: IO[bytes]) -> Iterator[bytes]:
    try:
        yield from lines
    except OSError as error:
        raise Unreadable(error.strerror) from None


def _write_no_more() -> None:
    """Let what is still buffered go nowhere: it can't be written, and the interpreter would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Command(BaseCommand):
    """Reads scenarios as JSON lines and writes one answer a line, in order, as it reads.

    Exit status 0: every line was answered; 1: some line was no scenario, and its place holds the error; 2: the file
    can't be read.
    """

    help = "Answer scenarios (JSON lines) with what is known and what may be done. No database is used."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare FILE and the two ways of printing for people."""
        parser.add_argument(
            "file", nargs="?", default=STANDARD_INPUT, metavar="FILE", help="JSON lines; - is standard input"
        )
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--table", action="store_true", help="print a readable row a line instead of JSON")
        how.add_argument("--explain", action="store_true", help="tell each scenario as prose, with its consequences")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer every line and leave with the exit status."""
        good, bad = _printers(table=options["table"], prose=options["explain"])
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")  # JSON is, whatever the terminal's
        try:
            with _opened(options["file"]) as lines:
                status = self._write(lines, good, bad, at_once=options["file"] == STANDARD_INPUT)
        except Unreadable as error:
            self.stderr.write(f"{options['file']} can't be read: {error}.")
            status = UNREADABLE
        except BrokenPipeError:
            _write_no_more()  # the reader has seen enough
            status = ANSWERED
        except OSError as error:
            self.stderr.write(f"The answers can't be written: {error.strerror}.")
            _write_no_more()
            status = UNREADABLE
        sys.exit(status)

    def _write(
        self,
        lines: Iterable[bytes],
        good: Callable[[Assessed], str],
        bad: Callable[[BadLine], str],
        *,
        at_once: bool,
    ) -> int:
        status = ANSWERED
        if good is _row:
            self.stdout.write(_columns(_HEADS))
        for found in assess(lines):
            if isinstance(found, BadLine):
                status = BAD_LINES
                self.stdout.write(bad(found))
            else:
                self.stdout.write(good(found))
            if at_once:
                self.stdout.flush()
        self.stdout.flush()
        return status

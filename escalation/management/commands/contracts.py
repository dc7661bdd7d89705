"""`manage.py contracts check [FILE ...]` and `manage.py contracts schema`: contracts without a database."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand

from operations.contracts.checking import Report, check
from operations.contracts.document import Document
from operations.contracts.loading import library, library_text

CLEAN, FOUND, UNREADABLE = 0, 1, 2
_SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _texts(names: list[str]) -> Iterator[tuple[str, str]]:
    if not names:
        yield from ((f"library: {name}", library_text(name)) for name in library())
    for name in names:
        yield name, Path(name).read_text(encoding="utf-8")


def _lines(name: str, report: Report, *, overlaps: bool) -> Iterator[str]:
    yield from (f"{name}: refused: {fault}" for fault in report.refused)
    yield from (f"{name}: {finding}" for finding in report.findings)
    if report.document is not None:
        yield from (f"{name}: overlap: {overlap}" for overlap in (report.overlaps if overlaps else ()))
        state = "draft" if report.draft else "can be selected"
        rules, examples = len(report.document.readings), report.examples
        yield f"{name}: {rules} rules, {examples} examples read as they say; {state}"
        yield from (f"{name}: draft: {reason}" for reason in report.draft)


class Command(BaseCommand):
    """Checks contracts, those of the library if no file is named, or writes the JSON Schema of the document.

    Exit status 0: every contract loads, leaves no expected status unhandled and has no rule in vain; 1: something was
    found; 2: a file can't be read. A draft is not a finding.
    """

    help = "Check contract documents, or write their JSON Schema. No database is used."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two words and their options."""
        words = parser.add_subparsers(dest="word", required=True)
        checking = words.add_parser("check", help="load, run the examples, look for gaps and rules in vain")
        checking.add_argument("files", nargs="*", metavar="FILE", help="YAML documents; none: the library")
        checking.add_argument("--overlaps", action="store_true", help="list the pairs of rules whose order decides")
        words.add_parser("schema", help="write the JSON Schema of a contract document, for editors")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what was asked and leave with the exit status."""
        if options["word"] == "schema":
            schema = {"$schema": _SCHEMA_DIALECT, **Document.model_json_schema()}
            self.stdout.write(json.dumps(schema, indent=2, sort_keys=True))
            return
        try:
            sys.exit(self._check(options["files"], overlaps=options["overlaps"]))
        except (OSError, UnicodeDecodeError) as error:
            self.stderr.write(f"A file can't be read: {error}.")
            sys.exit(UNREADABLE)

    def _check(self, names: list[str], *, overlaps: bool) -> int:
        status = CLEAN
        for name, text in _texts(names):
            report = check(text)
            status = status if report.clean else FOUND
            for line in _lines(name, report, overlaps=overlaps):
                self.stdout.write(line)
        return status

"""`manage.py contracts check [FILE ...]` and `contracts schema`, which need no database, and
`contracts impact RECIPIENT FILE`: what publishing a contract would change."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand
from django.utils import timezone

from escalation.screens.contracts.impact import changed, sentences
from operations import versions
from operations.contracts.checking import Report, check
from operations.contracts.document import Document
from operations.contracts.loading import ContractRefused, library, library_text
from operations.impact import Change, impact

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


def _changes(recipient_id: int, *, text: str, now: datetime) -> Iterator[Change]:
    """Yield what would change, page by page, so that any number of operations is looked at in bounded memory."""
    page = impact(recipient_id, text=text, now=now)
    yield from page.changes
    while page.next is not None:
        page = impact(recipient_id, text=text, now=now, after=page.next)
        yield from page.changes


class Command(BaseCommand):
    """Checks contracts, those of the library if no file is named, or writes the JSON Schema of the document.

    Exit status 0: every contract loads, leaves no expected status unhandled and has no rule in vain; 1: something was
    found; 2: a file can't be read. A draft is not a finding. `impact` leaves with 0 if no open operation would stand
    otherwise, 1 if some would or the contract is refused, 2 if there is no such file or recipient; it writes nothing.
    """

    help = "Check contract documents, write their JSON Schema, or tell what publishing one would change."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two words and their options."""
        words = parser.add_subparsers(dest="word", required=True)
        checking = words.add_parser("check", help="load, run the examples, look for gaps and rules in vain")
        checking.add_argument("files", nargs="*", metavar="FILE", help="YAML documents; none: the library")
        checking.add_argument("--overlaps", action="store_true", help="list the pairs of rules whose order decides")
        words.add_parser("schema", help="write the JSON Schema of a contract document, for editors")
        changing = words.add_parser(
            "impact", help="list the open operations that would stand otherwise; writes nothing"
        )
        changing.add_argument("recipient", help="its name in addresses and in the API")
        changing.add_argument("file", metavar="FILE", help="the YAML document that would be published")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what was asked and leave with the exit status."""
        if options["word"] == "schema":
            schema = {"$schema": _SCHEMA_DIALECT, **Document.model_json_schema()}
            self.stdout.write(json.dumps(schema, indent=2, sort_keys=True))
            return
        try:
            if options["word"] == "impact":
                sys.exit(self._impact(options["recipient"], Path(options["file"])))
            sys.exit(self._check(options["files"], overlaps=options["overlaps"]))
        except versions.NoSuchRecipient as error:
            self.stderr.write(f"There is no recipient {error}.")
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

    def _impact(self, recipient: str, file: Path) -> int:
        text, found = file.read_text(encoding="utf-8"), versions.recipient(recipient)
        changes, now = 0, timezone.now()
        try:
            for change in _changes(found.id, text=text, now=now):
                changes += 1
                self.stdout.write("\n".join(sentences(changed(change, now=now))))
        except ContractRefused as refused:
            self.stdout.write("\n".join([f"{file}: refused: {fault}" for fault in refused.faults]))
            return FOUND
        total = versions.open_count(found.id)
        self.stdout.write(f"{changes} of {total} open operations of {recipient} would stand otherwise.")
        return FOUND if changes else CLEAN

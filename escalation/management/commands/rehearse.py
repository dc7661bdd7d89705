"""`manage.py rehearse RECIPIENT`: a contract's counterexamples are played at the collection desk, the effects counted."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from escalation.rehearsing.desk import UnknownTerm
from escalation.rehearsing.keeping import BeingRehearsed, last_number, no_desk, rehearse_and_keep
from escalation.rehearsing.result import STATEMENT, rehearse
from operations import reading
from operations.contracts.loading import document_of

_NOT_KEPT = "Not kept: the desk was told to do otherwise than the contract says."


class Command(BaseCommand):
    """Rehearses one contract version and keeps the result, or says in a sentence why not; then nothing is kept.

    Exit status 1 where a permitted action led to a second effect, or there were more effects than foretold.
    """

    help = "Rehearse a recipient's contract at the collection desk, history by history, with the effects counted."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Let --version name the contract's, not Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose contract, which version, and how the desk differs."""
        parser.add_argument("recipient", help="its name in addresses and in the API")
        parser.add_argument("--version", type=int, help="version of the contract (default: the one in force)")
        parser.add_argument(
            "--desk",
            action="append",
            default=[],
            metavar="TERM=VALUE",
            help="a term that the desk keeps to whatever the contract promises (keeps_for=3600); the result is not kept",
        )

    def handle(self, *args: Any, recipient: str, version: int | None, desk: list[str], **options: Any) -> None:
        """Rehearse it."""
        refused = no_desk()
        if refused is not None:
            raise CommandError(refused)
        try:
            contract = reading.contract_version(recipient, version=version)
            if desk:
                self._otherwise(contract.document, dict(_term(told) for told in desk))
                return
            number = last_number(contract.id) + 1
            kept = rehearse_and_keep(recipient, version=contract.version, number=number, by=None, now=timezone.now())
        except reading.NoSuchContract as missing:
            raise CommandError(f"There is no such contract: {missing}.") from None
        except BeingRehearsed as busy:
            raise CommandError(str(busy)) from None
        self._say(kept.rows, kept.summary)
        self.stdout.write(f"Kept as rehearsal {kept.number} of {recipient}, version {contract.version}.")
        _fail_unless(kept.passed, kept.summary["verdict"])

    def _otherwise(self, text: str, breaking: dict[str, Any]) -> None:
        try:
            found = rehearse(document_of(text), breaking=breaking)
        except UnknownTerm as wrong:
            raise CommandError(f"The desk can't be told that: {wrong}") from None
        self._say(list(found.rows), found.summary())
        self.stdout.write(_NOT_KEPT)
        _fail_unless(found.passed, found.verdict)

    def _say(self, rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        self.stdout.write(STATEMENT)
        for row in rows:
            if not row["agrees"]:
                self.stdout.write(
                    f"{row['scene']}: {row['sentence']} {row['action']} ({row['verdict']}): {_effects(row)}"
                )
                self.stdout.write(f"    {row['way']}; a desk that {row['desk']}")
        for answer in summary["unread"]:
            self.stdout.write(f"No rule of this contract reads it: {answer}.")
        for scene, action in summary["cautions"]:
            self.stdout.write(f"{scene}: {action} is refused for harm, and no history did any: caution without need.")
        self.stdout.write(f"{summary['runs']} runs. {summary['verdict']}")


def _effects(row: dict[str, Any]) -> str:
    return f"{' or '.join(str(one) for one in row['counted'])} counted, {row['most']} foretold at most"


def _term(told: str) -> tuple[str, Any]:
    name, _, value = told.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _fail_unless(passed: bool, verdict: str) -> None:  # noqa: FBT001
    if not passed:
        raise CommandError(verdict)

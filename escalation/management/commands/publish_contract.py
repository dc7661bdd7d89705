"""`manage.py publish_contract`: a recipient gets its contract, from the library or from a file."""

import re
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from escalation.decisions.contract_draft import announce_published
from operations.contracts.loading import ContractRefused, Draft, library, library_text
from operations.recording.addressing import AddressRefused, set_address
from operations.recording.publishing import publish

_KEY = re.compile(r"[-a-zA-Z0-9_]{1,64}")


class Command(BaseCommand):
    """Publishes one contract version, or says in a sentence why not; then nothing was written."""

    help = "Publish a contract for a recipient; the recipient is made if it is new."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose contract, and which."""
        parser.add_argument("recipient", help="its name in addresses and in the API: letters, digits, - and _")
        parser.add_argument("contract", help="a name of the library (manage.py contracts check lists them) or a file")
        parser.add_argument("--at", help="where the desk asks the recipient, as https://api.example")
        parser.add_argument("--name", help="what people read (default: the same)")

    def handle(
        self, *args: Any, recipient: str, contract: str, name: str | None, at: str | None, **options: Any
    ) -> None:
        """Publish it."""
        if not _KEY.fullmatch(recipient):
            raise CommandError("Name the recipient in 1 to 64 letters, digits, - and _.")
        try:
            row = publish(recipient, name=(name or recipient)[:200], text=_text(contract), now=timezone.now())
        except ContractRefused as refused:
            raise CommandError(f"The contract is refused:\n{refused}") from refused
        except Draft as draft:
            raise CommandError(f"The contract is a draft and can't be used: {draft}.") from draft
        announce_published()
        if at is not None:
            _set_address(recipient, at)
        self.stdout.write(f"{recipient} stands on version {row.version} of its contract.")


def _set_address(recipient: str, address: str) -> None:
    try:
        set_address(recipient, address=address)
    except AddressRefused as refused:
        raise CommandError(f"The contract is published; the address is not kept: {refused}") from refused


def _text(contract: str) -> str:
    if contract in library():
        return library_text(contract)
    try:
        return Path(contract).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{contract} is neither in the library ({', '.join(library())}) nor a file.") from error

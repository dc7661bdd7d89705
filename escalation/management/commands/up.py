"""`manage.py up`: the whole desk in one command."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from escalation.env import MissingSecret
from escalation.running.desk import Address, run
from escalation.running.refused import CannotStart
from escalation.running.supervisor import Supervisor


class Command(BaseCommand):
    """Runs the desk until it is asked to stop; exit status 1 with one sentence when it can't."""

    help = "Start PostgreSQL and Valkey (unless DATABASE_URL / REDIS_URL are set), the web, a worker and beat; Ctrl-C stops all."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen."""
        host, port = os.environ.get("UNRESOLVED_HOST", "127.0.0.1"), os.environ.get("UNRESOLVED_PORT", "8000")
        parser.add_argument("--host", default=host, help="address to listen on (UNRESOLVED_HOST, else 127.0.0.1)")
        parser.add_argument("--port", default=port, type=int, help="port to listen on (UNRESOLVED_PORT, else 8000)")

    def opened(self, desk: Supervisor, address: Address) -> None:
        """Do what is to be done once the desk is open: nothing."""

    def say(self, line: str) -> None:
        """Say a line at once, into a pipe or a file too: the first one may be a link that somebody waits for."""
        self.stdout.write(line)
        self.stdout.flush()

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Run it."""
        try:
            run(Address(host=host, port=port), say=self.say, opened=self.opened)
        except (CannotStart, MissingSecret) as error:
            self.stderr.write(str(error))
            sys.exit(1)

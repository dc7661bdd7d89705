"""`python -m tests.recipients.collection_desk`: a desk of its own; its first line says where, as JSON."""

import argparse
import json
import os
import signal
import sys
import threading
from dataclasses import asdict, fields
from pathlib import Path

from tests.recipients.collection_desk.clock import running, stopped
from tests.recipients.collection_desk.opening import CREDENTIALS, open_desk
from tests.recipients.collection_desk.strict import made
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import DeskError

FROM_ENVIRONMENT = "COLLECTION_DESK_CONTROL_TOKEN"


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.recipients.collection_desk", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="of the desk (default: any that is free)")
    parser.add_argument("--control-port", type=int, default=0, help="of its control (default: any that is free)")
    parser.add_argument("--journal", type=Path, help="where it remembers what it did (default: in memory alone)")
    parser.add_argument("--clock", type=float, metavar="SECONDS", help="stand at this time (default: run)")
    parser.add_argument(
        "--credential", action="append", default=[], metavar="ACCOUNT=TOKEN", help="whom to know (default: one and two)"
    )
    names = ", ".join([field.name for field in fields(Terms)])
    parser.add_argument("--terms", type=json.loads, help=f"as JSON: {names}")
    parser.epilog = f"The token for control is read from {FROM_ENVIRONMENT}, or made and printed."
    return parser


def _credentials(given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    return {token: account for account, _, token in pairs} or CREDENTIALS


def main() -> int:
    """Keep a desk open until a signal says to stop; returns the exit status."""
    parser = _arguments()
    given = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    try:
        terms = made(Terms, given.terms) if given.terms is not None else None
    except (DeskError, TypeError) as wrong:
        parser.error(f"--terms: {wrong}")
    with open_desk(
        terms=terms,
        clock=running() if given.clock is None else stopped(given.clock),
        credentials=_credentials(given.credential),
        journal=given.journal,
        port=given.port,
        control_port=given.control_port,
        control_token=os.environ.get(FROM_ENVIRONMENT),
    ) as opened:
        sys.stdout.write(json.dumps(asdict(opened)) + "\n")
        sys.stdout.flush()
        over.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())

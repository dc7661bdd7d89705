"""`python -m unresolved mcp-proxy … -- COMMAND`: stands before the MCP server that COMMAND starts, by stdio."""

import argparse
import os
import signal
import sys
import time

from unresolved.background import EVERY, Shipper
from unresolved.desk import Desk
from unresolved.journal import Journal
from unresolved.kept import JournalUnwritable
from unresolved.proxy.naming import Naming, Rule
from unresolved.proxy.relaying import Relay, started
from unresolved.proxy.wire_log import WireLog
from unresolved.recorder import Recorder
from unresolved.words import Mode, Sends


def options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("--desk", required=True, metavar="URL")
    parser.add_argument("--journal", required=True, metavar="FILE", help="made where it is not there")
    parser.add_argument(
        "--contract", action="append", default=[], metavar="TOOL=CONTRACT", help="an effectful tool, and its recipient"
    )
    parser.add_argument(
        "--intent", action="append", default=[], metavar="TOOL=/POINTER", help="the argument that names the intent"
    )
    parser.add_argument("--task", metavar="NAME", help="what the agent is at; the same after a restart")
    parser.add_argument("--strict", action="store_true", help="send nothing that the desk did not allow")
    parser.add_argument("--server", default="mcp", metavar="NAME", help="the server's name in the bound request")
    parser.add_argument("--scope", default="", metavar="TEXT", help="the account that the server acts in")
    parser.add_argument("--wire-log", metavar="FILE", help="a line a message, which the desk can import")
    parser.add_argument("--patience", type=float, metavar="SECONDS", help="after which a caller gets the envelope")
    parser.add_argument("--desk-patience", type=float, default=5.0, metavar="SECONDS")
    parser.add_argument("--ship-every", type=float, default=EVERY, metavar="SECONDS", help="what waits for the desk")
    parser.add_argument("command", nargs="+", metavar="COMMAND")


def run(asked: argparse.Namespace, key: str | None) -> int:
    """Relay until the server ends; returns its exit status, or 2 where it can't be started."""
    if key is None:
        return _wrong("set UNRESOLVED_KEY or UNRESOLVED_KEY_FILE, to a key of scope transport")
    try:
        naming, journal = _naming(asked), Journal(asked.journal)
        log = WireLog(asked.wire_log, clock=time.time, complain=_complain)
        with journal.reading():
            pass
        server = started(asked.command, os.environ)
    except (ValueError, OSError, JournalUnwritable) as error:
        return _wrong(str(error))
    recorder = Recorder(
        journal=journal,
        desk=Desk(url=asked.desk, key=key, patience=asked.desk_patience),
        mode=Mode.DESK if asked.strict else Mode.LOCAL,
        passing=asked.passing or _passes,
    )
    shipper = Shipper(recorder=recorder, every=asked.ship_every)
    relay = Relay(server, naming, recorder, log=log, patience=asked.patience)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, relay.stop)
    shipper.start()  # what an earlier process left as well
    try:
        return relay.run()
    finally:
        shipper.stop(wait=0)  # whoever ends us waits for no desk


def _naming(asked: argparse.Namespace) -> Naming:
    recipients, intents = _pairs("--contract", asked.contract), _pairs("--intent", asked.intent)
    for tool, pointer in intents.items():
        if tool not in recipients:
            raise ValueError(f"--intent {tool}: name its contract as well")
        if not pointer.startswith("/"):
            raise ValueError(f"--intent {tool}: a JSON pointer begins with /")
    if asked.task is not None and not 1 <= len(asked.task) <= 200:
        raise ValueError("--task may have 1 to 200 characters")
    rules = {tool: Rule(recipient=name, intent=intents.get(tool)) for tool, name in recipients.items()}
    return Naming(rules=rules, task=asked.task, server=asked.server, scope=asked.scope, sends=Sends.MANY)


def _pairs(option: str, texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        tool, sign, value = text.partition("=")
        if not (tool and sign and value) or tool in found:
            raise ValueError(f"{option} {text}: must be TOOL={option[2:].upper()}, once a tool")
        found[tool] = value
    return found


def _passes(_: str) -> None:
    """Nobody wants to know."""


def _complain(sentence: str) -> None:
    sys.stderr.write(f"unresolved: {sentence}\n")


def _wrong(sentence: str) -> int:
    _complain(sentence)
    return 2

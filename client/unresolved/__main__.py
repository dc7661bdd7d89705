"""`python -m unresolved ship JOURNAL --desk URL`: tells a desk what a journal still holds, for a timer or by hand.

It prints one JSON object. Exit status 0: nothing waits, 1: something does, 2: it can't be done. `mcp` serves an agent
over MCP, `mcp-proxy` stands before any MCP server.

The key is read from the environment, `UNRESOLVED_KEY`, or from the file that `UNRESOLVED_KEY_FILE` names; an argument would
be seen by everybody on the machine.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from unresolved.desk import PATIENCE, Desk
from unresolved.journal import Journal
from unresolved.kept import JournalUnwritable
from unresolved.proxy import command as proxy
from unresolved.shipping import ship


def main(arguments: list[str], *, passing: Callable[[str], None] | None = None) -> int:
    """Do what the arguments say, and return the exit status; `passing` is told of each step of a call that was passed."""
    asked = parser().parse_args(arguments)
    asked.passing = passing
    doing: Callable[[argparse.Namespace, str | None], int] = asked.doing
    return doing(asked, _key())


def _ship(asked: argparse.Namespace, key: str | None) -> int:
    if key is None:
        return _wrong("set UNRESOLVED_KEY or UNRESOLVED_KEY_FILE")
    if not asked.journal.is_file():
        return _wrong(f"{asked.journal} is no file")
    journal = Journal(asked.journal)
    try:
        found = ship(journal, Desk(url=asked.desk, key=key), clock=time.time)
    except JournalUnwritable as error:
        return _wrong(str(error))
    finally:
        journal.close()
    sys.stdout.write(f"{json.dumps(asdict(found))}\n")
    return 1 if found.waiting else 0


def parser() -> argparse.ArgumentParser:
    """Return what reads the arguments of every verb."""
    found = argparse.ArgumentParser(prog="python -m unresolved", description="The agent's side of Unresolved.")
    verbs = found.add_subparsers(required=True, metavar="VERB")
    shipping = verbs.add_parser("ship", help="tell the desk what it was not told yet, once however often")
    shipping.add_argument("journal", type=Path, help="the journal's file")
    shipping.add_argument("--desk", required=True, metavar="URL")
    shipping.set_defaults(doing=_ship)
    serving = verbs.add_parser("mcp", help="serve an agent over MCP, by stdio or by streamable HTTP")
    serving.add_argument("--desk", required=True, metavar="URL")
    serving.add_argument("--http", metavar="HOST:PORT", help="each caller brings a key; without this, stdio")
    serving.add_argument("--patience", type=float, default=PATIENCE, metavar="SECONDS", help="for the desk")
    serving.add_argument("--allow-host", action="append", default=[], metavar="HOST[:PORT]")
    serving.set_defaults(doing=_serve)
    standing = verbs.add_parser("mcp-proxy", help="stand before an MCP server that a command starts")
    proxy.options(standing)
    standing.set_defaults(doing=proxy.run)
    return found


def _serve(asked: argparse.Namespace, key: str | None) -> int:
    try:
        from unresolved.mcp.command import run  # only this needs the extra `mcp`
    except ModuleNotFoundError as error:
        return _wrong(f"install unresolved-client[mcp]: {error}")
    return run(asked, key)


def _key() -> str | None:
    key, file = os.environ.get("UNRESOLVED_KEY"), os.environ.get("UNRESOLVED_KEY_FILE")
    return key or (Path(file).read_text().strip() if file else None)


def _wrong(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

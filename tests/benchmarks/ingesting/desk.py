"""A desk as `manage.py up` starts it, with a data folder of its own, a recipient with a contract, and a key."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
RECIPIENT: Final = "desk"
CONTRACT: Final = "collection-desk"
# The pace of each call is counted as ever; the allowance is one that no round uses up.
ALLOWANCE: Final = "1000000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where the web listens, and the key that opens it for registrations."""

    port: int
    key: str


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def open_desk() -> Iterator[Desk]:
    """A desk is open, on DATABASE_URL and REDIS_URL where they are given; this process is connected as its app role."""
    folder = Path(tempfile.mkdtemp(prefix="unresolved-benchmark-"))
    os.environ |= {"UNRESOLVED_VAR": str(folder), "UNRESOLVED_API_CALLS_A_MINUTE": ALLOWANCE}
    os.environ["DJANGO_SETTINGS_MODULE"] = "escalation.settings"
    port = free_port()
    up = [sys.executable, "manage.py", "up", f"--port={port}"]
    process = subprocess.Popen(up, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        _wait_until_open(process)
        yield Desk(port=port, key=_key())
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        records = (folder / "postgres").resolve()
        if records.parent != folder:  # root's PostgreSQL keeps them elsewhere (docs/install.md, As root)
            shutil.rmtree(records.parent, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_open(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if " is open at " in line:
            return
    raise RuntimeError("the desk did not open; it said why above")


def _key() -> str:
    import django

    django.setup()
    from django.core.management import call_command

    from operations.keys import create_key

    with open(os.devnull, "w") as nobody:  # noqa: PTH123  # not a file that anybody reads
        call_command("publish_contract", RECIPIENT, CONTRACT, stdout=nobody)
    now = datetime.now(UTC)
    return create_key("benchmark", scopes=["transport"], recipients=[RECIPIENT], now=now, lasts=timedelta(days=1))

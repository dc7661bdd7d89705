"""Agents in processes of their own, on one journal."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOBODY = "http://127.0.0.1:9"
_WAIT = 60  # seconds; a bound, not a delay


def started(
    journal: Path,
    origin: str,
    point: str,
    *,
    order: str = "order-1001",
    desk: str = NOBODY,
    key: str = "unr_none",
    ago: float = 0,
) -> subprocess.Popen[str]:
    """Start an agent that dies at `point`, or doesn't where there is no such point, at a desk where nobody answers.

    `ago`: seconds by which it dates itself back, because the recipient wants some between two requests.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "tests.client.killed", str(journal), origin, point, order, desk, key, str(ago)],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(some: Sequence[subprocess.Popen[str]]) -> list[tuple[int, Any]]:
    """Wait for them; return their exit statuses and envelopes."""
    found = []
    for one in some:
        said, wrong = one.communicate(timeout=_WAIT)
        assert not wrong, wrong
        found.append((one.returncode, json.loads(said or "null")))
    return found

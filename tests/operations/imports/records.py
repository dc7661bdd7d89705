"""Records that the real SDKs made, and small ones of our own."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "transcripts"
GOLD: dict[str, list[dict[str, Any]]] = json.loads((DATA / "expected_facts.json").read_bytes())


def named(name: str) -> bytes:
    """The record of this name, whatever its ending."""
    return next(DATA.glob(f"{name}.json*")).read_bytes()


def run(*names: str) -> bytes:
    """The record of a run state."""
    return named(f"runstate/{names[0]}")


def log(name: str) -> bytes:
    """The log of the requests that a run made."""
    return named(f"model_inputs/{name}")


def encoded(value: Any) -> bytes:
    """A value as a record."""
    return json.dumps(value).encode()

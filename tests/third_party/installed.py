"""Which of the third-party recipients are installed, and where; a test whose recipient is absent says how to install it."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
# Not the data folder of the tests, which is gone after them.
FOLDER: Final = ROOT / "var" / "third-party"
NAMES: Final = ("localstripe", "moto", "mockworld")
COMMAND: Final = "python -m tests.third_party install"


def lock(name: str) -> Path:
    """The lock of this recipient and the library that calls it."""
    return Path(__file__).with_name(f"requirements-{name}.lock")


def python(name: str) -> Path:
    """The interpreter of its environment."""
    return FOLDER / name / "bin" / "python"


def is_installed(name: str) -> bool:
    """Say whether it is installed as its lock says now."""
    stamp = _stamp(name)
    return stamp.is_file() and stamp.read_text() == _digest(name)


def needs(name: str) -> pytest.MarkDecorator:
    """Skip the tests of a recipient that is not installed, or not as its lock says."""
    return pytest.mark.skipif(not is_installed(name), reason=f"{name} is not installed here: run `{COMMAND}`")


def install(name: str) -> None:
    """Make its environment anew, every package by its hash; raises CalledProcessError where one can't be had."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    words = ["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r"]
    subprocess.run([str(python(name)), *words, str(lock(name))], check=True)
    _stamp(name).write_text(_digest(name))


def environment() -> dict[str, str]:
    """What a process of theirs is given: nothing of ours, and no proxy or account of whoever runs the tests."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": str(FOLDER), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _stamp(name: str) -> Path:
    return FOLDER / name / "installed-from"


def _digest(name: str) -> str:
    return sha256(lock(name).read_bytes()).hexdigest()

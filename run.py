#!/usr/bin/env python3
"""Unresolved with one command: makes .venv beside this file, installs the pinned packages, starts the desk."""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

USAGE = """\
python3 run.py                  start the desk; the first start prints a sign-in link (same as: run.py up)
python3 run.py demo             start it with a demonstration recipient and an agent that lost its replies
python3 run.py test [...]       run the tests, one process a core (-n0: only one); what follows goes to pytest
python3 run.py COMMAND [...]    any command of manage.py (run.py help lists them)
python3 run.py --help           this text

Everything it keeps is in ./var, everything it installs in ./.venv. Needs Python 3.11 or newer.
"""
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed.json"
NEEDED = (3, 11)


def refusal() -> "str | None":
    """What this Python lacks, as one sentence that says what to do, or None."""
    version = ".".join(str(part) for part in sys.version_info[:2])
    if sys.version_info < NEEDED:
        return f"Unresolved needs Python 3.11 or newer and this is {version}: start it with python3.11 run.py or newer."
    if os.name != "posix":
        return "Unresolved runs on Linux and macOS: on Windows, start it inside WSL."
    if not PYTHON.exists() and not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return f"This Python can't make a virtual environment: on Debian, apt-get install python{version}-venv first."
    return None


def wanted(locks: "list[Path]") -> "dict[str, str]":
    """What .venv must have been made from: a Python of this version and the text of each lock."""
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return {"python": python, **{lock.name: hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks}}


def installed() -> "dict[str, str]":
    """What .venv was made from; empty when its installation never ended, or its Python has gone."""
    if not PYTHON.exists():
        return {}
    try:
        return dict(json.loads(STAMP.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):
        return {}


def install(locks: "list[Path]") -> None:
    """Leave .venv with what `locks` pin. The stamp goes first and comes last: an interrupted run is done again."""
    print(f"Installing what {locks[-1].name} pins into {VENV} ...", file=sys.stderr)
    clear = [] if wanted([]).items() <= installed().items() else ["--clear"]
    STAMP.unlink(missing_ok=True)
    subprocess.run([sys.executable, "-m", "venv", *clear, str(VENV)], check=True, stdout=sys.stderr)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, *(word for lock in locks for word in ("-r", str(lock)))], check=True, stdout=sys.stderr)
    STAMP.write_text(json.dumps(wanted(locks)), encoding="utf-8")


def prepare(locks: "list[Path]") -> None:
    """`install` when a lock or the Python changed, one run at a time: a second one waits and finds it done."""
    import fcntl  # not on Windows, which `refusal` turns away in words

    if wanted(locks).items() <= installed().items():
        return
    with (ROOT / ".venv.lock").open("w") as lock:  # beside .venv, which `install` may clear
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not wanted(locks).items() <= installed().items():
            install(locks)


def command(words: "list[str]") -> "list[str]":
    """The command line that `words` stand for, to be run in ROOT."""
    if words[0] == "test":  # a process a core, each with servers of its own; a file stays in one, in its order
        return [
            str(PYTHON),
            "-m",
            "pytest",
            "--numprocesses=logical",
            "--maxprocesses=4",
            "--dist=loadfile",
            *words[1:],
        ]
    return [str(PYTHON), "manage.py", *words]


def main(words: "list[str]") -> int:
    """Run `words`; only returns (an exit status) when there is nothing to hand over to."""
    if words[:1] in (["--help"], ["-h"]):
        print(USAGE, end="")
        return 0
    words = words or ["up"]
    locks = [ROOT / "requirements.lock"] + [ROOT / "requirements-dev.lock"] * (words[0] == "test")
    problem = refusal()
    try:
        if problem is None:
            prepare(locks)
    except OSError as error:
        problem = f"{error.filename or ROOT}: {error.strerror}. Start it as a user who may write in {ROOT}."
    except subprocess.CalledProcessError:
        problem = "The packages could not be installed, for the reason above; once it is mended, start again."
    if problem is not None:
        print(problem, file=sys.stderr)
        return 1
    os.chdir(ROOT)
    return os.execv(PYTHON, command(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

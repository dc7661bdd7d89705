"""What the product is measured against and never runs on: installed apart, imported by processes of their own only."""

import site
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]
FOLDER: Final = ROOT / "var" / "benchmark-peers"
LOCK: Final = ROOT / "tests" / "benchmarks" / "requirements.lock"
HOW: Final = "python -m tests.benchmarks NAME --peers installs them into var/benchmark-peers"


def install() -> None:
    """What the lock pins is in the peers' folder, checked by its hashes; the product's own packages are untouched."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([*pip, "--no-deps", "--upgrade", "--target", str(FOLDER), "-r", str(LOCK)], check=True)


def absent() -> list[str]:
    """The packages of the lock that are not in the peers' folder in the version that is pinned."""
    there = {one.name.lower().replace("_", "-"): one.version for one in distributions(path=[str(FOLDER)])}
    pinned = [line.split()[0].split("==") for line in LOCK.read_text().splitlines() if "==" in line and ";" not in line]
    return [name for name, version in pinned if there.get(name.lower()) != version]


def enter() -> None:
    """Let this process import the peers; what the product has installed comes first, so both run on the same Django."""
    site.addsitedir(str(FOLDER))

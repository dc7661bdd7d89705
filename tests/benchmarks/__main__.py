"""`python -m tests.benchmarks NAME`: prints each figure of tests/benchmarks/NAME.py as one JSON line.

`--peers` first installs what a benchmark compares with and the product does without, from requirements.lock beside this
file, into a folder of its own. `--operations N` says over how many `queue` is measured; `make-data --operations N` writes
them into the empty database that DATABASE_URL names, unless they are there, and nothing is measured.
"""

import importlib
import json
import os
import sys
from pathlib import Path

from tests.benchmarks.measure import LeftOut
from tests.benchmarks.peers import install

OPERATIONS = "BENCHMARK_OPERATIONS"
NOT_BENCHMARKS = {"__init__", "__main__", "measure"}


def names() -> list[str]:
    """The benchmarks there are, in alphabetical order."""
    return sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - NOT_BENCHMARKS)


def _sized(arguments: list[str]) -> list[str]:
    """Take `--operations N` out of the arguments and keep it for `queue`."""
    if "--operations" not in arguments[:-1]:
        return arguments
    at = arguments.index("--operations")
    os.environ[OPERATIONS] = str(int(arguments[at + 1]))
    return [*arguments[:at], *arguments[at + 2 :]]


def _make_data() -> int:
    from tests.benchmarks.ingesting.desk import open_desk
    from tests.benchmarks.queueing import data

    if "DATABASE_URL" not in os.environ or OPERATIONS not in os.environ:
        sys.stderr.write("make-data takes --operations N, and a DATABASE_URL to write them into\n")
        return 2
    with open_desk():
        try:
            data.make(int(os.environ[OPERATIONS]))
        except data.NotEmpty as why:
            sys.stderr.write(f"{why}: name an empty one in DATABASE_URL\n")
            return 2
    return 0


def main(arguments: list[str]) -> int:
    """Exit status: 0 measured, 2 for a name that is not a benchmark, 3 where figures had to be left out, which is said.

    A missed target is printed, not an error.
    """
    wanted = [word for word in _sized(arguments) if word != "--peers"]
    if wanted == ["make-data"]:
        return _make_data()
    if len(wanted) != 1 or wanted[0] not in names():
        sys.stderr.write(f"usage: python -m tests.benchmarks {{{','.join(names())}}} [--peers]\n")
        return 2
    if "--peers" in arguments:
        install()
    try:
        for figure in importlib.import_module(f"tests.benchmarks.{wanted[0]}").figures():
            print(json.dumps(figure.as_row()), flush=True)
    except LeftOut as left_out:
        sys.stderr.write(f"{left_out}\n")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m tests.benchmarks NAME`: prints each figure of tests/benchmarks/NAME.py as one JSON line."""

import importlib
import json
import sys
from pathlib import Path

NOT_BENCHMARKS = {"__init__", "__main__", "measure"}


def names() -> list[str]:
    """The benchmarks there are, in alphabetical order."""
    return sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - NOT_BENCHMARKS)


def main(arguments: list[str]) -> int:
    """Exit status: 0 measured, 2 for a name that is not a benchmark. A missed target is printed, not an error."""
    if len(arguments) != 1 or arguments[0] not in names():
        sys.stderr.write(f"usage: python -m tests.benchmarks {{{','.join(names())}}}\n")
        return 2
    for figure in importlib.import_module(f"tests.benchmarks.{arguments[0]}").figures():
        print(json.dumps(figure.as_row()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`python -m tests.simulator [suite | full | flipped]`: run the proof, or change every row of the law, and report."""

import sys
import time
from collections.abc import Iterator

from tests.simulator import flipped
from tests.simulator.exhaustive import Tally, full, suite, sweep


def figures(tally: Tally, taken: float) -> Iterator[str]:
    """Return what a run counted, a line each."""
    yield f"{tally.scenarios:,} scenarios, {tally.worlds:,} worlds in {tally.classes:,} classes, {taken:.0f} s"
    for check, count in tally.wrong.most_common():
        yield f"WRONG {count} times: {check}: {tally.first[check]}"
    for corner, count in tally.corners.most_common():
        yield f"listed exception, {count} times: {corner}: {tally.cornered[corner]}"


def main(what: str) -> int:
    """Print the report that was asked for; return 1 if anything was wrong."""
    if what == "flipped":
        lines = list(flipped.report())
        sys.stdout.write("\n".join(lines) + "\n")
        return int(any(flipped.NOT_NOTICED in line for line in lines))
    started = time.perf_counter()
    tally = sweep({"suite": suite, "full": full}[what]())
    sys.stdout.write("\n".join(figures(tally, time.perf_counter() - started)) + "\n")
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "suite"))

"""`python -m tests.simulator [suite|full]`: run the proof and print its figures."""

import sys
import time

from tests.simulator.exhaustive import Tally, full, suite, sweep

def report(tally: Tally, taken: float) -> int:
    """Print what a run counted; return 1 if anything was wrong."""
    print(f"{tally.scenarios:,} scenarios, {tally.worlds:,} worlds in {tally.classes:,} classes, {taken:.0f} s")
    for check, count in tally.wrong.most_common():
        print(f"WRONG {count} times: {check}: {tally.first[check]}")
    for corner, count in tally.corners.most_common():
        print(f"listed exception, {count} times: {corner}: {tally.cornered[corner]}")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    started = time.perf_counter()
    jobs = {"suite": suite, "full": full}[sys.argv[1] if len(sys.argv) > 1 else "suite"]()
    sys.exit(report(sweep(jobs), time.perf_counter() - started))

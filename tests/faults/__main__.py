"""`python -m tests.faults --seed N --rounds R`: break off every act at every point in every process, and judge.

Prints progress, the fault table and the planted bugs; `--json` and `--page` write the whole to files. Exit status 1 if
anything was wrong, was missing, was broken off less than it was asked to be, or was planted and not found. With `--json`
each trial is written down as it ends, beside that file: a run that was cut is gone on with by the same command.
"""

import argparse
import math
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
# The server's processes are killed, the machine is not: it needs no disk to be waited for. What is committed stays.
QUICK: Final = {"fsync": "off", "full_page_writes": "off", "scram_iterations": "1"}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the order in which points are taken")
    parser.add_argument("--rounds", type=int, default=5, help="how often each point is broken off in each process")
    parser.add_argument("--lanes", type=int, default=2, help="so many desks at the same time")
    parser.add_argument("--minutes", type=float, default=math.inf, help="when no other trial is begun any more")
    parser.add_argument("--most", type=int, help="so many trials at most")
    parser.add_argument("--act", action="append", help="these acts alone; nothing is missing then")
    parser.add_argument("--json", type=Path, help="where the run is written as JSON")
    parser.add_argument("--page", type=Path, help="where the run is written as a page, with every point")
    parser.add_argument("--lane", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--earlier", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _lane(given: argparse.Namespace) -> Any:
    """Play this lane's share on a desk of its own."""
    from tests.benchmarks.asking.servers import open_servers

    with open_servers(options=QUICK):
        from tests.faults import running
        from tests.faults.acts import ACTS
        from tests.faults.stage import stage
        from tests.faults.warm import warm

        acts = [act for act in ACTS if not given.act or act.name in given.act]
        with stage(crashes=True) as here:
            warm(here)
            run = running.traced(here, acts, seed=given.seed, rounds=given.rounds)
            if given.act:
                run.missing = []
            if given.lane == 0 and not given.act:
                running.look_for_planted(here, ACTS, run, everywhere=True, tell=_say)
            _break_off(given, here, run, acts)
            return run


def _break_off(given: argparse.Namespace, here: Any, run: Any, acts: Any) -> None:
    from tests.faults import running

    journal = _journal(given)
    earlier = [] if journal is None else journal.read(given.earlier)
    planned = running.plan(run, acts, earlier)[: given.most][given.lane :: given.lanes]
    running.broken_off(
        here,
        planned,
        run,
        within=60 * given.minutes,
        tell=lambda text: _say(f"lane {given.lane}: {text}"),
        journal=journal,
    )


def _journal(given: argparse.Namespace) -> Any:
    """Where trials are written down, or None."""
    from tests.faults.journal import Journal

    return Journal(given.json.with_name(f"{given.json.name}.trials")) if given.json else None


def _lanes(given: argparse.Namespace, *, earlier: int) -> list[Any]:
    words = [sys.executable, "-m", "tests.faults", *sys.argv[1:], f"--lanes={given.lanes}", f"--earlier={earlier}"]
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        into = [Path(folder) / str(lane) for lane in range(given.lanes)]
        going = [
            subprocess.Popen([*words, f"--lane={lane}", f"--into={path}"], cwd=ROOT) for lane, path in enumerate(into)
        ]
        ended = [one.wait() for one in going]
        if any(ended):
            raise SystemExit(f"lanes ended with {ended}")
        return [pickle.loads(path.read_bytes()) for path in into]  # noqa: S301  # written by the lanes just now


def _know_the_rows() -> None:
    """What the lanes found names classes of the desk's, and so does what was found earlier."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")
    django.setup()


def _joined(runs: list[Any], *, seconds: float) -> Any:
    first = runs[0]
    for other in runs[1:]:
        if {act: ran.passed for act, ran in other.traced.items()} != {a: r.passed for a, r in first.traced.items()}:
            first.wrong_before.append("two lanes passed different points")
        first.trials += other.trials
        first.wrong_before += [said for said in other.wrong_before if said not in first.wrong_before]
    first.seconds = seconds
    return first


def main() -> int:
    """Play every lane, and say what came of them."""
    given = _arguments()
    if given.lane is not None:
        given.into.write_bytes(pickle.dumps(_lane(given)))
        return 0
    began = time.monotonic()
    _know_the_rows()
    journal = _journal(given)
    earlier = 0 if journal is None else journal.open(seed=given.seed)
    run = _joined(_lanes(given, earlier=earlier), seconds=time.monotonic() - began)
    run.seconds = time.monotonic() - began
    if journal is not None:
        had = [one for one in journal.read(earlier) if one.act in run.traced]
        run.trials, run.earlier = had + run.trials, len(had)
    return _told(run, given)


def _told(run: Any, given: argparse.Namespace) -> int:
    from tests.faults import table

    told = table.as_json(run)
    return table.tell(told, given)


if __name__ == "__main__":
    sys.exit(main())

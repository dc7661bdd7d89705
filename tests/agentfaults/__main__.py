"""`python -m tests.agentfaults --seed N --rounds R`: break off every life of an agent at every point, and judge.

Prints progress, the fault table and the planted bugs; `--json` and `--page` write the whole to files. Exit status 1 if
anything was wrong, was missing, was broken off less than it was asked to be, or was planted and not found.
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
QUICK: Final = {"fsync": "off", "full_page_writes": "off", "scram_iterations": "1"}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agentfaults", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the order, the delays, and what else is drawn")
    parser.add_argument("--rounds", type=int, default=3, help="how often each point is broken off in each process")
    parser.add_argument("--lanes", type=int, default=1, help="so many desks at the same time, each with its share")
    parser.add_argument("--minutes", type=float, default=math.inf, help="when no other trial is begun any more")
    parser.add_argument("--most", type=int, help="so many trials at most")
    parser.add_argument("--act", action="append", help="these acts alone; nothing is missing then")
    parser.add_argument("--plant", help="this bug is there all the time; the run then fails")
    parser.add_argument("--json", type=Path, help="where the run is written as JSON")
    parser.add_argument("--page", type=Path, help="where the run is written as a page, with every point")
    parser.add_argument("--lane", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Play every lane, and say what came of them."""
    given, began = _arguments(), time.monotonic()
    if given.lane is not None:
        given.into.write_bytes(pickle.dumps(_lane(given)))
        return 0
    run = _joined(_lanes(given))
    run.seconds = time.monotonic() - began
    return _told(run, given)


def _lane(given: argparse.Namespace) -> Any:
    """Play this lane's share on servers of its own."""
    from tests.benchmarks.asking.servers import open_servers

    with open_servers(options=QUICK):
        return _played(given)


def _lanes(given: argparse.Namespace) -> list[Any]:
    words = [sys.executable, "-m", "tests.agentfaults", *sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="agentfaults-") as folder:
        into = [Path(folder) / str(lane) for lane in range(given.lanes)]
        going = [
            subprocess.Popen([*words, f"--lane={lane}", f"--into={path}"], cwd=ROOT) for lane, path in enumerate(into)
        ]
        ended = [one.wait() for one in going]
        if any(ended):
            raise SystemExit(f"lanes ended with {ended}")
        import django

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")

        django.setup()  # what the lanes found names classes of the desk's
        return [pickle.loads(path.read_bytes()) for path in into]  # noqa: S301  # written by the lanes just now


def _joined(runs: list[Any]) -> Any:
    first = runs[0]
    for other in runs[1:]:
        if {act: ran.passed for act, ran in other.traced.items()} != {a: r.passed for a, r in first.traced.items()}:
            first.wrong_before.append("two lanes passed different points")
        first.trials += other.trials
        first.planted |= other.planted
        first.wrong_before += [said for said in other.wrong_before if said not in first.wrong_before]
    return first


def _played(given: argparse.Namespace) -> Any:
    from contextlib import nullcontext

    from tests.agentfaults import running
    from tests.agentfaults.acts import ACTS
    from tests.agentfaults.planted import PLANTED
    from tests.agentfaults.world import world

    acts = [act for act in ACTS if not given.act or act.name in given.act]
    plant: Any = PLANTED[given.plant] if given.plant else nullcontext
    with world() as here, plant():
        run = running.traced(here, acts, seed=given.seed, rounds=given.rounds)
        if given.act:
            run.missing = []
        if given.lane == 0 and not given.act and not given.plant:
            running.look_for_planted(here, ACTS, run, everywhere=True, tell=_say)
        planned = running.plan(run, acts)[: given.most][given.lane :: given.lanes]
        running.broken_off(
            here,
            planned,
            run,
            within=60 * given.minutes,
            tell=lambda text: _say(f"lane {given.lane}: {text}"),
            owns=True,
        )
        return run


def _told(run: Any, given: argparse.Namespace) -> int:
    from tests.agentfaults import running
    from tests.agentfaults.page import WORDS
    from tests.faults import table

    told = table.as_json(run, words=WORDS, least=running.least(run))
    return table.tell(told, given)


if __name__ == "__main__":
    sys.exit(main())

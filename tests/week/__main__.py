"""`python -m tests.week --operations 20000 --seed N`: play a week on servers of its own, and judge everything that came of it.

Prints progress and what was wrong; `--json` and `--page` write the whole to files. Exit status 1 if anything was wrong, or
a planted bug was not found.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

# The server's processes may be killed, the machine is not: it needs no disk to be waited for. What is committed stays.
QUICK: Final = {"fsync": "off", "full_page_writes": "off", "scram_iterations": "1"}
# So much is played to look for a planted bug.
SMALL: Final = ("--operations", "80", "--days", "1")
ROOT: Final = Path(__file__).parents[2]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.week", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--operations", type=int, default=20_000, help="so many in the whole week")
    parser.add_argument("--days", type=float, default=7, help="how long the week is")
    parser.add_argument("--calm", type=float, default=0.75, help="this share of them is known at once or done in time")
    parser.add_argument("--without-planted", action="store_true", help="look for no planted bug")
    parser.add_argument("--plant", help="play it with this planted bug")
    parser.add_argument("--json", type=Path, help="where the run is written as JSON")
    parser.add_argument("--page", type=Path, help="where the run is written as a page")
    return parser.parse_args()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _played(*, seed: int, operations: int, days: float, calm: float) -> tuple[Any, float]:
    """Play and judge one week on servers of its own; return what was found, and in how many seconds it was played."""
    from tests.week.playing import Playing, stage
    from tests.week.report import judge

    began = time.monotonic()
    with stage() as here:
        played = Playing(here, seed=seed, operations=operations, days=days, calm=calm).play(
            lambda text: _say(f"{time.monotonic() - began:6.0f} s  {text}")
        )
        seconds = time.monotonic() - began
    return judge(played), seconds


def _planted(*, seed: int) -> dict[str, Any]:
    """Return what the oracle says of each planted bug, each in a small week, in a process and on servers of its own."""
    from tests.week.planted import PLANTED  # the desk's settings are read by now

    found: dict[str, Any] = {}
    for bug in PLANTED:
        with tempfile.TemporaryDirectory(prefix="week-planted-") as folder:
            into = Path(folder) / "found.json"
            words = [
                sys.executable,
                "-m",
                "tests.week",
                "--plant",
                bug,
                "--seed",
                str(seed),
                "--json",
                str(into),
                *SMALL,
            ]
            subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
            wrong = json.loads(into.read_text(encoding="utf-8"))["wrong"]
        found[bug] = {"found": len(wrong), "first": next(iter(wrong), "")}
        _say(f"planted “{bug}”: {len(wrong)} sentences; {found[bug]['first'] or 'not found'}")
    return found


def main() -> int:
    """Play the week, and say what came of it."""
    given = _arguments()
    from tests.benchmarks.asking.servers import open_servers

    with open_servers(options=QUICK):
        from tests.week.planted import PLANTED

        with PLANTED[given.plant]() if given.plant else nullcontext():
            judged, seconds = _played(seed=given.seed, operations=given.operations, days=given.days, calm=given.calm)
    planted = {} if given.without_planted or given.plant else _planted(seed=given.seed)
    told = {
        "seed": given.seed,
        "days": given.days,
        "calm": given.calm,
        "seconds": round(seconds),
        "wrong": judged.wrong,
    }
    return _told(told | {"figures": judged.figures, "planted": planted}, given)


def _told(told: dict[str, Any], given: argparse.Namespace) -> int:
    from tests.week.page import page

    text = page(told)
    print(text)
    if given.json:
        given.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if given.page:
        given.page.write_text(text, encoding="utf-8")
    missed = [bug for bug, one in told["planted"].items() if not one["found"]]
    return 1 if told["wrong"] or missed else 0


if __name__ == "__main__":
    sys.exit(main())

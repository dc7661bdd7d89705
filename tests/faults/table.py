"""The fault table of a run: as JSON, and as the page that is made of that."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from tests.faults.running import Run

PROCESSES: Final = ("web", "worker", "database", "broker")
Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """How the page of a run calls itself: its title, its command, the page on what it means, and who may fail."""

    title: str = "A run of the faults"
    command: str = "python -m tests.faults"
    means: str = "faults.md"
    processes: tuple[str, ...] = PROCESSES


def as_json(run: Run, *, words: Words | None = None, least: int | None = None) -> dict[str, Any]:
    """Return the whole run as JSON; of each point how often it was broken off in each process, and how often badly.

    `least`: how often the point was broken off that was least, where that is not for the desk's own processes to say.
    """
    words = words or Words()
    times: dict[tuple[str, str], Counter[str]] = {
        (act, point): Counter() for act, ran in run.traced.items() for point in ran.passed
    }
    for one in run.trials:
        times[one.act, one.point].update({one.process: int(one.counts), "wrong": int(bool(one.wrong))})
    faults = Counter((one.process, one.how) for one in run.trials)
    told = {
        "words": asdict(words),
        "seed": run.seed,
        "rounds": run.rounds,
        "seconds": round(run.seconds),
        "trials": len(run.trials),
        "earlier": run.earlier,
        "failures": run.failures,
        "points": [
            {"act": act, "point": point, **{name: count[name] for name in (*words.processes, "wrong")}}
            for (act, point), count in times.items()
        ],
        "faults": [{"process": one, "how": how, "times": count} for (one, how), count in sorted(faults.items())],
        "planted": {
            bug: {"trials": one.trials, "found": one.times, "first": one.first} for bug, one in run.planted.items()
        },
    }
    return {**told, "least": _least(told["points"]) if least is None else least}


def _least(points: Any) -> int:
    """Return how often the point was broken off that was least, in the process in which it was least."""
    kinds = {one["act"]: "web" for one in points if one["web"]}
    return min(
        (one[process] for one in points for process in (kinds.get(one["act"], "worker"), "database", "broker")),
        default=0,
    )


def _line(*cells: object) -> str:
    return f"| {' | '.join([str(cell) for cell in cells])} |"


def _head(*names: str) -> Iterator[str]:
    yield _line(*names)
    yield "|" + "---|" * len(names)


def _figures(told: Told, times: Mapping[str, int]) -> list[object]:
    return [*[times[process] or "" for process in told["words"]["processes"]], times["wrong"]]


def by_act(told: Told) -> Iterator[str]:
    """Yield a line an act, and one for all."""
    acts: dict[str, Counter[str]] = {}
    for one in told["points"]:
        acts.setdefault(one["act"], Counter()).update(
            {"points": 1, **{name: one[name] for name in (*told["words"]["processes"], "wrong")}}
        )
    yield from _head("act", "points", *told["words"]["processes"], "wrong")
    for act, times in acts.items():
        yield _line(act, times["points"], *_figures(told, times))
    whole = sum(acts.values(), Counter[str]())
    yield _line("**all**", whole["points"], *_figures(told, whole))


def by_point(told: Told) -> Iterator[str]:
    """Yield a line a point."""
    yield from _head("act", "point", *told["words"]["processes"], "wrong")
    for one in told["points"]:
        yield _line(one["act"], one["point"], *_figures(told, one))


def by_fault(told: Told) -> Iterator[str]:
    """Yield a line a way of breaking off."""
    yield from _head("process", "what befell it", "times")
    for one in told["faults"]:
        yield _line(one["process"], one["how"], one["times"])


def planted(told: Told) -> Iterator[str]:
    """Yield a line a planted bug."""
    yield from _head("planted bug", "trials", "found in", "by which it was found first")
    for bug, one in told["planted"].items():
        yield _line(bug, one["trials"], one["found"], one["first"] or "never")


def summary(told: Told) -> str:
    """Return the run in one sentence or two."""
    said = f"{told['trials']} trials at {len(told['points'])} points in {told['seconds']} s, seed {told['seed']}"
    if told["earlier"]:
        said += f"; {told['earlier']} of them in runs of the same code that were cut, whose seconds are not counted"
    return f"{said}; each point was broken off at least {told['least']} times in each process. {len(told['failures'])} failures."


def page(told: Told) -> str:
    """Return the page of a run."""
    parts = [
        f"# {told['words']['title']}",
        f"Made by `{told['words']['command']} --page`; what it means stands in [{told['words']['means']}]({told['words']['means']}).",
        summary(told),
        *[f"- {failure}" for failure in told["failures"]],
    ]
    for title, lines in (
        ("What befell which process", by_fault(told)),
        ("Planted bugs", planted(told)),
        ("Acts", by_act(told)),
        ("Points", by_point(told)),
    ):
        parts += [f"## {title}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def tell(told: dict[str, Any], given: argparse.Namespace) -> int:
    """Print what a run came to, and write it where that was asked for; return the exit status, 1 if anything failed."""
    if given.most is None and told["least"] < given.rounds:
        told["failures"].append(f"a point was broken off {told['least']} times in a process, not {given.rounds}")
    for lines in (by_act(told), by_fault(told), planted(told)):
        print("\n".join(lines), end="\n\n")
    print(summary(told), *told["failures"], sep="\n")
    if given.json:
        given.json.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if given.page:
        given.page.write_text(page(told), encoding="utf-8")
    return 1 if told["failures"] else 0

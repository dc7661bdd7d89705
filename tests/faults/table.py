"""The fault table of a run: as JSON, and as the page that is made of that."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tests.faults.running import Run

PROCESSES = ("web", "worker", "database", "broker")
Told = Mapping[str, Any]


def as_json(run: Run) -> dict[str, Any]:
    """Return the whole run as JSON; of each point how often it was broken off in each process, and how often badly."""
    times: dict[tuple[str, str], Counter[str]] = {
        (act, point): Counter() for act, ran in run.traced.items() for point in ran.passed
    }
    for one in run.trials:
        times[one.act, one.point].update({one.process: int(one.counts), "wrong": int(bool(one.wrong))})
    faults = Counter((one.process, one.how) for one in run.trials)
    return {
        "seed": run.seed,
        "rounds": run.rounds,
        "seconds": round(run.seconds),
        "trials": len(run.trials),
        "earlier": run.earlier,
        "failures": run.failures,
        "points": [
            {"act": act, "point": point, **{name: count[name] for name in (*PROCESSES, "wrong")}}
            for (act, point), count in times.items()
        ],
        "faults": [{"process": one, "how": how, "times": count} for (one, how), count in sorted(faults.items())],
        "planted": {
            bug: {"trials": one.trials, "found": one.times, "first": one.first} for bug, one in run.planted.items()
        },
    }


def least(told: Told) -> int:
    """Return how often the point was broken off that was least, in the process in which it was least."""
    kinds = {one["act"]: "web" for one in told["points"] if one["web"]}
    return min(
        (one[process] for one in told["points"] for process in (kinds.get(one["act"], "worker"), "database", "broker")),
        default=0,
    )


def _line(*cells: object) -> str:
    return f"| {' | '.join([str(cell) for cell in cells])} |"


def _head(*names: str) -> Iterator[str]:
    yield _line(*names)
    yield "|" + "---|" * len(names)


def _figures(times: Mapping[str, int]) -> list[object]:
    return [*[times[process] or "" for process in PROCESSES], times["wrong"]]


def by_act(told: Told) -> Iterator[str]:
    """Yield a line an act, and one for all."""
    acts: dict[str, Counter[str]] = {}
    for one in told["points"]:
        acts.setdefault(one["act"], Counter()).update(
            {"points": 1, **{name: one[name] for name in (*PROCESSES, "wrong")}}
        )
    yield from _head("act", "points", *PROCESSES, "wrong")
    for act, times in acts.items():
        yield _line(act, times["points"], *_figures(times))
    whole = sum(acts.values(), Counter[str]())
    yield _line("**all**", whole["points"], *_figures(whole))


def by_point(told: Told) -> Iterator[str]:
    """Yield a line a point."""
    yield from _head("act", "point", *PROCESSES, "wrong")
    for one in told["points"]:
        yield _line(one["act"], one["point"], *_figures(one))


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
    return f"{said}; each point was broken off at least {least(told)} times in each process. {len(told['failures'])} failures."


def page(told: Told) -> str:
    """Return the page of a run."""
    parts = [
        "# A run of the faults",
        "Made by `python -m tests.faults --page`; what it means stands in [faults.md](faults.md).",
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

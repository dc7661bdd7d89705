"""The fault table of a run, as text and as JSON."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.faults.running import Run

PROCESSES = ("web", "worker", "database", "broker")


def counted(run: Run) -> dict[tuple[str, str], Counter[str]]:
    """Return how often each point of each act was broken off in each process; under `wrong`, how often badly."""
    found: dict[tuple[str, str], Counter[str]] = {
        (act, point): Counter() for act, ran in run.traced.items() for point in ran.passed
    }
    for one in run.trials:
        found[one.act, one.point][one.process] += 1
        found[one.act, one.point]["wrong"] += bool(one.wrong)
    return found


def _line(name: str, times: Counter[str], *more: str) -> str:
    figures = [str(times[process] or "") for process in PROCESSES]
    return "| " + " | ".join([name, *more, *figures, str(times["wrong"])]) + " |"


def by_act(run: Run) -> Iterator[str]:
    """Yield a line an act."""
    yield "| act | points | web | worker | database | broker | wrong |"
    yield "|---|---|---|---|---|---|---|"
    for act, ran in run.traced.items():
        times: Counter[str] = Counter()
        for (name, _), one in counted(run).items():
            if name == act:
                times += one
        yield _line(act, times, str(len(ran.passed)))
    whole: Counter[str] = Counter()
    for one in counted(run).values():
        whole += one
    yield _line("**in all**", whole, str(sum(len(ran.passed) for ran in run.traced.values())))


def by_point(run: Run) -> Iterator[str]:
    """Yield a line a point."""
    yield "| act | point | web | worker | database | broker | wrong |"
    yield "|---|---|---|---|---|---|---|"
    for (act, point), times in counted(run).items():
        yield _line(act, times, point)


def by_fault(run: Run) -> Iterator[str]:
    """Yield a line a way of breaking off."""
    yield "| process | what befell it | times | wrong |"
    yield "|---|---|---|---|"
    times = Counter((one.process, one.how) for one in run.trials)
    wrong = Counter((one.process, one.how) for one in run.trials if one.wrong)
    for (process, how), count in sorted(times.items()):
        yield f"| {process} | {how} | {count} | {wrong[process, how]} |"


def as_json(run: Run) -> dict[str, Any]:
    """Return the whole run as JSON."""
    return {
        "seed": run.seed,
        "rounds": run.rounds,
        "seconds": round(run.seconds),
        "trials": len(run.trials),
        "failures": run.failures,
        "missing": run.missing,
        "points": [
            {"act": act, "point": point, **{name: times[name] for name in (*PROCESSES, "wrong")}}
            for (act, point), times in counted(run).items()
        ],
        "faults": [
            {"process": process, "how": how, "times": count}
            for (process, how), count in sorted(Counter((one.process, one.how) for one in run.trials).items())
        ],
        "planted": {
            bug: {"trials": one.trials, "found": one.times, "first": one.first} for bug, one in run.planted.items()
        },
    }


def least(run: Run) -> int:
    """Return how often the point and process that were broken off least were."""
    acts = {act: {one.process for one in run.trials if one.act == act} for act in run.traced}
    found = [times[process] for (act, _), times in counted(run).items() for process in acts[act] or PROCESSES]
    return min(found, default=0)

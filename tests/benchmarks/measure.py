"""Alternate rounds of ours and a peer, so that a machine that slows down slows both."""

import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median


class LeftOut(Exception):
    """Raised after the figures that could be measured: a sentence that says which could not, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One comparison. `ours` and `peer` are medians in `unit`; ratio, lowest and highest are of the rounds' ratios.

    A figure that only says what something costs has no `target`, and `met` is None.
    """

    name: str
    unit: str
    ours: float
    peer: float
    ratio: float
    target: float | None
    met: bool | None
    lowest: float
    highest: float
    rounds: int

    def as_row(self) -> dict[str, str | float | int | bool | None]:
        """The figure as it is printed: four significant digits, `lowest` and `highest` as min and max."""
        row = {key: float(f"{value:.4g}") if type(value) is float else value for key, value in asdict(self).items()}
        return {"min" if key == "lowest" else "max" if key == "highest" else key: value for key, value in row.items()}


def speed(work: Callable[[], object], *, items: int, at_least: float = 0.2) -> float:
    """Items a second of `work`, which does `items` of them a call; called until `at_least` seconds have passed."""
    calls = 0
    gc.collect()
    started = time.perf_counter()
    while (passed := time.perf_counter() - started) < at_least or calls == 0:
        work()
        calls += 1
    return items * calls / passed


def cost(work: Callable[[], object], *, items: int, at_least: float = 0.2) -> float:
    """Seconds an item of `work`, measured as `speed` is."""
    return 1 / speed(work, items=items, at_least=at_least)


def compare(
    name: str,
    *,
    ours: Callable[[], float],
    peer: Callable[[], float],
    target: float | None = None,
    unit: str = "items/s",
    at_most: bool = False,
    rounds: int = 7,
) -> Figure:
    """`ours` against `peer`, each of which measures one round and returns a number in `unit`; both run once unmeasured.

    The target is a ratio of ours to the peer's: at least that, or `at_most` that. Who goes first changes every round.
    """
    ours()
    peer()
    pairs = []
    for number in range(rounds):
        first, second = (ours, peer) if number % 2 == 0 else (peer, ours)
        one, other = first(), second()
        pairs.append((one, other) if first is ours else (other, one))
    ratios = sorted(mine / theirs for mine, theirs in pairs)
    ratio = median(ratios)
    return Figure(
        name=name,
        unit=unit,
        ours=median(mine for mine, _ in pairs),
        peer=median(theirs for _, theirs in pairs),
        ratio=ratio,
        target=target,
        met=None if target is None else ratio <= target if at_most else ratio >= target,
        lowest=ratios[0],
        highest=ratios[-1],
        rounds=rounds,
    )

"""Every scenario of a sweep, put to the core and held against all of its worlds.

What is covered: every interleaving of 0 to 2 attempts with 0 to 3 observations of the counting classes
(`tests.simulator.sayings`), under every protection terms (`tests.simulator.terms`), both kinds of closure, with the
record said to be complete or not. An observation that doesn't count stands in every sequence as a class of its own.
Dates are distinct and in a row; ties, freshness by the second, more attempts and more observations are for the random
scenarios of tests/core/test_simulated.py. What is not covered: an `applied`, `pending`, `accepted`, `absent` or
`closed` that names an attempt (the law does not look at the name but to see whether it is on record), and what is
learnt about a third attempt.

The test suite runs every sequence of 0 to 2 observations and a sample of those with 3 (`suite`); the whole
(`python -m tests.simulator full`) runs all.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context

from operations.core.permitted import PERMITTED, PermittedTable, permitted
from operations.core.standing import LAW, Law, infer
from tests.simulator.checks import wrongs
from tests.simulator.sayings import Saying, cells, sayings
from tests.simulator.scenario import Setting, Stage
from tests.simulator.terms import MANNERS, MANY, TERMS, Terms
from tests.simulator.universe import universe
from tests.simulator.view import View

ALL_TERMS = {terms.name: terms for terms in (*TERMS, *MANNERS, *MANY)}
INCOMPLETE = ("none", "window open", "identity unknown")  # an incomplete record leaves no other term a say


@dataclass(slots=True)
class Tally:
    """What a run counted: scenarios, worlds run, and each thing that was wrong: how often, where first."""

    scenarios: int = 0
    worlds: int = 0
    classes: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)
    corners: Counter[str] = field(default_factory=Counter)
    cornered: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Tally") -> None:
        """Count what another run counted too."""
        self.scenarios += other.scenarios
        self.worlds += other.worlds
        self.classes += other.classes
        self.wrong += other.wrong
        self.corners += other.corners
        self.first = {**other.first, **self.first}
        self.cornered = {**other.cornered, **self.cornered}


@dataclass(frozen=True, slots=True)
class Job:
    """One interleaving under several settings: the worlds behind it are run once.

    `stride`: every so many-th sequence alone. `cells`: sequences with an observation of each kind that a channel could
    make, whether or not it counts, beside one of the counting classes.
    """

    settings: list[Setting]
    stride: int = 1
    cells: bool = False

    @property
    def weight(self) -> int:
        """How long it takes, roughly."""
        pattern = self.settings[0].pattern
        return int(len(self.settings) * 19 ** pattern.count("o") * len(pattern))

    def sequences(self, stage: Stage) -> Iterator[tuple[Saying, ...]]:
        """Return what is said in each scenario."""
        classes, length = sayings(len(stage.sent)), len(stage.timeline.observed)
        if not self.cells:
            yield from product(classes, repeat=length)
            return
        for cell in cells():
            if cell.number is None or cell.number < len(stage.sent):
                for others in product(classes, repeat=length - 1):
                    yield (cell, *others)
                    if others:
                        yield (*others, cell)


def patterns(attempts: int, observations: int) -> Iterator[str]:
    """Return every interleaving of so many attempts and observations."""
    if not attempts and not observations:
        yield ""
    if attempts:
        yield from ("a" + rest for rest in patterns(attempts - 1, observations))
    if observations:
        yield from ("o" + rest for rest in patterns(attempts, observations - 1))


def settings_of(pattern: str, terms: Iterable[Terms], *, reduced: bool = True) -> list[Setting]:
    """Return the settings of one interleaving; not sealed only under a few terms."""
    return [
        Setting(pattern, one, for_good, sealed, reduced=reduced)
        for one, for_good, sealed in product(terms, (True, False), (True, False))
        if sealed or one.name in INCOMPLETE
    ]


def described(setting: Setting, said: tuple[Saying, ...]) -> str:
    """Return a scenario in one line."""
    told, sent = iter(said), iter(range(1, 9))
    events = ", ".join(f"a{next(sent)} sent" if kind == "a" else next(told).code for kind in setting.pattern)
    closure = "for good" if setting.for_good else "what was sent before"
    sealed = "sealed" if setting.sealed else "not sealed"
    return f"[{setting.terms.name}; closure {closure}; {sealed}] {events or 'nothing'}"


def judge(
    stage: Stage, said: tuple[Saying, ...], tally: Tally, *, law: Law = LAW, table: PermittedTable = PERMITTED
) -> None:
    """Put one scenario to the core and count what is wrong with the answer."""
    standing = infer(stage.facts(said), now=stage.timeline.seconds_now, law=law)
    verdict = permitted(standing, table=table)
    tally.scenarios += 1
    for wrong in wrongs(View(stage, said), standing, verdict):
        if wrong.corner is None:
            tally.wrong[wrong.check] += 1
            tally.first.setdefault(wrong.check, described(stage.setting, said))
        else:
            tally.corners[wrong.corner.name] += 1
            tally.cornered.setdefault(wrong.corner.name, described(stage.setting, said))


def run(job: Job) -> Tally:
    """Run one job."""
    tally = Tally()
    for number, setting in enumerate(job.settings):
        stage = Stage(setting)
        for place, said in enumerate(job.sequences(stage)):
            if (place + number) % job.stride == 0:
                judge(stage, said, tally)
        for seen in stage.universes:
            if seen.claim():
                tally.worlds += seen.runs
                tally.classes += len(seen.classes)
    universe.cache_clear()
    return tally


def sweep(jobs: list[Job], *, workers: int = 2) -> Tally:
    """Run jobs, the longest first, in as many processes."""
    total = Tally()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for tally in pool.map(run, sorted(jobs, key=lambda job: -job.weight)):
            total.add(tally)
    return total


def _extra() -> list[Job]:
    """Return what no interleaving of counting classes shows: channels, successors, nobody to ask."""
    key, none = ALL_TERMS["window open"], ALL_TERMS["none"]
    jobs = [
        Job([Setting(pattern, terms, for_good, sealed=True) for terms in (key, none)], cells=True)
        for pattern, for_good in product(("o", "ao", "oa", "aoo", "oao"), (True, False))
    ]
    jobs += [
        Job(
            [
                Setting(pattern, terms, for_good, sealed, successor=successor)
                for terms, for_good, sealed in product((key, none, ALL_TERMS["paced"]), (True, False), (True, False))
            ]
        )
        for pattern, successor in product(("", "o", "oo", "a", "ao", "aoo"), ("open", "no_effect"))
    ]
    return [
        *jobs,
        *(
            Job([Setting(pattern, key, for_good=True, sealed=True, askable=False)])
            for pattern in ("", "o", "ao", "aoo")
        ),
    ]


def _every(attempts: int, observations: int, *, stride: int = 1) -> list[Job]:
    return [Job(settings_of(pattern, ALL_TERMS.values()), stride) for pattern in patterns(attempts, observations)]


def suite() -> list[Job]:
    """Return what the test suite runs: all up to two observations, and a sample of three."""
    jobs = [
        job
        for attempts, count in product(range(3), range(3))
        for job in _every(attempts, count)
        if (attempts, count) != (2, 2)
    ]
    jobs += [Job(settings_of(pattern, (*TERMS, *MANNERS))) for pattern in patterns(2, 2)]
    jobs += [job for attempts in range(2) for job in _every(attempts, 3, stride=6)]
    sealed = [Setting("aoaoo", ALL_TERMS[name], for_good=True, sealed=True) for name in ("none", "window ends within")]
    return [*jobs, *_extra(), Job(sealed, stride=5)]


def full() -> list[Job]:
    """Return the whole: every sequence of up to three observations."""
    jobs = [job for attempts, count in product(range(3), range(4)) for job in _every(attempts, count)]
    return [*jobs, *_extra()]

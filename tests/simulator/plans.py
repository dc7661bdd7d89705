"""Which worlds there are behind one interleaving: every plan of every submission, every store, every closure.

What may be left out without losing a world that matters (each is checked against the unreduced worlds in
tests/core/test_simulated.py, on the shorter interleavings):

- A copy that acts may arrive in any gap from its sending on. A copy that fails or is refused arrives as soon as it was
  sent: arriving earlier lets the recipient say more and do the same. One that fails later without having been turned
  away first is, for every answer and every effect, a submission that was lost.
- A submission not on record is sent in the gap it arrives in: so the fewest closures cover it.
- Within the events between two sendings only the first closure matters, and it may be as late as the first observation
  that could report it: before that, it only stops reports.
- The second send of an attempt that is sent twice acts last of all, and arrives with the first or last of all.
- Where attempts went out under several keys, a store holds them always, never, or up to one of the gaps to come.
- Where a store turns away what comes while the first is in process as well as when it is done, a repeat acts last.
- Where no store dedupes, all that acts arrives as soon as it was sent.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from tests.simulator.recipient import NEVER, Closures, Copy, Store, Submission, World
from tests.simulator.timeline import OBSERVED, SENT, Timeline, closing, dropping, event, gap

OFF_RECORD = "?"
REPEAT = "!"


class Plan(NamedTuple):
    """How the universe is laid out: the interleaving and what is the same in all of its worlds.

    `many`: the first attempt's code may send twice. `keys`: the identity under which each attempt went out, as the
    recipient's store sees it (identity and scope); a repeat goes out under `k`. `off_record`: a submission that is not
    on record may exist. `for_good`: what closures cover. `reduced`: leave out what the module's docstring says.
    """

    timeline: Timeline
    for_good: bool
    off_record: bool = False
    many: bool = False
    keys: tuple[str, ...] = ("k", "k")
    reduced: bool = True


def _acting(plan: Plan, first: int, *, late: bool, many: bool) -> Iterator[tuple[Copy, ...]]:
    last = plan.timeline.last_gap + 2
    for acts in range(first, last + 1):
        for arrives in range(first, acts + 1 if late else first + 1):
            once = Copy(gap(arrives), acts=gap(acts))
            yield (once,)
            if many:
                yield (once, Copy(gap(arrives), acts=gap(last)))
                yield (once, Copy(gap(last), acts=gap(last)))


def _idle(plan: Plan, first: int) -> Iterator[tuple[Copy, ...]]:
    past = plan.timeline.last_gap
    yield ()
    arrivals = range(first, first + 1) if plan.reduced else range(first, past + 3)
    for arrives in arrivals:
        yield (Copy(gap(arrives)),)
        for refused in range(arrives, past + 1):
            yield (Copy(gap(arrives), refused=gap(refused)),)


def on_record(plan: Plan, number: int, *, late: bool) -> list[Submission]:
    """Return everything that can have become of attempt `number` (from 0)."""
    position = plan.timeline.attempts[number]
    many = plan.many and number == 0
    name, sent = f"a{number + 1}", event(position)
    copies = [*_acting(plan, position + 1, late=late, many=many), *_idle(plan, position + 1)]
    left = [Submission(name, sent, copy, plan.keys[number]) for copy in copies]
    return [Submission(name, NEVER, (), plan.keys[number]), *left]


def off_record(plan: Plan) -> list[tuple[Submission, ...]]:
    """Return everything that can have become of what is not on record, the case that there is nothing first.

    Two kinds stand for any number: some that only keep the recipient busy (from the start, or anew in every gap), and
    one that acts as it is sent, perhaps twice. What is busy first and acts later looks like two of them together.
    """
    past, last = plan.timeline.last_gap, plan.timeline.last_gap + 2
    busy = [(), (_busy(0),), tuple([_busy(number) for number in range(past + 1)])]
    if not plan.reduced:
        busy += [(_busy(number),) for number in range(1, last + 1)]
    acting: list[tuple[Submission, ...]] = [()]
    for number in range(last + 1):
        once = Copy(gap(number), acts=gap(number))
        acting.append((Submission(OFF_RECORD, gap(number), (once,), None),))
        if number <= past:
            acting.append((Submission(OFF_RECORD, gap(number), (once, Copy(gap(number), acts=gap(last))), None),))
    return [first + second for first in busy for second in acting]


def _busy(number: int) -> Submission:
    """Return one that only arrives: before a closure of that gap, so that it may cover it."""
    moment = closing(number) - 0.125
    return Submission(OFF_RECORD, moment, (Copy(moment),), None)


def _stretches(plan: Plan) -> list[list[int]]:
    """Return, for each stretch between two sendings, the gaps in which a closure could come."""
    stretches: list[list[int]] = [[]]
    for position, kind in enumerate(plan.timeline.pattern):
        if kind == OBSERVED or not plan.reduced:
            stretches[-1].append(position)
        if kind == SENT:
            stretches.append([])
    if not plan.reduced:
        stretches[-1].append(plan.timeline.last_gap)
    return stretches


def closures(plan: Plan) -> list[Closures]:
    """Return every set of closures, none first."""
    stretches = _stretches(plan)
    if plan.for_good:
        return [Closures(), *(Closures((closing(number),)) for stretch in stretches for number in stretch)]
    sets = product(*[[None, *stretch] for stretch in stretches])
    return [
        Closures(tuple([closing(number) for number in chosen if number is not None]), for_good=False) for chosen in sets
    ]


class Kept(NamedTuple):
    """One reality of the store, with its name: `on` from the start, `again` from now on, `unkept`, `unfenced`."""

    name: str
    dropped: int | None = None
    store: Store | None = None


def stores(plan: Plan) -> list[Kept]:
    """Return every reality of the store."""
    if plan.off_record:  # where no store dedupes, a repeat always acts: that needs no run of its own
        return [Kept("again", None, Store(since=plan.timeline.now))]
    last = plan.timeline.last_gap + 2
    several = plan.reduced and any(key != "k" for key in plan.keys)
    kept = [Kept("off"), Kept("on", None, Store()), Kept("again", None, Store(since=plan.timeline.now))]
    drops = range(last - 1 if several else 1, last + 1)
    kept += [Kept("on", number, Store(dropped=dropping(number))) for number in drops]
    if several:
        return kept
    kept += [Kept("unkept", None, Store(every_outcome=False)), Kept("unfenced", None, Store(concurrent=False))]
    return kept


def _handled(submission: Submission, kept: Kept) -> Submission:
    """Return it as the recipient of this store handles it: an outcome not kept, or never finished while it matters."""
    if kept.name == "unkept":
        return submission._replace(copies=tuple([copy._replace(kept=False) for copy in submission.copies]))
    if kept.name == "unfenced":
        return submission._replace(copies=tuple([copy._replace(finishes=NEVER) for copy in submission.copies]))
    return submission


def worlds(plan: Plan) -> Iterator[tuple[World, Kept]]:
    """Return every world of this plan with the name of its store."""
    shut = closures(plan)
    strangers = off_record(plan) if plan.off_record else [()]
    for kept in stores(plan):
        late = not plan.reduced or kept.name not in ("off", "again")
        attempts = [on_record(plan, number, late=late) for number in range(len(plan.timeline.attempts))]
        for chosen in product(*[[_handled(one, kept) for one in plans] for plans in attempts]):
            for unknown, closed in product(strangers, shut):
                if kept.dropped is not None and closed.at and plan.for_good and plan.reduced:
                    continue  # nothing acts after it, and a repeat is not permitted: the drop can't matter
                yield World(chosen + unknown, kept.store, closed), kept


def repeats(world: World, *, plan: Plan) -> Iterator[World]:
    """Return this world with the repeat in it: acting last of all, and where that can matter also on arrival.

    Its outcome is an error, which a store that keeps successes alone does not keep.
    """
    timeline, store = plan.timeline, world.store
    last = gap(timeline.last_gap + 3)
    same = store is None or (plan.reduced and store.concurrent and store.every_outcome)
    for acts in (last,) if same else (timeline.arrival, last):
        copy = Copy(timeline.arrival, acts=acts, kept=False)
        yield world._replace(submissions=(*world.submissions, Submission(REPEAT, timeline.now, (copy,))))

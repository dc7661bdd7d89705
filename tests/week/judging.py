"""The oracle: every case, call, notice, mail and webhook of the week against what each had to be."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from escalation.models import Call, Case, CaseAct, ReasonHeld
from tests.week.model import Called, Model, model_of
from tests.week.playing import Played

# What a case's history says that the model says as well; what passed over is a remark.
_TOLD: Final = frozenset(
    [
        "opened",
        "opened_again",
        "reason",
        "closed",
        "woken",
        "taken",
        "taken_over",
        "handed_over",
        "given_back",
        "acknowledged",
        "snoozed",
    ]
)


@dataclass(slots=True)
class Week:
    """A week and what it had to come to: the model of each operation, by the operation's id, and how cases are known."""

    played: Played
    models: dict[UUID, Model]
    nth: dict[int, tuple[UUID, int]] = field(default_factory=dict)
    numbers: dict[UUID, int] = field(default_factory=dict)

    def called(self) -> dict[tuple[UUID, int, int, int], Called]:
        """Return every call that had to be made, by operation, case, round and step."""
        return {(pk, one.nth, one.round, one.step): one for pk, model in self.models.items() for one in model.calls}


def week_of(played: Played) -> Week:
    """Return what a week had to come to."""
    away = played.outages
    ticks = [at for at in away.ticks() if away.sweeps(at)]
    lives = {one.index: one for one in played.lives}
    models = {pk: model_of(lives[index], ticks) for index, pk in played.doing.ids.items()}
    week = Week(played, models)
    rows = Case.objects.values_list("pk", "operation_id", "nth", "operation__number")
    for pk, operation, nth, number in rows:
        week.nth[pk], week.numbers[operation] = (operation, nth), number
    return week


def wrong_with_cases(week: Week) -> Iterator[str]:
    """Yield what is wrong with cases: when they opened and closed, why, and what their history says."""
    rows = {(row.operation_id, row.nth): row for row in Case.objects.all()}
    wanted = {(pk, one.nth): one for pk, model in week.models.items() for one in model.cases}
    yield from _apart("case", rows.keys(), wanted.keys())
    for key in rows.keys() & wanted.keys():
        row, case = rows[key], wanted[key]
        if (row.opened_at, row.closed_at) != (case.opened, case.closed):
            yield (
                f"case {key} stood from {row.opened_at} to {row.closed_at}, and had to from {case.opened} to {case.closed}"
            )
    held = Counter((*week.nth[row.case_id], row.reason, row.since, row.ended_at) for row in ReasonHeld.objects.all())
    yield from _differ("reason", held, _reasons(wanted))
    acts = CaseAct.objects.filter(act__in=_TOLD).values_list("case_id", "act", "at")
    told = Counter((*week.nth[case], act, at) for case, act, at in acts)
    yield from _differ("act", told, Counter((*key, *act) for key, one in wanted.items() for act in one.acts))
    yield from _tried(week)


def _reasons(wanted: dict[Any, Any]) -> Counter[Any]:
    found: Counter[Any] = Counter()
    for key, case in wanted.items():
        found.update([(*key, *one) for one in case.held])
        found.update([(*key, why, since, None) for why, since in case.reasons.items()])
    return found


def _tried(week: Week) -> Iterator[str]:
    done = week.played.doing
    for index, pk in done.ids.items():
        for place, wanted in week.models[pk].came.items():
            came = done.came.get((index, place), "not tried")
            if came != wanted:
                what = week.models[pk].life.events[place]
                yield f"operation {index}: {what.what} at {what.at} came to {came}, and had to come to {wanted}"


def wrong_with_calls(week: Week) -> Iterator[str]:
    """Yield what is wrong with calls: each step once, in its round, in order, at its tick, of whom it means then."""
    rows = Call.objects.select_related("person", "team")
    came = Counter((*week.nth[row.case_id], row.round, row.step, row.at, row.kind, _whom(row)) for row in rows)
    wanted = Counter((pk, *one) for pk, model in week.models.items() for one in model.calls)
    yield from _differ("call", came, wanted)


def _whom(row: Call) -> str:
    if row.person is not None:
        return row.person.username
    return row.webhook if row.team is None else row.team.name


def _apart(what: str, came: Iterable[Any], wanted: Iterable[Any]) -> Iterator[str]:
    yield from _differ(what, Counter(came), Counter(wanted))


def _differ(what: str, came: Counter[Any], wanted: Counter[Any]) -> Iterator[str]:
    for one, times in sorted((wanted - came).items(), key=str):
        yield f"lost {what}: {_plain(one)} ({times})"
    for one, times in sorted((came - wanted).items(), key=str):
        yield f"extra {what}: {_plain(one)} ({times})"


def _plain(one: Any) -> str:
    return ", ".join([f"{part:%a %H:%M:%S}" if isinstance(part, datetime) else str(part) for part in one])

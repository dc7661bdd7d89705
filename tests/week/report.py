"""What a week came to, as values: for the JSON, the page, and whoever asks whether anything was wrong."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Count

from escalation.models import Notice
from tests.week.arrived import wrong_with_hooks, wrong_with_mails
from tests.week.judging import Week, week_of, wrong_with_calls, wrong_with_cases
from tests.week.outages import Spans
from tests.week.playing import Played
from tests.week.telling import Telltale
from tests.week.worker import WHERE


@dataclass(slots=True, kw_only=True)
class Judged:
    """A week that was judged: what was wrong, and what there was of what."""

    wrong: list[str]
    figures: dict[str, Any] = field(default_factory=dict)


def judge(played: Played) -> Judged:
    """Judge a week, of which everything is still in the database."""
    week = week_of(played)
    tale = Telltale(week)
    wrong = [f"a worker logged: {one}" for one in played.errors]
    for found in (wrong_with_cases(week), wrong_with_calls(week), tale.judge()):
        wrong += found
    wrong += [*wrong_with_mails(week, tale), *wrong_with_hooks(week, tale)]
    return Judged(wrong=wrong, figures=dict(_figures(week, tale)))


def _figures(week: Week, tale: Telltale) -> Iterator[tuple[str, Any]]:
    played, models = week.played, week.models.values()
    calls = [one for model in models for one in model.calls]
    ended = Notice.objects.values_list("ended_as").annotate(count=Count("pk"))
    yield "operations", len(models)
    yield "lives", dict(sorted(Counter(one.kind for one in played.lives).items()))
    yield "cases", sum(len(model.cases) for model in models)
    yield "cases closed", sum(case.closed is not None for model in models for case in model.cases)
    yield "second cases", sum(len(model.cases) > 1 for model in models)
    yield "reasons", dict(sorted(_reasons(week).items()))
    yield "calls", len(calls)
    yield "calls by kind", dict(sorted(Counter(one.kind if one.step else "owner" for one in calls).items()))
    yield "longest round", max((one.round for one in calls), default=0)
    yield "tried by people and agents", dict(sorted(Counter(played.doing.came.values()).items()))
    yield "tellings", len(tale.told)
    yield "tellings by end", dict(sorted(Counter(one.row.ended_as or "waits" for one in tale.told).items()))
    yield "notices by end", {end or "on its way": count for end, count in sorted(ended)}
    yield "mails", len(played.mails)
    yield "largest group", max((row.count for row in tale.notices.values()), default=0)
    yield "inside quiet hours, since it presses", sum(row.anyway for row in tale.notices.values())
    yield "webhooks", len(played.hooks)
    yield "replies 4yz", played.declined
    yield "replies lost", sum(one.lost for one in played.mails)
    yield "ticks swept", played.swept
    yield "killed", dict(sorted(Counter(WHERE[where] for _, where, _ in played.kills).items()))
    away = played.outages
    for name, spans in (("worker", away.worker), ("broker", away.broker), ("mail server", away.mail)):
        yield f"{name} away", _hours(spans)
    yield "mail server says 4yz", _hours(away.declines)
    yield "webhook says 503", _hours(away.hook)
    yield "two sweepers", _hours(away.two)


def _reasons(week: Week) -> Counter[str]:
    found: Counter[str] = Counter()
    for model in week.models.values():
        for case in model.cases:
            found.update([*case.reasons, *[why for why, _, _ in case.held]])
    return found


def _hours(spans: Spans) -> str:
    total = sum([one.until - one.since for one in spans], timedelta(0))
    return f"{len(spans)} times, {total.total_seconds() / 3600:.1f} h together"

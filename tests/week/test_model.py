"""The oracle's own model, by the numbers of docs/cases.md, docs/teams.md and docs/notices.md worked out by hand."""

from datetime import UTC, datetime, timedelta

from tests.week import world
from tests.week.model import Model, model_of
from tests.week.oncall import on_call, quiet_until
from tests.week.script import Life
from tests.week.world import RECIPIENTS, T0

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
TICKS = [T0 + MINUTE * one for one in range(24 * 60)]


def life(key: str = "square-payments", **more: object) -> Life:
    """An operation whose reply was lost; it is expected within 30 seconds, so that the first minute calls for it."""
    found = Life(index=1, kind="", recipient=RECIPIENTS[key], begun=T0, **more)  # type: ignore[arg-type]
    found.then(timedelta(seconds=5), "timeout")
    return found


def calls(model: Model) -> list[tuple[int, int, float, str]]:
    """Each call as round, step, minutes after the beginning, and whom."""
    return [(one.round, one.step, (one.at - T0) / MINUTE, one.whom) for one in model.calls]


def test_nothing_is_called_within_its_expected_time():
    quick = life()
    quick.then(timedelta(seconds=20), "applied")
    assert (model_of(quick, TICKS).cases, model_of(quick, TICKS).calls) == ([], [])


def test_a_chain_is_called_step_by_step_until_it_is_settled_and_begins_again():
    lost = life()
    lost.then(8 * HOUR, "applied")
    assert calls(model_of(lost, TICKS)) == [
        (1, 1, 1, "eve"),
        (1, 2, 16, "eve"),
        (1, 3, 46, world.WEBHOOK),
        (1, 4, 106, "Payments"),
        (2, 1, 406, "eve"),
        (2, 2, 421, "eve"),
        (2, 3, 451, world.WEBHOOK),
    ]


def test_after_an_outage_the_step_that_is_due_is_called_at_once_and_the_next_waits_its_whole_time():
    lost = life()
    lost.then(3 * HOUR, "applied")
    away = [one for one in TICKS if not T0 + 10 * MINUTE <= one < T0 + 80 * MINUTE]
    assert [one[2] for one in calls(model_of(lost, away))] == [1, 80, 110, 170]


def test_who_takes_it_has_half_an_hour_and_is_called_before_the_chain():
    lost = life()
    lost.then(10 * MINUTE, "take", who="ann")
    lost.then(70 * MINUTE, "applied")
    found = model_of(lost, TICKS)
    assert calls(found) == [(1, 1, 1, "eve"), (2, 0, 40, "ann"), (2, 1, 55, "eve")]
    assert found.came == {1: "done"}


def test_what_was_put_off_comes_back_when_what_is_known_changes():
    lost = life()
    lost.then(10 * MINUTE, "put_off", who="ann", until=20 * HOUR)
    lost.then(3 * HOUR, "pending")
    lost.then(3 * HOUR + 2 * MINUTE, "applied")
    assert calls(model_of(lost, TICKS)) == [(1, 1, 1, "eve"), (2, 1, 180, "eve")]


def test_one_more_reason_ends_what_was_seen():
    lost = life(deadline=T0 + 20 * MINUTE)
    lost.then(2 * MINUTE, "seen", who="ann")
    lost.then(30 * MINUTE, "applied")
    assert [one[2] for one in calls(model_of(lost, TICKS))] == [1, 16]


def test_a_contradiction_opens_a_second_case():
    lost = life("collection-desk")
    lost.then(2 * MINUTE, "applied")
    lost.then(5 * MINUTE, "closed")
    found = model_of(lost, TICKS)
    assert [(case.nth, case.closed is None, sorted(case.reasons)) for case in found.cases] == [
        (1, False, []),
        (2, True, ["conflict"]),
    ]


def test_in_the_night_in_which_clocks_are_set_back_a_shift_has_an_hour_more():
    rota = world.ROTAS["Counter rota"]
    assert on_call(rota, datetime(2026, 10, 25, 6, 59, tzinfo=UTC)) == "dan"
    assert on_call(rota, datetime(2026, 10, 25, 7, 0, tzinfo=UTC)) == "ben"


def test_quiet_hours_end_by_the_clock_of_whoever_has_them():
    ben = world.QUIET["ben"]
    assert quiet_until(ben, datetime(2026, 10, 24, 18, 59, tzinfo=UTC)) is None
    assert quiet_until(ben, datetime(2026, 10, 24, 19, 0, tzinfo=UTC)) == datetime(2026, 10, 25, 7, 0, tzinfo=UTC)

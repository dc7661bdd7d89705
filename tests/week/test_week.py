"""A small week by a seed: every case escalated as its chain says, none twice, none lost; and planted bugs are found."""

import pytest

from tests.week.planted import PLANTED
from tests.week.playing import Playing, stage
from tests.week.report import Judged, judge

SEED = 5

pytestmark = pytest.mark.django_db(transaction=True)


def week(*, operations: int, days: float) -> Judged:
    """A week that was played and judged."""
    with stage() as here:
        playing = Playing(here, seed=SEED, operations=operations, days=days, calm=0.7)
        return judge(playing.play(lambda _: None))


# The two others are looked for by `python -m tests.week`, like these, in larger weeks.
@pytest.mark.parametrize("bug", ["no second look under the lock", "a notice is dropped at an outage"])
def test_the_oracle_finds_a_planted_bug(bug):
    with PLANTED[bug]():
        assert week(operations=40, days=0.5).wrong != []


def test_every_case_is_escalated_as_its_chain_says_through_every_outage():
    found = week(operations=80, days=1)
    assert found.wrong == []
    figures = found.figures
    assert (figures["operations"], set(figures["killed"])) == (80, {"in a call", "before sending", "after sending"})
    assert figures["calls by kind"].keys() >= {"person", "rota", "team", "webhook"}
    assert min(figures[name] for name in ("replies 4yz", "replies lost", "cases closed", "webhooks")) > 0

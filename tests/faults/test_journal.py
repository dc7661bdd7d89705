"""A run that was cut leaves its counts, and the next one of the same code goes on from them."""

import pytest

from tests.faults import journal
from tests.faults.breaking import NOT_REACHED, Trial
from tests.faults.case import Act
from tests.faults.journal import Journal, OtherCode
from tests.faults.process import Ran
from tests.faults.running import Run, plan


def trial(process: str, *, how: str = "killed") -> Trial:
    return Trial(act="repair", point="before commit", process=process, how=how, wrong=["decision lost"])


@pytest.fixture
def begun(tmp_path) -> Journal:
    found = Journal(tmp_path / "trials")
    assert found.open(seed=1) == 0
    return found


def test_what_another_seed_left_is_not_gone_on_with(begun):
    with pytest.raises(OtherCode):
        begun.open(seed=2)


def test_what_other_code_left_is_not_gone_on_with(begun, monkeypatch):
    monkeypatch.setattr(journal, "version", lambda: "other code")
    with pytest.raises(OtherCode):
        begun.open(seed=1)


def test_trials_are_read_as_they_were_written_down(begun):
    begun.add([trial("web"), trial("broker")])
    assert begun.open(seed=1) == 2
    assert begun.read(2) == [trial("web"), trial("broker")]


def test_a_line_that_was_cut_is_left_out_and_written_over(begun):
    begun.add([trial("web")])
    begun.path.write_text(begun.path.read_text(encoding="utf-8") + '{"act": "rep', encoding="utf-8")
    assert begun.open(seed=1) == 1
    begun.add([trial("broker")])
    assert begun.read(2) == [trial("web"), trial("broker")]


def planned(*earlier: Trial, rounds: int = 2) -> list[str]:
    act = Act(name="repair", process="web", prepare=lambda _: pytest.fail("nothing is played"))
    run = Run(1, rounds, traced={"repair": Ran(passed=["before commit"])})
    return sorted(process for _, _, process, _ in plan(run, [act], earlier))


def test_each_point_is_planned_in_each_process_once_a_round():
    assert planned() == ["broker", "broker", "database", "database", "web", "web"]


def test_what_was_broken_off_earlier_is_planned_so_much_less_often():
    assert planned(trial("web"), trial("broker"), trial("broker")) == ["database", "database", "web"]


def test_a_point_that_was_not_reached_was_not_broken_off():
    assert planned(trial("web", how=NOT_REACHED), rounds=1) == ["broker", "database", "web"]

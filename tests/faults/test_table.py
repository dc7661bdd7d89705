"""What a run says of itself."""

from tests.faults import table
from tests.faults.breaking import NOT_REACHED, Trial
from tests.faults.process import Outcome, Ran
from tests.faults.running import Found, Run


def run(*trials: Trial) -> Run:
    """A run of one act with two points."""
    traced = {"repair": Ran(Outcome(status=302), ["before commit", "after commit"])}
    return Run(1, 1, traced=traced, trials=list(trials), planted={"a bug": Found(trials=2, times=1, first="here")})


def trial(point: str, process: str, *wrong: str) -> Trial:
    return Trial(act="repair", point=point, process=process, how="killed", wrong=list(wrong))


def everywhere(point: str) -> list[Trial]:
    return [trial(point, process) for process in ("web", "database", "broker")]


def test_a_point_that_was_not_broken_off_in_each_process_is_counted_as_never():
    told = table.as_json(
        run(*everywhere("before commit"), trial("after commit", "web"), trial("after commit", "broker"))
    )
    assert told["least"] == 0


def test_a_point_is_counted_in_the_process_that_plays_it():
    told = table.as_json(run(*everywhere("before commit"), *everywhere("after commit")))
    assert (told["least"], told["trials"]) == (1, 6)


def test_a_point_that_was_not_reached_was_not_broken_off():
    lost = Trial(act="repair", point="after commit", process="web", how=NOT_REACHED, wrong=["not reached: None"])
    told = table.as_json(run(*everywhere("before commit"), lost, *everywhere("after commit")[1:]))
    assert told["least"] == 0
    assert told["failures"] == ["repair, after commit, web (not reached): not reached: None"]


def test_trials_of_a_run_that_was_cut_are_told_apart():
    found = run(*everywhere("before commit"))
    found.earlier = 2
    assert "3 trials at 2 points in 0 s, seed 1; 2 of them in runs" in table.summary(table.as_json(found))


def test_what_was_wrong_is_a_failure_that_says_where():
    told = table.as_json(run(trial("after commit", "web", "decision lost")))
    assert told["failures"] == ["repair, after commit, web (killed): decision lost"]
    assert "| repair | after commit | 1 |  |  |  | 1 |" in table.page(told)


def test_a_planted_bug_that_was_not_found_is_a_failure():
    assert Run(1, 1, planted={"a bug": Found(trials=3)}).failures == ["the planted bug “a bug” was not found"]

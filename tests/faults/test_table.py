"""What a run says of itself."""

from tests.faults import table
from tests.faults.breaking import Trial
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
    assert table.least(told) == 0


def test_a_point_is_counted_in_the_process_that_plays_it():
    told = table.as_json(run(*everywhere("before commit"), *everywhere("after commit")))
    assert (table.least(told), told["trials"]) == (1, 6)


def test_what_was_wrong_is_a_failure_that_says_where():
    told = table.as_json(run(trial("after commit", "web", "decision lost")))
    assert told["failures"] == ["repair, after commit, web (killed): decision lost"]
    assert "| repair | after commit | 1 |  |  |  | 1 |" in table.page(told)


def test_a_planted_bug_that_was_not_found_is_a_failure():
    assert Run(1, 1, planted={"a bug": Found(trials=3)}).failures == ["the planted bug “a bug” was not found"]

"""What dies starts again, ever later while it keeps dying."""

import sys

import pytest

from escalation.env import data_folder
from escalation.running.child import Command
from escalation.running.refused import CannotStart, Stopped
from escalation.running.supervisor import FORGIVEN_AFTER, LONGEST_PAUSE, Supervisor
from tests.escalation.running.desks import until


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(said, clock):
    supervisor = Supervisor(say=said.append, clock=clock)
    yield supervisor
    supervisor.stop()


def python(*words: str, name: str = "it") -> Command:
    return Command(name=name, words=[sys.executable, "-c", *words])


def test_a_step_that_fails_is_told_with_its_last_words_and_where_the_rest_is(desk):
    with pytest.raises(CannotStart) as refused:
        desk.run_once(python("print('first'); raise SystemExit('the disk is full')"))
    assert str(refused.value) == (
        f"The step it failed (the disk is full): all that it said is in {data_folder() / 'log' / 'it.log'}."
    )


def test_a_step_is_given_up_when_the_desk_is_asked_to_stop(desk):
    desk.asked_to_stop.set()
    with pytest.raises(Stopped):
        desk.run_once(python("import time; time.sleep(60)"))


def test_nothing_is_waited_for_once_a_kept_process_has_ended(desk):
    desk.keep(python("raise SystemExit(3)"))
    assert until(lambda: not desk.going())


def test_a_step_that_goes_well_leaves_what_it_said_in_no_file(desk):
    assert desk.run_once(python("print('a link')")) == "a link"
    assert not (data_folder() / "log" / "it.log").exists()


def test_the_pause_doubles_to_a_limit_and_is_forgiven_after_a_while(desk, said, clock):
    desk.keep(python("raise SystemExit(3)"))
    (kept,) = desk.kept
    pauses = []
    for _ in range(8):
        assert until(lambda: kept.child is not None and kept.child.ended() is not None)
        desk._look_after(kept)
        pauses.append(kept.due - clock.now)
        desk._look_after(kept)
        assert kept.child is None  # not before its time
        clock.now = kept.due
        desk._look_after(kept)
    assert pauses == [0.5, 1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE]
    assert said[1] == "it ended (status 3); it starts again in 1 s."

    assert until(lambda: kept.child.ended() is not None)
    clock.now += FORGIVEN_AFTER + 1
    desk._look_after(kept)
    assert kept.due - clock.now == 0.5

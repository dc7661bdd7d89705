"""Rules are kept in every version, change no kept fact, and move the lists; refusals first."""

import pytest

from operations import models, runs, tasks
from operations.imports.rules import PatternRefused
from operations.imports.words import OutputClass
from operations.reading import output_rules as reading
from operations.recording import output_rules as recording
from operations.runs import ruling
from tests.operations.runs.bringing import BY, brought, chat, later

pytestmark = pytest.mark.django_db
GAVE_UP = "We gave up."


def write(pattern: str = "we gave up*", *, says=OutputClass.INCONCLUSIVE, tool: str = "", **known):
    return ruling.write(
        tool=tool, pattern=pattern, says=says, by=BY, now=later(9), **{"number": None, "version": None, **known}
    )


@pytest.mark.parametrize("says", [OutputClass.ENVELOPE])
def test_a_rule_says_of_no_output_that_it_is_an_answer_of_this_desk(says):
    with pytest.raises(PatternRefused):
        write(says=says)


def test_a_pattern_that_may_not_be_is_not_written():
    with pytest.raises(PatternRefused):
        write("*")
    assert reading.versions() == []


def test_whoever_looked_at_an_older_version_changes_nothing():
    first = write()
    write("we gave up at*", number=first.number, version=1)
    with pytest.raises(recording.Overtaken):
        write("other words", number=first.number, version=1)
    with pytest.raises(recording.NoSuchRule):
        write("other words", number=7, version=1)
    assert [(row.version, row.pattern) for row in reading.holding()] == [(2, "we gave up at*")]


def test_more_rules_than_may_hold_are_not_written(monkeypatch):
    monkeypatch.setattr(ruling, "MOST_RULES", 1)
    write()
    with pytest.raises(ruling.TooManyRules):
        write("other words")
    assert len(reading.versions()) == 1


def test_a_trial_writes_nothing_and_names_what_fits():
    row = brought(chat(("a", "{}", GAVE_UP), ("b", "{}", "T-1"))).transcript.run
    trial = ruling.try_on(tool="", pattern="we gave up*", says=OutputClass.INCONCLUSIVE, number=None, among=None)
    assert (trial.calls, [one.call.call_id for one in trial.found]) == (2, ["a"])
    assert (trial.found[0].before, trial.found[0].taken_for) == (OutputClass.CLAIMS_RESULT, OutputClass.INCONCLUSIVE)
    assert (reading.versions(), "output_inconclusive" in runs.calls_of(row)[0].reasons) == ([], False)


def test_a_trial_sees_no_run_that_may_not_be_read():
    brought(chat(("a", "{}", GAVE_UP)))
    trial = ruling.try_on(tool="", pattern="we gave up*", says=OutputClass.INCONCLUSIVE, number=None, among=[])
    assert (trial.calls, trial.found) == (0, ())


def test_a_rule_moves_the_list_and_no_kept_fact():
    brought(chat(("a", "{}", GAVE_UP), ("b", "{}", "T-1")))
    kept = list(models.Showing.objects.order_by("pk").values_list("facts", flat=True))
    write()
    tasks.judge_outputs()
    call = models.Call.objects.get(call_id="a")
    assert "output_inconclusive" in call.reasons
    assert list(models.Showing.objects.order_by("pk").values_list("facts", flat=True)) == kept
    [output] = runs.shown_call(call.run, call).outputs
    assert (output.kind, output.matched) == (OutputClass.CLAIMS_RESULT, GAVE_UP)
    assert output.ruled
    assert output.ruled.by == "rule 1, version 1"


def test_a_rule_that_ended_moves_the_list_back_and_stays_on_record():
    brought(chat(("a", "{}", GAVE_UP)))
    row = write()
    tasks.judge_outputs()
    recording.end(row.number, version=1, by=BY, now=later(10))
    tasks.judge_outputs()
    assert "output_inconclusive" not in models.Call.objects.get(call_id="a").reasons
    assert [one.version for one in reading.versions()] == [1]


def test_the_lists_are_judged_in_parts(monkeypatch):
    monkeypatch.setattr(ruling, "RUNS", 1)
    first, second = (brought(chat(("a", "{}", GAVE_UP))).transcript.run for _ in range(2))
    write()
    following = ruling.judge_anew(tool="")
    assert (following, ruling.judge_anew(tool="", after=following or 0)) == (first.pk, second.pk)
    assert ruling.judge_anew(tool="", after=second.pk) is None
    assert all("output_inconclusive" in reasons for reasons in models.Call.objects.values_list("reasons", flat=True))


def inconclusive() -> list[bool]:
    """Of each call in order, whether the rule is in its reasons."""
    return [
        "output_inconclusive" in one for one in models.Call.objects.order_by("pk").values_list("reasons", flat=True)
    ]


def test_where_a_message_was_lost_the_next_goes_on_from_where_the_last_one_got(monkeypatch):
    monkeypatch.setattr(ruling, "RUNS", 1)
    for _ in range(2):
        brought(chat(("a", "{}", GAVE_UP)))
    assert ruling.follow() is False  # no rule, nothing to follow
    write()
    assert (ruling.follow(), inconclusive()) == (True, [True, False])
    assert (ruling.follow(), inconclusive()) == (True, [True, True])
    assert ruling.follow() is False  # behind the last there is none
    judged: list[models.Run] = []
    monkeypatch.setattr(ruling, "rejudge", judged.append)
    assert (ruling.follow(), judged) == (False, [])  # and then nobody judges anything


def test_a_rule_that_changes_meanwhile_has_all_judged_by_it(monkeypatch):
    monkeypatch.setattr(ruling, "RUNS", 1)
    for _ in range(2):
        brought(chat(("a", "{}", GAVE_UP)))
    row = write()
    ruling.follow()
    recording.end(row.number, version=1, by=BY, now=later(10))
    while ruling.follow():
        pass
    assert inconclusive() == [False, False]


def test_a_worker_that_was_overtaken_takes_nothing_back():
    brought(chat(("a", "{}", GAVE_UP)))
    row = write()
    late = recording.behind()
    assert late is not None
    recording.end(row.number, version=1, by=BY, now=later(10))
    assert ruling.follow() is False
    recording.followed(late, upto=None)
    recording.followed(late, upto=7)
    assert recording.behind() is None

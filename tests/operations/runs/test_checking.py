"""A run's records on record are checked by the rules for files; refusals first."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from operations import models, runs
from operations.imports.next_input import ABSENT, Fault
from tests.operations.imports.records import log, run
from tests.operations.runs.bringing import brought, chat

pytestmark = pytest.mark.django_db
STATE, AFTER, FIXED = (
    "02_mixed_missing_tool_pending__sdk0.22.1",
    "02b_mixed_missing_tool_resumed__sdk0.22.1",
    "02b_mixed_missing_tool_resumed",
)
MISSING = Fault(call_id="call_Sm32", name="send_sms_notice", what=ABSENT)


def a_run(*records: bytes) -> models.Run:
    first, *others = records
    found = brought(first).transcript.run
    for nth, one in enumerate(others, start=1):
        brought(one, run=found, at=nth)
    return found


def test_a_run_without_a_state_can_not_be_checked():
    with pytest.raises(runs.NotCheckable, match="No record of this run is a state"):
        runs.check(a_run(log(AFTER)))


def test_a_run_without_requests_can_not_be_checked():
    with pytest.raises(runs.NotCheckable, match="No record of this run is a log of requests"):
        runs.check(a_run(run(STATE)))


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_record_of_another_kind_is_no_log(number):
    with pytest.raises(runs.NotCheckable, match=f"Record {number} of this run is not a log"):
        runs.check(a_run(run(STATE), log(AFTER)), request=number)


def test_the_predecessor_fails_by_its_records_on_record():
    assert runs.check(a_run(run(STATE), log(AFTER))).faults == (MISSING,)


def test_the_fix_passes_by_its_records_on_record():
    assert runs.check(a_run(log(FIXED), run(STATE))).faults == ()


def test_of_several_the_newest_of_each_kind_is_meant_and_others_can_be_named():
    found = a_run(run(STATE), log(AFTER), log(FIXED))
    assert (runs.check(found).request, runs.check(found).faults) == (3, ())
    assert runs.check(found, state=1, request=2).faults == (MISSING,)


def checked(*words: str, **options: object) -> str:
    out = StringIO()
    call_command("check_next_input", *words, stdout=out, **options)
    return out.getvalue()


def test_the_command_ends_with_status_1_where_a_stored_run_lacks_an_output():
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("check_next_input", run=a_run(run(STATE), log(AFTER)).pk, stdout=out)
    assert ended.value.code == 1
    assert out.getvalue() == "call_Sm32 (send_sms_notice) is owed an output, and no request carries one.\n"


def test_the_command_takes_the_numbers_of_records():
    found = a_run(run(STATE), log(AFTER), log(FIXED))
    assert checked("1", "3", run=found.pk) == "Every call that is owed an output has exactly one.\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("1", "2"), "Record 1 of this run is not"),
        (("x",), "x is not the number of a record"),
        ((), "No record of this run"),
    ],
)
def test_the_command_ends_with_status_2_where_it_can_not_check(words, why):
    found = a_run(chat(("a", "{}", None)), log(AFTER)) if words else a_run(chat(("a", "{}", None)))
    if words == ("1", "2"):
        brought(run(STATE), run=found, at=5)
    with pytest.raises(CommandError, match=why) as refused:
        checked(*words, run=found.pk)
    assert refused.value.returncode == 2


def test_the_command_names_a_run_that_is_not_there():
    with pytest.raises(CommandError, match="There is no run 999") as refused:
        checked(run=999)
    assert refused.value.returncode == 2


def test_the_command_without_files_and_without_a_run_says_what_it_needs():
    with pytest.raises(CommandError, match="Name a STATE and a REQUEST"):
        checked()

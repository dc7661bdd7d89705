"""Every record that the real SDKs made is read as it was read by hand."""

import pytest

from operations.imports import imported
from tests.operations.imports.records import GOLD, log, named

# The log of the mock server keeps its answers as a word ("200 function_call") and, with a conversation, never holds the
# call itself: neither the tool's name nor its arguments stand anywhere in these three files.
NOT_IN_THE_FILE = {
    "http/http1_ok_conversation": {"name", "fingerprint"},
    "http/http2_read_timeout_conversation": {"name", "fingerprint"},
    "http/http3_500_conversation": {"name", "fingerprint"},
}


@pytest.mark.parametrize("case", GOLD)
def test_a_record_shows_what_it_was_read_to_show(case: str):
    name, _, how = case.partition(" (")
    requests = log(name.partition("/")[2]) if how.startswith("with its request log") else None
    found = [call.shown() for call in imported(named(name), request_log=requests).calls]
    left_out = NOT_IN_THE_FILE.get(name, set())
    assert found == [{fact: said for fact, said in call.items() if fact not in left_out} for call in GOLD[case]]


def test_what_is_left_out_of_a_case_is_not_in_its_file():
    for name in NOT_IN_THE_FILE:
        assert b"issue_ticket" not in named(name)


@pytest.mark.parametrize("case", GOLD)
def test_no_import_says_that_anything_happened_or_did_not(case: str):
    words = {"applied", "not_applied", "closed", "failed", "succeeded"}
    name = case.partition(" (")[0]
    for call in imported(named(name)).calls:
        assert words.isdisjoint([str(said) for said in call.shown().values()])

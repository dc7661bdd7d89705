"""What the judge of the three truths says of a journal and of what a recipient saw, without any process."""

from types import SimpleNamespace
from typing import Any

from tests.agentfaults.truths import Journalled, _bytes, _came_back, _received

DIRECT: Any = SimpleNamespace(reports_bytes=True)
BY_A_SERVER: Any = SimpleNamespace(reports_bytes=False)


def attempt(sends: str = "one", **marks: str | None) -> Journalled:
    return Journalled("a-1", sends, None, marks)


def came(*looked: list[str]) -> dict[str, Any]:
    """A request, at whose first byte the journal held these attempts with their marks."""
    return {"journal": [*looked]}


def test_a_byte_before_its_attempt_was_in_the_journal_is_told():
    said = [*_bytes(DIRECT, [attempt(ended="yes")], [came(), came(["a-1", "asked,ended"])])]
    assert said[:2] == ["not journalled first: a byte arrived, and no attempt was open in the journal"] * 2


def test_an_attempt_that_goes_out_once_and_came_twice_is_told():
    twice = [came(["a-1", "asked"])] * 2
    assert [*_bytes(DIRECT, [attempt(ended="yes")], twice)] == ["sends: an attempt that goes out once came 2 times"]
    assert [*_bytes(DIRECT, [attempt("many", ended="yes")], twice)] == []


def test_bytes_of_what_is_said_not_to_have_left_are_told():
    for marks in ({"unsent": "no"}, {"ended": "no"}):
        said = [*_bytes(DIRECT, [attempt(**marks)], [came(["a-1", ""])])]
        assert said == ["sends: bytes of an attempt arrived that is said not to have left"]


def test_what_is_said_to_have_left_and_never_came_is_told_of_whoever_owns_the_socket():
    assert [*_bytes(DIRECT, [attempt(ended="yes")], [])] == [
        "sends: no byte of an attempt arrived that is said to have left"
    ]
    assert [*_bytes(BY_A_SERVER, [attempt(ended="yes")], [])] == []


def test_more_requests_than_attempts_that_may_have_left_are_told():
    assert [*_received([attempt(unsent="no")], 1)] == [
        "not journalled: 1 requests arrived, and 0 attempts may have left by the journal"
    ]
    assert [*_received([attempt(handed_over=None)], 1)] == []


def test_an_envelope_that_says_applied_without_a_ticket_is_told():
    truth: Any = {"tickets": []}
    assert [*_came_back({"evidence": "applied"}, truth, is_last=False)] == [
        "told: an envelope says applied, and there is no ticket"
    ]


def test_what_was_excluded_may_be_sent_anew_with_leave_but_not_be_excluded_in_the_end():
    truth: Any = {"tickets": ["T-1"]}
    said = {"evidence": "unknown", "finality": "excluded", "next": "not_sent"}
    assert [*_came_back(said, truth, is_last=False)] == []
    assert [*_came_back(said, truth, is_last=True)] == ["told: the last envelope says not_sent, and there is a ticket"]

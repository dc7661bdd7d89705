"""What an output claims, and by which rule; never that anything failed."""

import json

import pytest

from operations.imports.call import Call
from operations.imports.judging import judge
from operations.imports.outputs import SHORT, output_of, text_of
from operations.imports.words import OutputClass


def sorted_(text: str, **given: bool) -> tuple[str, str]:
    found = output_of(text, **given)
    return found.kind, found.matched


@pytest.mark.parametrize("text", ["Tool 'send_sms' not found.", "Tool execution was not approved."])
def test_the_runtimes_own_sentences_say_that_nothing_was_attempted(text):
    assert sorted_(text) == (OutputClass.NOT_ATTEMPTED, text)


@pytest.mark.parametrize(
    "text", ["The Tool 'x' not found.", "Tool 'x' not found. Issued T-1.", "tool execution was not approved"]
)
def test_words_like_the_runtimes_are_not_the_runtimes(text):
    assert sorted_(text)[0] == OutputClass.CLAIMS_RESULT


@pytest.mark.parametrize(
    "text",
    [
        "Tool 'issue_ticket' timed out after 0.4 seconds.",
        "connection reset by peer",
        "HTTP 503",
        "503 Service Unavailable",
        '{"error": "read timeout"}',
        "no reply after 30 s",
    ],
)
def test_words_of_trouble_leave_it_open(text):
    assert sorted_(text) == (OutputClass.INCONCLUSIVE, "timeout/connection text")


@pytest.mark.parametrize("text", ["Parcel Elm is on shelf 503", "Room 5, code 12", '{"ticket": "T-1500"}'])
def test_numbers_alone_are_no_trouble(text):
    assert sorted_(text)[0] == OutputClass.CLAIMS_RESULT


def test_a_long_answer_that_mentions_trouble_claims_a_result():
    assert sorted_("timeout " + "x" * SHORT)[0] == OutputClass.CLAIMS_RESULT


def test_the_default_error_text_leaves_it_open_though_it_asks_to_try_again():
    text = "An error occurred while running the tool. Please try again. Error: boom"
    assert sorted_(text) == (OutputClass.INCONCLUSIVE, "sdk default error text")


def test_an_error_flag_leaves_it_open_whatever_the_text_says():
    assert sorted_("The ticket was not issued.", error=True) == (OutputClass.INCONCLUSIVE, "error flag")


@pytest.mark.parametrize("member", ["evidence", "effect"])
def test_an_envelope_says_what_is_known_of_the_effect(member):
    text = json.dumps({"operation": "0192", member: "pending"})
    assert sorted_(text, error=True) == (OutputClass.ENVELOPE, "pending")


@pytest.mark.parametrize(
    ("said", "effect"),
    [
        ({"evidence": "applied", "conflict": True}, "conflict"),
        ({"evidence": "not_applied"}, "unknown"),
        ({"evidence": "not_applied", "finality": "possible"}, "unknown"),
        ({"evidence": "probably"}, "unknown"),
        ({"evidence": "not_applied", "finality": "excluded", "conflict": False}, "not_applied"),
        ({"evidence": "applied", "finality": "settled"}, "applied"),
    ],
)
def test_an_envelope_clears_only_where_the_effect_is_established(said, effect):
    call = Call(call_id="c1", name="issue")
    call.add(output_of(json.dumps({"operation": "0192", **said})))
    judge([call])
    clears = effect in {"applied", "not_applied"}
    assert (call.outputs[0].matched, call.open) == (effect, not clears)
    assert call.reasons == ([] if clears else [f"effect_{effect}"])


@pytest.mark.parametrize(
    "text",
    ['{"operation": 1, "operation": 2}', '{"operation": "x"}', '{"operation": "x", "evidence": 1}', '["operation"]'],
)
def test_what_only_looks_like_an_envelope_claims_a_result(text):
    assert sorted_(text)[0] == OutputClass.CLAIMS_RESULT


def test_a_long_text_is_shown_cut_and_kept_whole():
    found = output_of("y" * 2000)
    assert (len(found.text), found.matched[-1]) == (2000, "…")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, "b"], "a\nb"),
        ({"type": "text", "text": "c"}, "c"),
        ({"data": 1}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_text_of_blocks_is_what_they_say(value, text):
    assert text_of(value) == text

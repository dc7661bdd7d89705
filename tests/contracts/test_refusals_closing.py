"""What is refused of a closing request: what it can't name, and what its answers can't say of the original."""

import pytest

from operations.contracts.refusals.closing import SPEAKS_OF_THE_OPERATION
from operations.core.facts import Claim
from tests.contracts.closings import CHANNEL, CLOSING, closing_of, stopping, with_closing
from tests.contracts.documents import GONE, refused

AT_RULE = "/readings/1"


def test_a_sound_closing_request_is_not_refused():
    assert refused(with_closing()) == []


@pytest.mark.parametrize("by", ["question", "nothing"])
@pytest.mark.parametrize("status", [400, 404, 409, 410, 500])
@pytest.mark.parametrize("says", ["closed", "applied"])
def test_a_refused_answer_without_an_echo_settles_nothing(says, status, by):
    example = {
        "name": "x",
        "evidence": "recorded",
        "answer": {"status": status, "body": {}},
        "reads": {"correlation": "operation" if by == "question" else "weak"},
    }
    told = stopping(says=says, when={"at": "/status", "equals": status}, correlation={"by": by}, examples=[example])
    found = refused(with_closing(told))
    expected = (f"{AT_RULE}/correlation/by", "refused_without_echo")
    assert (expected in found) is (by == "question")  # tied by nothing, it never counts


@pytest.mark.parametrize("statuses", [{"at_least": 200}, {"in": [200, 409]}])
def test_a_rule_that_a_refused_answer_can_meet_needs_the_echo_too(statuses):
    told = stopping(when={"at": "/status", **statuses}, correlation={"by": "question"})
    assert (f"{AT_RULE}/correlation/by", "refused_without_echo") in refused(with_closing(told))


def test_an_accepted_answer_to_a_request_that_names_the_operation_needs_no_echo():
    told = stopping(when={"at": "/status", "equals": 200}, correlation={"by": "question"})
    assert refused(with_closing(told)) == []


def test_a_refused_answer_that_repeats_the_operation_may_say_that_it_happened():
    when = {"all": [{"at": "/status", "equals": 409}, {"at": "/body/key", "exists": True}]}
    answer = {"status": 409, "body": {"key": "order-1", "to": "anna", "text": "hello"}}
    told = stopping(
        says="applied",
        when=when,
        correlation={"by": "identity_and_arguments"},
        examples=[{"name": "x", "evidence": "recorded", "answer": answer}],
    )
    assert refused(with_closing(told)) == []


@pytest.mark.parametrize("says", sorted(set(Claim) - SPEAKS_OF_THE_OPERATION))
def test_an_answer_to_it_speaks_of_no_attempt_and_no_number(says):
    told = stopping(says=says)
    if says == "protection_until":
        told["until"] = {"at": "/body/until", "form": "rfc_3339"}
    found = refused(with_closing(told))
    assert (f"{AT_RULE}/says", "of_another_request") in found


def test_what_a_channel_can_not_carry_it_can_not_carry_here():
    changes = with_closing() | {"/channels/stopped": {**CHANNEL, "authority": "transport"}}
    assert (f"{AT_RULE}/says", "beyond_authority") in refused(changes)


@pytest.mark.parametrize("by", ["connection", "connection_and_arguments"])
def test_the_attempts_own_connection_is_another_one(by):
    assert (f"{AT_RULE}/correlation/by", "no_connection") in refused(
        with_closing(stopping(correlation={"by": by, **({"promise": "docs"} if by == "connection" else {})}))
    )


def test_a_request_that_names_what_many_share_ties_nothing():
    told = stopping(when={"at": "/status", "equals": 200}, correlation={"by": "question"})
    changes = with_closing(told, target="/letters/{to}/stop", carried_by={"to": "/target/to"})
    assert (f"{AT_RULE}/correlation/by", "no_question") in refused(changes)


@pytest.mark.parametrize(
    ("closing", "place", "rule"),
    [
        ({"carried_by": {"key": "/headers/x-other"}}, "/carried_by/key", "never_carried"),
        ({"target": "/letters/{key}/{other}"}, "", "unknown_name"),
        ({"target": "/letters/stop"}, "", "unused_name"),
        ({"body": {"id": "{other}"}}, "", "unknown_name"),
        ({"headers": {"authorization": "Bearer x"}}, "/headers/authorization", "secret"),
        ({"contract": None}, "/contract", "no_contract"),
        ({"heard_on": {"reply": "record"}}, "/heard_on/reply", "unknown_channel"),
        ({"heard_on": {"reply": "nowhere"}}, "/heard_on/reply", "unknown_channel"),
        ({"after_effect": {"is": "refused"}}, "/after_effect", "no_source"),
        ({"after_effect": {"is": "undone"}}, "/after_effect", "no_source"),
        ({"after_effect": {"is": "refused", "source": "guess"}}, "/after_effect/source", "inferred"),
        ({"source": "nowhere"}, "/source", "unknown_source"),
    ],
)
def test_what_a_closing_request_can_not_say(closing, place, rule):
    assert (f"/closing_request{place}", rule) in refused(with_closing(**closing))


@pytest.mark.parametrize("closing", ["not documented", {**CLOSING, "heard_on": {}}])
def test_a_channel_on_which_nothing_is_heard_is_refused(closing):
    assert ("/channels/stopped/kind", "unheard") in refused(with_closing() | {"/closing_request": closing})


def test_what_happens_to_an_effect_that_is_there_is_undocumented_unless_it_is_said():
    assert closing_of(with_closing(after_effect=None)).takes_back == "undocumented"
    assert closing_of(with_closing()).takes_back == "refused"


def test_its_channel_is_not_polled_and_asks_nothing():
    polled = with_closing() | {"/channels/stopped/pollable": True}
    assert ("/channels/stopped/pollable", "kind") in refused(polled)
    asking = with_closing() | {"/channels/stopped/asks": {"target": "/letters"}}
    assert ("/channels/stopped/asks", "kind") in refused(asking)


def test_without_a_channel_a_request_may_still_be_documented():
    changes = with_closing(heard_on={}, contract=None) | {"/channels/stopped": GONE}
    del changes["/readings/-"], changes["/channels/stopped"]
    assert refused(changes) == []

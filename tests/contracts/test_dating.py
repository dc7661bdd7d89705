"""A date written to the second never makes a stranger of the attempt that was sent in it."""

import pytest

from operations.contracts.interpret import interpret
from operations.contracts.terms import terms
from operations.core.conflicts import ConflictKind
from operations.core.facts import Attempt, Claim, Facts, Operation, Sends
from operations.core.standing import Evidence, FurtherEffect, Standing, infer
from tests.contracts.closings import CHANNEL, with_closing
from tests.contracts.documents import answer, contract, request, rule

SENT = {"a-1": 1000.25, "a-2": 1000.5}
DATED = {"at": "/body/as_of", "form": "epoch_seconds"}
EARLIER = {"/closure": {"covers": {"is": "earlier_attempts", "source": "docs"}}}


def dated(says: str, *, channel: str = "record", sent=SENT, changes=None, **told) -> float:
    """Return as of when the small contract reads this, the date 1000 being written to the second."""
    body = {"key": "order-1", "id": "e-1", "as_of": 1000}
    example = [{"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": body}}]
    one = rule("r", channel=channel, says=says, as_of=DATED, examples=example)
    document = contract({"/readings": [one], **(changes or {})})
    came = answer(channel, **{"json": body, "asked_at": 1000.9, **told})
    return interpret(document, request=request(), answer=came, sent=sent).as_of


@pytest.mark.parametrize("says", ["absent", "protection_lost"])
def test_what_an_attempt_in_the_same_second_may_have_come_after_keeps_the_start(says):
    assert dated(says) == 1000


def test_a_closure_of_earlier_attempts_does_not_come_to_cover_one_of_the_same_second():
    assert dated("closed", changes=EARLIER) == 1000
    assert dated("closed") == 1000.25  # for good: its date decides nothing but its order


@pytest.mark.parametrize("asked_at", [999.0, 1000.2])
def test_an_answer_to_a_question_from_before_the_attempt_keeps_the_start(asked_at):
    assert dated("applied", asked_at=asked_at) == 1000


def test_without_an_attempt_on_record_the_start_holds():
    assert dated("applied", sent={}) == 1000


def test_a_reply_of_an_attempt_that_is_not_on_record_keeps_the_start():
    assert dated("applied", channel="reply", attempt="a-9") == 1000


def test_an_attempt_of_another_second_moves_nothing():
    assert dated("applied", sent={"a-1": 1001.5}, received_at=1002.0, asked_at=1001.9) == 1000
    assert dated("applied", sent={"a-1": 999.5}) == 1000


@pytest.mark.parametrize("says", ["applied", "accepted", "pending"])
def test_what_speaks_of_an_attempt_is_dated_no_earlier_than_the_first_of_its_second(says):
    assert dated(says) == 1000.25


def test_a_reply_is_dated_no_earlier_than_its_own_attempt():
    assert dated("applied", channel="reply", attempt="a-2") == 1000.5
    assert dated("attempt_refused", channel="reply", attempt="a-2") == 1000.5


def test_an_answer_given_again_may_speak_of_the_first_attempt():
    assert dated("applied", channel="reply", attempt="a-2", headers=(("replayed", "true"),)) == 1000.25


def test_no_date_leaves_the_second_that_was_written():
    for says in Claim:
        if says not in (Claim.NOT_SENT, Claim.PROTECTION_UNTIL):
            assert 1000 <= dated(says) < 1001


def standing(*, sent: dict[str, float]) -> Standing:
    """Return what is known of one attempt, sent at 1000.25, whose reply says that it was applied in second 1000."""
    body = {"key": "order-1", "id": "e-1", "as_of": 1000}
    example = [{"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": body}}]
    document = contract({"/readings": [rule("r", channel="reply", as_of=DATED, examples=example)]})
    came = answer("reply", json=body, attempt="a-1")
    seen = interpret(document, request=request(), answer=came, sent=sent).observations(came)
    attempt = Attempt(at=1000.25, id="a-1", sends=Sends.ONE)
    known = Operation(attempts_complete=True, identity_known=True)
    return infer(Facts(contract=terms(document), operation=known, events=(attempt, *seen)), now=1010)


def test_a_whole_second_makes_no_stranger_of_the_only_attempt():
    assert standing(sent={}).further_effect is FurtherEffect.POSSIBLE  # as if another had been sent before
    known = standing(sent={"a-1": 1000.25})
    assert (known.evidence, known.further_effect) == (Evidence.APPLIED, FurtherEffect.EXCLUDED)


def test_what_was_said_in_the_second_of_a_closure_is_not_said_after_it():
    changes = {
        "/readings/-": rule("c", channel="reply", when={"at": "/status", "equals": 201}, says="closed", as_of=DATED)
    }
    body = {"key": "order-1", "id": "e-1", "as_of": 1000}
    changes["/readings/-"]["examples"] = [
        {"name": "x", "evidence": "recorded", "answer": {"status": 201, "body": body}}
    ]
    active = rule("p", says="pending", reaches="accepted", as_of=DATED)
    active["examples"] = [{"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": body}}]
    document = contract({"/readings": [active], **changes})
    asked, ended = answer(json=body, asked_at=1000.9), answer("reply", json=body, status=201, attempt="a-1")
    sent = {"a-1": 1000.25}
    seen = [
        one
        for came in (asked, ended)
        for one in interpret(document, request=request(), answer=came, sent=sent).observations(came)
    ]
    attempt = Attempt(at=1000.25, id="a-1", sends=Sends.ONE)
    known = Operation(attempts_complete=True, identity_known=True)
    found = infer(Facts(contract=terms(document), operation=known, events=(attempt, *seen)), now=1010)
    assert found.conflict is not ConflictKind.ACTIVE_AFTER_CLOSED
    assert found.evidence is Evidence.NOT_APPLIED


TOLD = {
    "kind": "webhook",
    "about": "What is told.",
    "authority": "history",
    "reads": "unordered",
    "source": "docs",
    "pollable": False,
    "shows": {"identity": "/body/key"},
    "verification": {
        "scheme": "hmac_sha256",
        "header": "x-signature",
        "secret": "TELLER",
        "tolerance": 900,
        "event_id": "/body/event",
        "dated": {"at": "/body/sent_at", "form": "epoch_seconds"},
    },
}


def of_a_message(**told) -> float:
    """Return as of when a message is read whose body says that it was sent at 1000 and that something stands at 990."""
    body = {"key": "order-1", "id": "e-1", "sent_at": 1000, "as_of": 990}
    example = [{"name": "x", "evidence": "recorded", "answer": {"body": body}}]
    one = rule("r", channel="told", says="absent", when={"at": "/body/key", "exists": True}, examples=example, **told)
    document = contract({"/channels/told": TOLD, "/readings": [one]})
    came = answer("told", json=body, received_at=1800.0)
    return interpret(document, request=request(), answer=came).as_of


def test_a_message_that_signs_no_time_is_as_old_as_its_signed_body_says_and_not_as_its_coming():
    assert of_a_message() == 1000


def test_a_rule_may_name_a_better_date_of_what_a_message_says():
    assert of_a_message(as_of=DATED) == 990


KEPT = {"/channels/stopped": {**CHANNEL, "replayed": {"at": "/headers/replayed", "equals": "true"}}}


def of_a_closing(**told) -> float:
    """Return as of when the answer to a closing request that was asked at 1000.9 is read, whose rule names no date."""
    document = contract({**with_closing(), **KEPT})
    came = answer("stopped", **{"json": {"key": "order-1"}, "asked_at": 1000.9, "received_at": 1009.0, **told})
    return interpret(document, request=request(), answer=came, sent=SENT).as_of


def test_a_closings_answer_that_is_given_again_is_no_younger_than_it_came_first():
    given_again = (("replayed", "true"),)
    assert of_a_closing(headers=given_again, first_seen_at=1000.6) == 1000.6
    assert of_a_closing(headers=given_again, first_seen_at=1004.0) == 1000.9
    assert of_a_closing(headers=given_again) == 1000.9


def test_the_same_words_of_a_closings_answer_that_was_not_kept_are_dated_by_the_request():
    assert of_a_closing(first_seen_at=1000.6) == 1000.9

"""The desk speaks in the words of the rehearsed contract's recipient, and the contract's own rules read it."""

from typing import Any

import pytest

from escalation.rehearsing.hearing import RECORD, REPLY, Hearing
from escalation.rehearsing.result import FAILED, rehearse
from operations.contracts.document import Document
from operations.contracts.loading import document_of, library_text
from operations.core.facts import Claim
from tests.escalation.rehearsing.documents import desk_contract

DESK = library_text("collection-desk")
# A rule that no answer of the desk deserves: an error closes the operation, because somebody was quoted so.
AN_ERROR_CLOSES = """
  - rule: error_closes
    channel: reply
    when: {at: /status, equals: 500}
    says: closed
    reaches: protected_effect
    because: An error is final.
    source: quoted
    correlation: {by: connection, promise: quoted}
    examples:
      - name: An error
        evidence: recorded
        answer: {status: 500}
"""
QUOTED = """
  quoted:
    claim: An error is final.
    address: a page that nobody should have believed
    read_on: "2026-11-30"
    evidence: documented
    quote: After an error nothing happens any more.
"""


def changed(*changes: tuple[str, str]) -> Document:
    text = DESK
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    return document_of(text)


def without(document: Document, *rules: str) -> Document:
    """The contract without these rules, as nobody could load it: their examples are gone with them."""
    kept = tuple([rule for rule in document.readings if rule.rule not in rules])
    return document.model_copy(update={"readings": kept})


def failing(found: Any) -> set[tuple[str, str]]:
    return {(row["scene"], row["action"]) for row in found.rows if row["second_effect"]}


def test_a_rule_that_makes_too_much_of_an_error_is_found_out():
    catch_all = "\n  - rule: any_other_reply\n"
    sources = "\nsources:\n"
    lying = changed((catch_all, f"\n{AN_ERROR_CLOSES}{catch_all}"), (sources, f"{sources}{QUOTED}"))
    found = rehearse(lying)
    assert found.verdict == FAILED
    assert ("An error was answered", "propose_new") in failing(found)
    assert "error_closes" in found.read_by


def test_an_answer_that_no_rule_reads_shows_in_the_result_and_teaches_nothing():
    found = rehearse(without(desk_contract(), "failed", "any_other_reply"))
    assert found.unread == ("reply: status 500, no body",)
    assert found.summary()["unread"] == ["reply: status 500, no body"]
    assert found.passed


def test_a_fact_of_the_wire_that_the_contract_calls_otherwise_is_read_by_no_rule():
    facts = "in: [timeout, reset, closed, truncated]"
    renamed = changed((facts, "in: [gave_up]"), ("fact: timeout", "fact: gave_up"))
    assert "wire: timeout" in rehearse(renamed).unread


def test_what_the_contract_has_no_words_for_teaches_nothing():
    quiet = without(desk_contract(), "issued", "closing_came_too_late")
    assert Hearing(quiet).shape(REPLY, Claim.APPLIED) is None
    found = rehearse(quiet)
    assert any("learns nothing from: a ticket in the reply" in gap for gap in found.gaps)
    scene = [row for row in found.rows if row["scene"] == "A receipt in the reply" and row["action"] == "repeat"]
    assert {row["history"] for row in scene} == {"reply_lost"}


def test_the_rules_that_read_nothing_are_named():
    found = rehearse(desk_contract())
    assert {"issued", "taken_for_later", "refused_for_good", "nothing_recorded", "nothing_written"} <= set(
        found.read_by
    )
    assert found.unread == ()
    (unused,) = [gap for gap in found.gaps if "read nothing here" in gap]
    assert "number_kept" in unused
    assert "nothing_recorded" not in unused


def test_a_tie_that_needs_an_earlier_answer_is_not_there_when_the_reply_was_lost():
    """The ticket's own page is asked by its number, which would have come with the reply."""
    shape = Hearing(desk_contract()).shape(RECORD, Claim.APPLIED)
    assert shape is not None
    assert shape.answer.channel == "record"
    assert shape.answer.reference is None


@pytest.mark.parametrize(("covers", "rule"), [(True, "refused_for_good"), (False, "used_for_something_else")])
def test_a_refusal_is_said_by_the_rule_that_covers_as_much(covers, rule):
    shape = Hearing(desk_contract()).shape(REPLY, Claim.ATTEMPT_REFUSED, covers_copies=covers)
    assert shape is not None
    assert shape.rule.covers_copies is covers

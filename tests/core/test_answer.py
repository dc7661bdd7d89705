"""The answer has every key of semantics.md (Scenario format), in words that JSON can carry."""

import json
from typing import Any

from operations.core.facts import Event
from operations.core.scenario import answer, answer_of
from tests.core.building import NOW, absent, applied, attempt, closed, facts, pending, said, standing


def answered(*events: Event, **more: Any) -> dict[str, Any]:
    return answer(standing(*events, **more))


def test_the_answer_has_the_keys_of_the_document_in_its_order():
    assert list(answered()) == [
        "evidence",
        "finality",
        "protection",
        "protection_until",
        "protection_reason",
        "conflict",
        "conflict_kind",
        "duplicate_effect",
        "further_effect",
        "permitted",
        "refusals",
        "not_counted",
        "missing",
    ]


def test_the_answer_of_an_unknown_outcome_says_all_of_it():
    found = answered(attempt(0), pending(5, channel="gateway"), guaranteed_for=40)
    assert json.loads(json.dumps(found)) == {
        "evidence": "unknown",
        "finality": "unestablished",
        "protection": "unestablished",
        "protection_until": None,
        "protection_reason": "lapsed",
        "conflict": False,
        "conflict_kind": None,
        "duplicate_effect": False,
        "further_effect": None,
        "permitted": ["except", "leave_unresolved", "observe"],
        "refusals": {
            "record": {
                "kind": "unproven",
                "reason": "No outcome is established that our record could be repaired from.",
                "history": None,
            },
            "repeat": {
                "kind": "harm",
                "reason": "What was sent may have acted or may still act, and a repeat could act beside it. "
                "The time for which the recipient surely recognises the request number is over, less the margin to "
                "arrive.",
                "history": [{"attempt": "a1", "fate": "acted", "at": 0}],
            },
            "propose_new": {
                "kind": "harm",
                "reason": "What was sent may have acted or may still act, and a new operation would act beside it.",
                "history": [{"attempt": "a1", "fate": "acted", "at": 0}],
            },
        },
        "not_counted": [
            {
                "index": 1,
                "reason": "This channel cannot speak for the effect: it is a transport, a document or somebody's "
                "words.",
            }
        ],
        "missing": [
            {
                "fact": "Whether it happened: a receipt from the recipient for this operation.",
                "channels": ["ledger", "list", "search", "webhook"],
            },
            {
                "fact": "Whether what was sent can still act: a terminal answer, that it happened or ended for good "
                "without effect.",
                "channels": ["ledger", "list", "webhook"],
            },
            {
                "fact": "Until when the recipient still keeps this request number.",
                "channels": ["ledger", "list", "webhook"],
            },
        ],
    }


def test_two_effects_are_answered_as_such_and_are_no_conflict():
    found = answered(attempt(0), applied(5, effect_ref="T-1"), applied(6, effect_ref="T-2"))
    assert (found["duplicate_effect"], found["conflict"], found["conflict_kind"]) == (True, False, None)


def test_a_contradiction_is_answered_with_its_kind():
    found = answered(attempt(0), applied(5), closed(6))
    assert (found["conflict"], found["conflict_kind"], found["evidence"]) == (True, "applied_and_closed", "unknown")


def test_a_further_effect_is_answered_only_where_it_happened():
    assert answered(attempt(0), applied(5))["further_effect"] == "excluded"
    assert answered(attempt(0), absent(5))["further_effect"] is None


def test_an_end_of_protection_is_answered_as_a_number():
    assert answered(attempt(0))["protection_until"] == 990


def test_what_does_not_count_is_answered_by_its_place_among_all_events():
    found = answered(said("maybe", 1), attempt(0), applied(5), said("perhaps", 6))
    assert [entry["index"] for entry in found["not_counted"]] == [0, 3]


def test_permitted_actions_are_answered_in_the_order_of_the_alphabet_and_the_rest_is_refused():
    found = answered(attempt(0))
    assert found["permitted"] == ["except", "leave_unresolved", "observe", "repeat"]
    assert set(found["refusals"]) == {"record", "propose_new"}


def test_the_answer_for_facts_is_the_answer_for_their_standing():
    events = (attempt(0), pending(5))
    assert answer_of(facts(*events), now=NOW) == answered(*events)

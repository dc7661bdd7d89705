"""Nonsense can't be written down as a fact, and what nobody stated is never permissive."""

from dataclasses import FrozenInstanceError
from enum import StrEnum
from typing import Any, TypeAlias

import pytest

from operations.core.facts import (
    LATEST,
    After,
    Attempt,
    Authority,
    Channel,
    Closure,
    ClosureCovers,
    ConcurrentUse,
    Contract,
    Correlation,
    Covers,
    FactError,
    Facts,
    Guarantee,
    Mechanism,
    Observation,
    Operation,
    ProtectionTerms,
    Reads,
    Sends,
    Successor,
    SuccessorState,
)
from tests.core.building import applied, attempt, successor


class Impostor(StrEnum):
    KEY = "key"


Refusals: TypeAlias = list[tuple[object, str]]

A_TIME: Refusals = [
    # a bool is no number though Python counts with it
    (True, "number"),
    ("5", "number"),
    (None, "number"),
    (5j, "number"),
    ([5], "number"),
    # no order of events could be trusted
    (float("nan"), "finite"),
    (float("inf"), "finite"),
    (float("-inf"), "finite"),
    (2**53 + 1, "finite"),
    (-(2**53) - 1, "finite"),
    (10**400, "finite"),
]
AN_INTERVAL: Refusals = [*A_TIME, (-1, "not_negative"), (-0.001, "not_negative")]
TEXT: Refusals = [(None, "text"), (5, "text"), (b"a", "text"), (True, "text")]
OPTIONAL_TEXT: Refusals = [refusal for refusal in TEXT if refusal[0] is not None]
OPTIONAL_TIME: Refusals = [refusal for refusal in A_TIME if refusal[0] is not None]
OPTIONAL_INTERVAL: Refusals = [refusal for refusal in AN_INTERVAL if refusal[0] is not None]
A_FLAG: Refusals = [(1, "flag"), (0, "flag"), ("true", "flag"), (None, "flag")]
# A word is a member of its own list: a text is not looked up here, and another list's member is not it.
A_WORD: Refusals = [
    ("key", "one_of"),
    ("undocumented", "one_of"),
    (None, "one_of"),
    (Impostor.KEY, "one_of"),
    (1, "one_of"),
]
# In place of a number or a word.
A_GUARANTEE: Refusals = [
    *[(value, rule) for value, rule in AN_INTERVAL if not isinstance(value, str)],
    ("5", "one_of"),
    ("unlimited", "one_of"),
]
ATTEMPT = {"at": 0, "id": "a1"}
OBSERVATION = {"at": 0, "channel": "ledger", "says": "applied"}
SUCCESSOR = {"at": 0, "id": "s1", "state": SuccessorState.OPEN}

REFUSED: list[tuple[Any, dict[str, Any], str, Refusals]] = [
    (ProtectionTerms, {}, "mechanism", A_WORD),
    (ProtectionTerms, {"margin": 1}, "guaranteed_for", A_GUARANTEE),
    (ProtectionTerms, {}, "margin", OPTIONAL_INTERVAL),
    (ProtectionTerms, {}, "after", A_WORD),
    (ProtectionTerms, {}, "covers", A_WORD),
    (ProtectionTerms, {}, "concurrent_use", A_WORD),
    (ProtectionTerms, {}, "repeat_while_pending", A_FLAG),
    (ProtectionTerms, {}, "pending_fresh_for", OPTIONAL_INTERVAL),
    (ProtectionTerms, {}, "min_interval", AN_INTERVAL),
    (Closure, {}, "covers", A_WORD),
    (Channel, {}, "authority", A_WORD),
    (Channel, {}, "reads", A_WORD),
    (Channel, {}, "positive_is_conclusive", A_FLAG),
    (Channel, {}, "pollable", A_FLAG),
    (Operation, {}, "attempts_complete", A_FLAG),
    (Operation, {}, "identity_known", A_FLAG),
    (Operation, {}, "repeat_scope", OPTIONAL_TEXT),
    (Contract, {}, "protection", [(None, "value"), ({}, "value"), (Closure(), "value")]),
    (Contract, {}, "closure", [(None, "value"), ("identity", "value"), (ProtectionTerms(), "value")]),
    (Attempt, ATTEMPT, "at", A_TIME),
    (Attempt, ATTEMPT, "id", TEXT),
    (Attempt, ATTEMPT, "sends", A_WORD),
    (Attempt, ATTEMPT, "scope", TEXT),
    (Observation, OBSERVATION, "at", A_TIME),
    (Observation, OBSERVATION, "channel", TEXT),
    (Observation, OBSERVATION, "says", TEXT),
    (Observation, OBSERVATION, "attempt", OPTIONAL_TEXT),
    (Observation, OBSERVATION, "as_of", OPTIONAL_TIME),
    (Observation, OBSERVATION, "authentic", A_FLAG),
    (Observation, OBSERVATION, "correlation", A_WORD),
    (Observation, OBSERVATION, "effect_ref", OPTIONAL_TEXT),
    (Observation, OBSERVATION, "covers_copies", A_FLAG),
    (Observation, OBSERVATION, "until", OPTIONAL_TIME),
    (Successor, SUCCESSOR, "at", A_TIME),
    (Successor, SUCCESSOR, "id", TEXT),
    (Successor, SUCCESSOR, "state", A_WORD),
]


@pytest.mark.parametrize(
    ("make", "others", "name", "value", "rule"),
    [(make, others, name, value, rule) for make, others, name, refusals in REFUSED for value, rule in refusals],
)
def test_a_value_that_no_fact_can_have_is_refused_by_field_and_rule(make, others, name, value, rule):
    with pytest.raises(FactError) as refused:
        make(**{**others, name: value})
    assert (refused.value.field, refused.value.rule) == (name, rule)


@pytest.mark.parametrize(
    "make", [ProtectionTerms, Closure, Channel, Contract, Operation, Attempt, Observation, Successor]
)
def test_every_field_is_in_the_table_of_refusals(make):
    checked = {name for kind, _, name, _ in REFUSED if kind is make} | ({"channels"} if make is Contract else set())
    assert checked == set(make.__dataclass_fields__)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("5", "guaranteed_for: must be a number or one of unlimited, while_exists, undocumented"),
        (float("nan"), "guaranteed_for: must be a finite number of seconds within 2**53 of zero"),
        (-1, "guaranteed_for: must not be negative"),
        (None, "guaranteed_for: must be a number of seconds"),
    ],
)
def test_a_refusal_says_what_would_be_right(value, message):
    with pytest.raises(FactError) as refused:
        ProtectionTerms(guaranteed_for=value, margin=1)
    assert str(refused.value) == message


def test_a_list_of_words_is_named_in_the_refusal():
    with pytest.raises(FactError) as refused:
        Closure(covers="all")  # type: ignore[arg-type]
    assert refused.value.message == "must be one of identity, earlier_attempts"


def test_a_flag_and_a_text_are_asked_for_by_name():
    with pytest.raises(FactError, match=r"^pollable: must be true or false$"):
        Channel(pollable=1)  # type: ignore[arg-type]
    with pytest.raises(FactError, match=r"^id: must be text$"):
        Attempt(at=0, id=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0, 5, 0.5])
def test_a_guarantee_in_seconds_needs_a_margin(seconds):
    with pytest.raises(FactError) as refused:
        ProtectionTerms(guaranteed_for=seconds)
    assert (refused.value.field, refused.value.rule) == ("margin", "required_with_number")
    assert refused.value.message == "is required where guaranteed_for is a number"


@pytest.mark.parametrize("word", Guarantee)
def test_a_guarantee_in_words_needs_no_margin(word):
    assert ProtectionTerms(guaranteed_for=word).margin is None


@pytest.mark.parametrize("margin", [0, 0.0, -0.0, 3, LATEST])
def test_a_margin_may_be_nothing_at_all(margin):
    assert ProtectionTerms(guaranteed_for=5, margin=margin).margin == margin


def test_the_mark_of_a_submission_not_on_record_names_no_attempt():
    with pytest.raises(FactError) as refused:
        Attempt(at=0, id="?")
    assert (refused.value.field, refused.value.rule) == ("id", "reserved")
    assert refused.value.message == "must not be '?', which stands for a submission not on record"


@pytest.mark.parametrize("at", [-LATEST, -1, -0.0, 0, 0.25, LATEST])
def test_a_time_may_be_any_second_that_a_float_tells_apart(at):
    assert Attempt(at=at, id="a1").at == at


@pytest.mark.parametrize(
    ("channels", "name", "rule", "message"),
    [
        ({5: Channel()}, "channels", "text", "must be text"),
        ({"ledger": "history"}, "channels.ledger", "value", "must be a channel"),
        ({"ledger": Channel(), "list": None}, "channels.list", "value", "must be a channel"),
    ],
)
def test_a_contract_lists_channels_by_name(channels, name, rule, message):
    with pytest.raises(FactError) as refused:
        Contract(channels=channels)
    assert (refused.value.field, refused.value.rule, refused.value.message) == (name, rule, message)


def test_terms_of_a_contract_are_values():
    with pytest.raises(FactError, match=r"^protection: must be protection terms$"):
        Contract(protection={"mechanism": "key"})  # type: ignore[arg-type]
    with pytest.raises(FactError, match=r"^closure: must be a closure$"):
        Contract(closure="identity")  # type: ignore[arg-type]


@pytest.mark.parametrize("event", [None, {"at": 0, "type": "attempt", "id": "a1"}, "attempt", Channel()])
def test_an_event_is_an_attempt_an_observation_or_a_successor(event):
    with pytest.raises(FactError) as refused:
        Facts(events=(attempt(), event))
    assert (refused.value.field, refused.value.rule) == ("events[1]", "value")
    assert refused.value.message == "must be an attempt, an observation or a successor"


def test_two_attempts_of_one_name_are_refused_where_the_second_stands():
    with pytest.raises(FactError) as refused:
        Facts(
            events=(attempt(0), applied(5), attempt(5, "a2"), successor(6, "a1"), attempt(9, "a1"), attempt(10, "a1"))
        )
    assert (refused.value.field, refused.value.rule) == ("events[4].id", "unique")
    assert refused.value.message == "names an attempt that is on record already"


def test_a_successor_may_be_named_again_and_share_the_name_of_an_attempt():
    found = Facts(events=(attempt(0), successor(1, "a1"), successor(2, "a1")))
    assert len(found.successors) == 2


def test_events_are_told_apart_and_an_observation_keeps_its_place():
    found = Facts(events=(applied(5), attempt(0), successor(1), applied(7), attempt(2, "a2")))
    assert found.attempts == (attempt(0), attempt(2, "a2"))
    assert found.observations == ((0, applied(5)), (3, applied(7)))
    assert found.successors == (successor(1),)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (attempt(), "at"),
        (applied(1), "says"),
        (successor(), "state"),
        (Facts(), "events"),
        (ProtectionTerms(), "after"),
    ],
)
def test_a_fact_does_not_change(value, name):
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, getattr(value, name))


@pytest.mark.parametrize(
    ("value", "unstated"),
    [
        # what nobody stated is undocumented ...
        (
            ProtectionTerms(),
            {
                "mechanism": Mechanism.UNDOCUMENTED,
                "guaranteed_for": Guarantee.UNDOCUMENTED,
                "margin": None,
                "after": After.UNDOCUMENTED,
                "covers": Covers.UNDOCUMENTED,
                "concurrent_use": ConcurrentUse.UNDOCUMENTED,
                "repeat_while_pending": False,
                "pending_fresh_for": None,
                # ... pacing and pollable aside
                "min_interval": 0,
            },
        ),
        (Closure(), {"covers": ClosureCovers.EARLIER_ATTEMPTS}),
        (
            Channel(),
            {
                "authority": Authority.NONE,
                "reads": Reads.UNORDERED,
                "positive_is_conclusive": False,
                "pollable": True,
            },
        ),
        (Contract(), {"protection": ProtectionTerms(), "closure": Closure(), "channels": {}}),
        (Operation(), {"attempts_complete": False, "identity_known": False, "repeat_scope": None}),
        (Attempt(at=0, id="a1"), {"sends": Sends.MANY, "scope": ""}),
        (
            Observation(at=0, channel="ledger", says="applied"),
            {
                "attempt": None,
                "as_of": None,
                "authentic": False,
                "correlation": Correlation.WEAK,
                "effect_ref": None,
                "covers_copies": False,
                "until": None,
            },
        ),
        (Facts(), {"contract": Contract(), "operation": Operation(), "events": ()}),
    ],
)
def test_a_default_is_never_permissive(value, unstated):
    assert {name: getattr(value, name) for name in unstated} == unstated


@pytest.mark.parametrize(
    ("inner", "place", "outer"),
    [
        ("at", "events[3]", "events[3].at"),
        ("", "contract", "contract"),
        ("[3].at", "events", "events[3].at"),
        ("protection.margin", "contract", "contract.protection.margin"),
    ],
)
def test_a_refusal_names_its_field_from_further_out(inner, place, outer):
    found = FactError(inner, "number", "must be a number of seconds").below(place)
    assert (found.field, found.rule, found.message) == (outer, "number", "must be a number of seconds")
    assert str(found) == f"{outer}: must be a number of seconds"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"contract": "a contract"}, "contract"),
        ({"operation": None}, "operation"),
        ({"events": []}, "events"),  # a list could change under the facts
    ],
)
def test_facts_are_made_of_values_only(values, field):
    with pytest.raises(FactError) as refused:
        Facts(**values)
    assert (refused.value.field, refused.value.rule) == (field, "value")


def test_channels_are_a_mapping_that_nobody_can_change_afterwards():
    with pytest.raises(FactError, match="channels"):
        Contract(channels=[])  # type: ignore[arg-type]  # nonsense on purpose
    channels = {"ledger": Channel()}
    contract = Contract(channels=channels)
    channels.clear()
    assert list(contract.channels) == ["ledger"]
    with pytest.raises(TypeError):
        contract.channels["other"] = Channel()  # type: ignore[index]  # likewise

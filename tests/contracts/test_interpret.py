"""A raw answer becomes one reading, and what settles nothing says why."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.contracts.answer import Answer
from operations.contracts.interpret import NO_RULE, Reading, interpret
from operations.contracts.loading import document_of, library, library_text
from operations.contracts.specimen import representation
from operations.contracts.terms import terms
from operations.core.facts import Attempt, Claim, Correlation, Facts, Observation, Sends
from operations.core.facts import Operation as Told
from operations.core.standing import infer
from tests.contracts.documents import answer, contract, request, rule

DATED = {"at": "/body/as_of", "form": "epoch_seconds"}
OK = {"key": "order-1", "id": "e-1"}


def read(came: Answer, changes: Mapping[str, Any] | None = None) -> Reading:
    return interpret(contract(changes), request=request(), answer=came)


def example(body: Any, **told: Any) -> list[dict[str, Any]]:
    return [{"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": body}, **told}]


def dated(**told: Any) -> dict[str, Any]:
    return {"/readings": [rule("r", as_of=DATED, examples=example(OK | {"as_of": 5}), **told)]}


def test_a_channel_that_the_contract_does_not_list_settles_nothing():
    found = read(answer("rumour", json=OK))
    assert (found.says, found.rule, found.correlation) == (Claim.INDETERMINATE, NO_RULE, Correlation.WEAK)
    assert "rumour" in found.because


def test_an_answer_that_no_rule_reads_is_indeterminate_and_says_what_each_rule_missed():
    found = read(answer(json=OK, status=418))
    assert (found.says, found.rule) == (Claim.INDETERMINATE, NO_RULE)
    assert found.because == "No rule of post-office reads this answer (record, status 418)."
    assert [(one.rule, [str(failure) for failure in one.unmet]) for one in found.tried] == [
        ("recorded", ["/status is 418, wanted 200"])
    ]


@pytest.mark.parametrize(
    "told",
    [
        {"body": b"<html>not found</html>"},
        {"body": b'{"key": "order-1", "error": null', "truncated": False},
        {"json": OK, "truncated": True},
        {"body": b" " * 2_000_000},
        {"body": b'{"error": {"error": 1}, "error": null}'},
        {"body": b'{"a":' * 500 + b"1" + b"}" * 500},
    ],
)
def test_no_rule_reads_anything_from_a_body_that_can_not_be_read(told):
    silence = {"/readings/-": rule("no_error", when={"at": "/body/error", "absent": True}, examples=[EMPTY])}
    assert (
        read(answer(status=200, **told), {"/readings/0/when": {"at": "/body/id", "exists": True}, **silence}).rule
        == NO_RULE
    )


EMPTY = {"name": "x", "evidence": "invented", "answer": {"status": 201, "body": {"key": "order-1"}}}


def test_the_first_rule_that_holds_speaks():
    later = {
        "/readings/-": rule(
            "later", says="pending", examples=example(OK, reads={"rule": "recorded", "says": "applied"})
        )
    }
    found = read(answer(json=OK), later)
    assert (found.rule, found.says, found.effect_refs, found.tried) == ("recorded", Claim.APPLIED, ("e-1",), ())


NAMES = st.sampled_from(
    [
        "key",
        "state",
        "place",
        "parcel",
        "ticket",
        "tickets",
        "number",
        "data",
        "type",
        "as_of",
        "id",
        "metadata",
        "operation",
        "status",
        "sid",
        "object",
        "error",
    ]
)


class TestDates:
    """`as_of` is never later than the statement was made."""

    def test_a_date_that_the_rule_names_and_the_answer_lacks_settles_nothing(self):
        found = read(answer(json=OK | {"as_of": "yesterday"}), dated())
        assert (found.rule, found.says) == (NO_RULE, Claim.INDETERMINATE)
        assert "no date" in found.because
        assert '"yesterday"' in found.because

    def test_an_end_that_can_not_be_read_settles_nothing(self):
        told = rule(
            "r",
            says="protection_until",
            reaches="handler_finished",
            until={"at": "/body/until", "form": "epoch_seconds"},
            examples=example(OK | {"until": 5}),
        )
        assert read(answer(json=OK), {"/readings": [told]}).says is Claim.INDETERMINATE
        assert read(answer(json=OK | {"until": 9}), {"/readings": [told]}).until == 9

    def test_an_age_that_can_not_be_read_settles_nothing(self):
        assert read(answer(json=OK, headers=(("Age", "old"),))).says is Claim.INDETERMINATE

    def test_a_lookup_of_which_nobody_knows_when_it_was_asked_settles_nothing(self):
        assert read(answer(json=OK, asked_at=None)).says is Claim.INDETERMINATE

    def test_a_date_in_the_future_is_the_time_it_came(self):
        assert read(answer(json=OK | {"as_of": 99_999}), dated()).as_of == 1001

    def test_a_read_is_dated_by_its_question_less_its_age(self):
        assert read(answer(json=OK)).as_of == 1000
        assert read(answer(json=OK, headers=(("age", "40"),))).as_of == 960

    def test_a_statement_is_dated_by_the_recipient_where_it_says_so(self):
        assert read(answer(json=OK | {"as_of": 900}, headers=(("age", "40"),)), dated()).as_of == 900

    def test_a_reply_is_dated_when_it_came(self):
        told = {"/readings": [rule("r", channel="reply")]}
        assert read(answer("reply", json=OK, attempt="a-1"), told).as_of == 1001

    def test_an_answer_given_again_carries_the_date_of_the_first(self):
        told = {"/readings": [rule("r", channel="reply")]}
        again = {"json": OK, "attempt": "a-2", "first_seen_at": 500.0}
        assert read(answer("reply", headers=(("Replayed", "true"),), **again), told).as_of == 500
        assert read(answer("reply", **again), told).as_of == 1001

    @pytest.mark.parametrize("says", ["pending", "accepted", "closed", "absent", "protection_lost"])
    def test_an_answer_given_again_of_which_the_first_is_not_on_record_has_no_date(self, says):
        told = {"/readings": [rule("r", channel="reply", says=says)]}
        again = answer("reply", json=OK, attempt="a-2", headers=(("replayed", "true"),))
        assert read(again, told).says is Claim.INDETERMINATE
        assert read(again, {"/readings": [rule("r", channel="reply")]}).as_of == 1001


class TestAttempts:
    """A reply belongs to its attempt; other answers to none, unless they name one."""

    def test_a_lookup_names_no_attempt(self):
        assert read(answer(json=OK, attempt="a-1")).attempt is None

    def test_a_lookup_may_name_one(self):
        told = {"/readings": [rule("r", attempt="/body/attempt")]}
        assert read(answer(json=OK | {"attempt": "a-9"}), told).attempt == "a-9"
        assert read(answer(json=OK | {"attempt": 9}), told).attempt == "9"
        assert read(answer(json=OK), told).attempt is None

    def test_a_reply_belongs_to_the_attempt_on_whose_connection_it_came(self):
        assert (
            read(answer("reply", json=OK, attempt="a-1"), {"/readings": [rule("r", channel="reply")]}).attempt == "a-1"
        )


class TestLists:
    """Elements of a list are seen one by one, and all of them count."""

    CHANGES = {
        "/channels/record/selects": {"each_of": "/body/data", "where": {"at": "/item/key", "equals_identity": True}},
        "/channels/record/shows": {"identity": "/item/key", "arguments": {"to": "/item/to"}},
        "/readings": [
            rule(
                "listed",
                when={"all": [{"at": "/status", "equals": 200}, {"at": "/found", "at_least": 1}]},
                effect_ref={"at": "/item/id"},
                examples=example({"data": [{"key": "order-1", "id": "e-1"}]}),
            )
        ],
    }

    @pytest.mark.parametrize("told", [{"data": {}}, {"data": None}, {}, {"data": [{"key": "order-1"}] * 1001}])
    def test_what_is_no_list_or_too_long_is_not_read(self, told):
        assert read(answer(json=told), self.CHANGES).rule == NO_RULE

    def test_an_element_of_somebody_else_is_not_found(self):
        assert read(answer(json={"data": [{"key": "order-2", "id": "e-2"}, 7, None]}), self.CHANGES).rule == NO_RULE

    def test_an_element_with_another_argument_makes_a_mismatch(self):
        told = [{"key": "order-1", "id": "e-1", "to": "anna"}, {"key": "order-1", "id": "e-2", "to": "bert"}]
        assert read(answer(json={"data": told}), self.CHANGES).correlation is Correlation.MISMATCH

    def test_two_effects_in_one_answer_are_two_observations(self):
        told = [{"key": "order-1", "id": "e-1"}, {"key": "order-2", "id": "e-9"}, {"key": "order-1", "id": "e-2"}]
        came = answer(json={"data": told})
        found = read(came, self.CHANGES)
        assert found.effect_refs == ("e-1", "e-2")
        facts = Facts(
            contract=terms(contract(self.CHANGES)),
            operation=Told(attempts_complete=True, identity_known=True),
            events=(Attempt(at=900.0, id="a-1", sends=Sends.ONE), *found.observations(came)),
        )
        assert infer(facts, now=1002).duplicate_effect


@pytest.mark.parametrize(
    ("location", "references"),
    [
        ("/letters/e-1", ("e-1",)),
        ("https://host/letters/e-1", ("e-1",)),
        ("/other/e-1", ()),
        ("/letters/" + "x" * 300, ()),
    ],
)
def test_a_reference_is_cut_out_of_a_location(location, references):
    told = rule(
        "r",
        channel="reply",
        says="accepted",
        reaches="accepted",
        correlation={"by": "connection"},
        effect_ref={"at": "/headers/location", "after": "/letters/"},
        examples=example({}),
    )
    came = answer("reply", body=b"", attempt="a-1", headers=(("Location", location),))
    assert read(came, {"/readings": [told]}).effect_refs == references


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5), st.just("order-1001")
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=6)),
    max_leaves=20,
)


@given(
    name=st.sampled_from(list(library())),
    body=st.one_of(st.binary(max_size=50), VALUES.map(lambda told: json.dumps(told).encode())),
    status=st.one_of(st.none(), st.integers(100, 599)),
    headers=st.lists(
        st.tuples(st.sampled_from(["Age", "Date", "Location", "Content-Type"]), st.text(max_size=10)), max_size=3
    ),
    asked_at=st.one_of(st.none(), st.floats(0, 2e9)),
    data=st.data(),
)
def test_every_answer_is_read_and_what_bears_neither_number_nor_tie_never_counts_as_the_operation_s(
    name, body, status, headers, asked_at, data
):
    document = document_of(library_text(name))
    channel = data.draw(st.sampled_from(sorted(document.channels)))
    came = Answer(
        channel=channel,
        received_at=2e9,
        authentic=True,
        asked_at=asked_at,
        status=status,
        headers=tuple(headers),
        body=body,
    )
    found = interpret(document, request=representation(document), answer=came)
    assert found.as_of <= came.received_at
    numbered = any(line.about == "operation" and line.agrees for line in found.lines)
    asked = document.channels[channel].kind == "lookup"
    assert found.correlation is not Correlation.OPERATION or numbered or asked


@pytest.mark.parametrize("reference", ["e\0", "\0", "e" * 256, ""])
def test_a_reference_that_no_row_can_hold_is_none(reference):
    told = rule("r", effect_ref={"at": "/body/id"})
    found = read(answer(json={**OK, "id": reference}), {"/readings": [told]})
    assert (found.says, found.effect_refs) == (Claim.APPLIED, ())


@pytest.mark.parametrize("attempt", ["a1\0", "", "a" * 129])
def test_an_attempt_that_no_row_can_hold_is_nobodys(attempt):
    """Read without its attempt it would speak of every attempt."""
    told = rule("r", attempt="/body/attempt")
    found = read(answer(json={**OK, "attempt": attempt}), {"/readings": [told]})
    assert (found.says, found.rule, found.attempt) == (Claim.INDETERMINATE, NO_RULE, None)
    assert "no attempt on record can be called" in found.because


def test_a_reading_is_the_core_s_observation():
    came = answer(json=OK)
    assert read(came).observations(came) == (
        Observation(
            at=1001.0,
            channel="record",
            says="applied",
            as_of=1000.0,
            authentic=True,
            correlation=Correlation.OPERATION,
            effect_ref="e-1",
        ),
    )


def test_what_nobody_proved_authentic_stays_unproven():
    assert read(answer(json=OK, authentic=False)).authentic is False


def test_the_same_answer_is_read_the_same_whenever_it_is_read():
    assert read(answer(json=OK)) == read(answer(json=OK))

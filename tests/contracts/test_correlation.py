"""Whose answer it is, line by line."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from operations.contracts.interpret import Reading, interpret
from operations.core.facts import Correlation
from operations.core.representation import Representation
from tests.contracts.documents import answer, contract, refused, request, rule

FULL = {"key": "order-1", "to": "anna", "text": "hello", "id": "e-1"}


def reading(
    told: Any, *, by: Mapping[str, Any], references: Iterable[str] = (), asked: Representation | None = None
) -> Reading:
    rules = [rule("r", correlation=by, examples=EXAMPLE, says="indeterminate")]
    document = contract({"/readings": rules})
    asked = asked or request()
    return interpret(document, request=asked, answer=answer(json=told), references=frozenset(references))


EXAMPLE = [
    {
        "name": "x",
        "evidence": "invented",
        "answer": {"status": 200, "body": {}},
        "reads": {"correlation": "weak"},
    }
]


def said(found: Reading, about: str = "argument") -> dict[str, bool | None]:
    return {line.name: line.agrees for line in found.lines if line.about == about}


@pytest.mark.parametrize("by", ["identity", "identity_and_arguments", "arguments", "nothing"])
@pytest.mark.parametrize("other", [{"key": "order-2"}, {"to": "bert"}, {"text": "bye"}, {"key": 7}, {"to": ["anna"]}])
def test_whatever_is_repeated_and_differs_is_a_mismatch(by, other):
    assert reading(FULL | other, by={"by": by}).correlation is Correlation.MISMATCH


@pytest.mark.parametrize(
    ("missing", "by", "correlation"),
    [
        (["key"], "identity", Correlation.ARGUMENTS),  # two legitimate requests can look alike
        (["key"], "identity_and_arguments", Correlation.ARGUMENTS),
        (["text"], "identity_and_arguments", Correlation.WEAK),
        (["key", "to"], "identity", Correlation.WEAK),
        (["key", "to", "text"], "identity", Correlation.WEAK),
        (["text"], "arguments", Correlation.WEAK),
        ([], "arguments", Correlation.ARGUMENTS),
        ([], "nothing", Correlation.WEAK),
        (["to", "text"], "identity", Correlation.OPERATION),
        ([], "identity_and_arguments", Correlation.OPERATION),
    ],
)
def test_what_is_not_repeated_ties_less(missing, by, correlation):
    told = {name: value for name, value in FULL.items() if name not in missing}
    assert reading(told, by={"by": by}).correlation is correlation


def test_null_is_not_repeated_rather_than_another_value():
    found = reading(FULL | {"to": None, "text": None}, by={"by": "identity"})
    assert found.correlation is Correlation.OPERATION
    assert said(found) == {"to": None, "text": None}


def test_the_lines_say_what_was_sent_what_came_and_whether_they_agree():
    found = reading(FULL | {"to": "bert", "text": None}, by={"by": "identity"})
    assert [(line.about, line.name, line.sent, line.answered, line.agrees) for line in found.lines] == [
        ("operation", "request number", "order-1", '"order-1"', True),
        ("argument", "to", '"anna"', '"bert"', False),
        ("argument", "text", '"hello"', "nothing", None),
        ("boundary", "how far it reaches", "the protected effect", "protected_effect", True),
        ("authority", "who may say it", "indeterminate", "history", True),
    ]


def test_an_argument_that_the_request_does_not_carry_proves_nothing():
    found = reading(FULL, by={"by": "identity_and_arguments"}, asked=request(body=None))
    assert said(found) == {"to": True, "text": None}
    assert found.correlation is Correlation.OPERATION
    other = request(target="/elsewhere", body=None)
    assert reading(FULL, by={"by": "identity_and_arguments"}, asked=other).correlation is Correlation.WEAK


def test_an_unreadable_body_ties_nothing():
    document = contract({"/readings": [rule("r", when={"at": "/status", "equals": 200}, examples=EXAMPLE)]})
    came = answer(body=b"<html>", status=200)
    assert interpret(document, request=request(), answer=came).correlation is Correlation.WEAK


class _Asked:
    """Reads an answer by one rule with one tie."""

    BY: dict[str, Any]
    EXAMPLE: list[dict[str, Any]]

    def reading(self, told: Any, **more: Any) -> Reading:
        changes = {"/readings": [rule("r", says="indeterminate", correlation=self.BY, examples=self.EXAMPLE)]}
        document = contract(changes | more.pop("changes", {}))
        return interpret(
            document,
            request=more.pop("asked", request()),
            answer=answer(json=told, **more),
            references=frozenset({"e-1"}),
        )


class TestByQuestion(_Asked):
    """An answer that repeats nothing is tied by the question, if that named the operation."""

    BY = {"by": "question"}
    EXAMPLE = [
        {
            "name": "x",
            "evidence": "invented",
            "answer": {"status": 200, "body": {}, "known_references": ["e-1"]},
        }
    ]
    BY_REFERENCE = {"/channels/record/asks": {"target": "/by-id/{reference}"}}

    def test_it_ties_nothing_where_the_request_carried_another_identity(self):
        other = request(headers=(("idempotency-key", "order-2"),))
        assert self.reading({}, asked=other).correlation is Correlation.WEAK
        assert self.reading({}, asked=request(headers=())).correlation is Correlation.WEAK

    def test_it_ties_nothing_where_the_reference_is_not_known_to_be_the_operation_s(self):
        assert self.reading({}, changes=self.BY_REFERENCE, reference="e-2").correlation is Correlation.WEAK
        assert self.reading({}, changes=self.BY_REFERENCE).correlation is Correlation.WEAK

    def test_what_the_answer_repeats_all_the_same_must_agree(self):
        assert self.reading({"key": "order-2"}).correlation is Correlation.MISMATCH

    def test_it_ties_what_was_asked_for_by_identity_or_by_a_known_reference(self):
        assert self.reading({}).correlation is Correlation.OPERATION
        assert self.reading({}, changes=self.BY_REFERENCE, reference="e-1").correlation is Correlation.OPERATION


class TestByQuestionAndArguments(_Asked):
    """Where whatever came first under a name is kept, the answer must also show that it is about these arguments."""

    ALL = {"to": "anna", "text": "hello"}
    EXAMPLE = [
        {"name": "x", "evidence": "invented", "answer": {"status": 200, "body": {}}, "reads": {"correlation": "weak"}}
    ]
    BY = {"by": "question_and_arguments"}

    def test_it_is_refused_where_nothing_says_where_the_arguments_are_repeated(self):
        ties = {
            "/readings/0/correlation": {"by": "question_and_arguments"},
            "/channels/record/shows": {"identity": "/body/key"},
        }
        assert ("/readings/0/correlation/by", "no_echo") in refused(ties)

    def test_it_is_refused_where_the_question_names_no_operation(self):
        ties = {
            "/readings/0/correlation": {"by": "question_and_arguments"},
            "/channels/record/asks": {"target": "/letters"},
        }
        assert ("/readings/0/correlation/by", "no_question") in refused(ties)

    def test_the_question_alone_does_not_tie(self):
        assert self.reading({}).correlation is Correlation.WEAK
        assert self.reading({"to": "anna"}).correlation is Correlation.WEAK

    def test_the_arguments_alone_do_not_tie(self):
        other = request(headers=())
        assert self.reading(self.ALL, asked=other).correlation is Correlation.ARGUMENTS

    def test_another_argument_is_another_thing(self):
        assert self.reading(self.ALL | {"to": "bert"}).correlation is Correlation.MISMATCH

    def test_an_argument_that_the_question_carries_needs_no_repeating_and_the_others_do(self):
        asks = {"target": "/letters/{to}/{key}", "carried_by": {"to": "/target/to", "key": "/headers/idempotency-key"}}
        named = {"/channels/record/asks": asks}
        assert self.reading({"text": "hello"}, changes=named).correlation is Correlation.OPERATION
        assert self.reading({"text": "hello", "to": "bert"}, changes=named).correlation is Correlation.MISMATCH
        assert self.reading({"to": "anna"}, changes=named).correlation is Correlation.WEAK

    def test_both_tie_where_arguments_are_not_compared_either(self):
        kept = {"/readings/0/says": "applied", "/identity/changed_arguments": {"is": "first_answer", "source": "docs"}}
        assert self.reading(self.ALL, changes=kept).correlation is Correlation.OPERATION


class TestBySelection:
    """A whole list, looked through for the identity, speaks for it if the request carries it as it is listed."""

    LISTS = {
        "/channels/record/asks": {"target": "/letters"},
        "/channels/record/selects": {"each_of": "/body/data", "where": {"at": "/item/key", "equals_identity": True}},
        "/readings": [
            rule(
                "r",
                when={"all": [{"at": "/found", "equals": 0}, {"at": "/body/more", "equals": False}]},
                says="absent",
                correlation={"by": "selection"},
                examples=[{"name": "x", "evidence": "recorded", "answer": {"body": {"data": [], "more": False}}}],
            )
        ],
    }

    def reading(self, told: Any, **more: Any) -> Reading:
        return interpret(contract(self.LISTS), request=request(**more), answer=answer(json=told))

    def test_it_is_refused_where_nothing_is_looked_for_or_the_list_may_go_on(self):
        fault = ("/readings/0/correlation/by", "no_selection")
        assert fault in refused(self.LISTS | {"/channels/record/selects": {"each_of": "/body/data"}})
        assert fault in refused(self.LISTS | {"/readings/0/when": {"at": "/found", "equals": 0}})

    def test_it_ties_nothing_where_the_request_does_not_carry_the_identity(self):
        assert self.reading({"data": [], "more": False}, headers=()).correlation is Correlation.WEAK

    def test_a_list_that_goes_on_is_not_read(self):
        assert self.reading({"data": [], "more": True}).rule == "no_rule"

    def test_a_whole_list_without_it_is_tied_to_the_operation(self):
        found = self.reading({"data": [{"key": "order-2"}], "more": False})
        assert (found.says, found.correlation) == ("absent", Correlation.OPERATION)


def test_a_reference_ties_only_if_it_is_known():
    by = {"by": "reference", "reference": "/body/id"}
    told = {"id": "e-1"}
    assert reading(told, by=by).correlation is Correlation.WEAK
    assert reading(told, by=by, references=["e-2"]).correlation is Correlation.WEAK
    assert reading({}, by=by, references=["e-1"]).correlation is Correlation.WEAK
    assert reading(told | {"to": "bert"}, by=by, references=["e-1"]).correlation is Correlation.MISMATCH
    assert reading(told, by=by, references=["e-1"]).correlation is Correlation.OPERATION


def test_a_connection_ties_only_a_reply_to_a_known_attempt():
    rules = [
        rule(
            "r",
            channel="reply",
            says="accepted",
            reaches="accepted",
            correlation={"by": "connection"},
            examples=[{"name": "x", "evidence": "invented", "answer": {"status": 200, "body": {}}}],
        )
    ]
    document = contract({"/readings": rules})
    unknown = interpret(document, request=request(), answer=answer("reply", json={}))
    known = interpret(document, request=request(), answer=answer("reply", json={}, attempt="a-1"))
    assert (unknown.correlation, known.correlation) == (Correlation.WEAK, Correlation.OPERATION)


def test_a_connection_with_every_argument_ties_what_bears_no_number():
    told = rule(
        "r",
        channel="reply",
        correlation={"by": "connection_and_arguments"},
        examples=[{"name": "x", "evidence": "recorded", "answer": {"status": 200, "body": ARGUMENTS}}],
    )
    document = contract({"/readings": [told]})

    def correlation(body: Any, attempt: str | None = "a-1") -> Correlation:
        return interpret(document, request=request(), answer=answer("reply", json=body, attempt=attempt)).correlation

    assert correlation({"to": "anna"}) is Correlation.WEAK
    assert correlation(ARGUMENTS | {"to": "bert"}) is Correlation.MISMATCH
    assert correlation(ARGUMENTS, attempt=None) is Correlation.ARGUMENTS
    assert correlation(ARGUMENTS) is Correlation.OPERATION


ARGUMENTS = {"to": "anna", "text": "hello"}

"""The request that closes is built from the stored one, and its answers are read for the original by its contract."""

import pytest

from operations.contracts.answer import Answer
from operations.contracts.closing import CannotClose, closing_representation, names_reference
from operations.contracts.interpret import interpret
from operations.contracts.specimen import representation
from operations.core.facts import Correlation
from tests.contracts.closings import closing_of, stopping, with_closing
from tests.contracts.documents import contract

ASKED = 1_800_000_000.0


def made(number="stop-1", reference=None, **closing):
    document = contract(with_closing(**closing))
    return closing_representation(document, representation(document), number=number, reference=reference)


def came(status, body, *, rules=(), reference=None, references=(), at=ASKED + 2, **closing):
    document = contract(with_closing(*rules, **closing))
    answer = Answer(
        channel="stopped",
        received_at=at,
        asked_at=ASKED,
        authentic=True,
        status=status,
        body=body,
        reference=reference,
        attempt=None,
    )
    found = interpret(
        document, request=representation(document), answer=answer, references=frozenset(references), sent={"a": ASKED}
    )
    return found.says, found.correlation, found.attempt, found.as_of


def test_nothing_is_built_where_none_is_documented():
    document = contract({})
    with pytest.raises(CannotClose, match="documents no request"):
        closing_representation(document, representation(document), number="stop-1", reference=None)


def test_nothing_is_built_while_the_reference_that_it_names_is_unknown():
    with pytest.raises(CannotClose, match="letter id is not known"):
        made(target="/letters/{reference}/stop", carried_by={})


@pytest.mark.parametrize("reference", [".", ".."])
def test_a_reference_that_is_another_path_is_none(reference):
    with pytest.raises(CannotClose, match="letter id is not known"):
        made(reference=reference, target="/letters/{reference}/stop", carried_by={})


def test_what_makes_no_header_line_makes_no_request():
    with pytest.raises(CannotClose, match="makes no request that closes"):
        made(reference="a\nb", headers={"x-letter": "{reference}"})


def test_it_names_the_operation_by_what_the_request_carried():
    found = made()
    assert (found.method, found.target, found.identity) == ("POST", "/letters/order-1/stop", "stop-1")
    assert (found.headers, found.body, found.arguments) == ((), None, None)


def test_it_names_the_operation_by_the_recipients_reference_which_is_encoded():
    found = made(reference="le/1", target="/letters/{reference}/stop", carried_by={})
    assert found.target == "/letters/le%2F1/stop"


def test_it_carries_its_own_number_and_a_body():
    found = made(headers={"idempotency-key": "{closing}"}, body={"letter": "{key}", "why": "stopped"})
    assert found.headers == (("idempotency-key", "stop-1"), ("content-type", "application/json"))
    assert found.body == b'{"letter": "order-1", "why": "stopped"}'


def test_whether_it_names_the_reference_is_read_off_all_its_parts():
    assert not names_reference(closing_of(with_closing()))
    assert names_reference(closing_of(with_closing(body={"id": "{reference}"})))


def test_an_answer_that_repeats_the_number_closes_the_original():
    assert came(200, b'{"key": "order-1"}')[:3] == ("closed", Correlation.OPERATION, None)


def test_an_answer_that_repeats_another_number_is_somebody_elses():
    assert came(200, b'{"key": "order-2"}')[1] is Correlation.MISMATCH


def test_an_answer_that_repeats_nothing_is_weak():
    assert came(200, b"{}")[1] is Correlation.WEAK


BY_QUESTION = stopping(when={"at": "/status", "equals": 200}, correlation={"by": "question"})


def test_the_question_ties_its_answer_where_it_named_the_operation():
    assert came(200, b"{}", rules=(BY_QUESTION,))[:2] == ("closed", Correlation.OPERATION)


@pytest.mark.parametrize(("known", "tied"), [({"le-1"}, Correlation.OPERATION), ({"le-2"}, Correlation.WEAK)])
def test_a_question_by_reference_ties_where_the_reference_is_known_to_be_the_operations(known, tied):
    answer = {"status": 200, "body": {}, "known_references": ["le-1"]}
    told = {**BY_QUESTION, "examples": [{"name": "x", "evidence": "recorded", "answer": answer}]}
    by_reference = {"target": "/letters/{reference}/stop", "carried_by": {}}
    found = came(200, b"{}", rules=(told,), reference="le-1", references=known, **by_reference)
    assert found[1] is tied


def test_an_answer_without_a_date_is_dated_when_the_request_was_sent():
    assert came(200, b'{"key": "order-1"}', at=ASKED + 60)[3] == ASKED


@pytest.mark.parametrize("status", [302, 304, 429, 503])
def test_what_http_says_nothing_with_is_not_read(status):
    told = stopping(when={"at": "/body/key", "exists": True})
    assert came(status, b'{"key": "order-1"}', rules=(told,))[0] == "indeterminate"

"""Redirections, 304, 429 and 503 are answers about the asking; no rule makes them claims about an effect."""

from typing import Any

import pytest

from operations.contracts.asked import Unaskable, question
from operations.contracts.interpret import NO_RULE, Reading, interpret
from operations.core.facts import Claim, Correlation
from tests.contracts.documents import answer, contract, refused, request, rule

OK = {"key": "order-1", "id": "e-1"}
WHATEVER = {"at": "/body/key", "exists": True}


def read(status: int, *more: dict[str, Any], says: str = "applied") -> Reading:
    body = {"status": 200, "body": OK}
    one = rule("r", says=says, when=WHATEVER, examples=[{"name": "x", "evidence": "recorded", "answer": body}])
    document = contract({"/readings": [one, *more]})
    return interpret(document, request=request(), answer=answer(json=OK, status=status))


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308, 429, 503])
@pytest.mark.parametrize("says", ["applied", "closed", "absent", "protection_lost"])
def test_no_claim_is_read_from_them(status, says):
    found = read(status, says=says)
    assert (found.says, found.rule) == (Claim.INDETERMINATE, NO_RULE)


def test_the_reading_says_what_http_says_of_it():
    assert read(302).because.startswith("It sends us to another address, and redirections are not followed.")
    assert "the earlier observation stands" in read(304).because
    assert read(429).because.startswith("It asks us to wait")


def test_a_rule_that_settles_nothing_reads_them_and_adds_its_words():
    other = rule("other", says="indeterminate", reaches="transport", when={"at": "/status", "at_least": 100})
    other["examples"] = [
        {"name": "x", "evidence": "invented", "answer": {"status": 404}, "reads": {"correlation": "weak"}}
    ]
    found = read(308, other)
    assert found.rule == "other"
    assert found.because == "It sends us to another address, and redirections are not followed. The record shows it."


def test_a_refusal_for_the_moment_is_read_from_an_answer_of_pacing_only():
    busy = rule("busy", channel="reply", says="attempt_refused", reaches="handler_finished")
    busy |= {"when": {"at": "/status", "in": [307, 429, 422]}, "correlation": {"by": "connection"}}
    busy["examples"] = [{"name": "x", "evidence": "recorded", "answer": {"status": 422}}]
    document = contract({"/readings": [busy]})

    def says(status: int) -> Claim:
        return interpret(document, request=request(), answer=answer("reply", status=status, attempt="a-1")).says

    assert (says(429), says(307)) == (Claim.ATTEMPT_REFUSED, Claim.INDETERMINATE)


@pytest.mark.parametrize("status", [302, 304, 429, 503])
def test_a_rule_that_could_only_read_them_is_refused(status):
    example = [{"name": "x", "evidence": "invented", "answer": {"status": status, "body": OK}}]
    faults = refused({"/readings/-": rule("r", when={"at": "/status", "equals": status}, examples=example)})
    assert ("/readings/1/says", "http") in faults


class TestProblemDetails:
    """A rule may look at /problem, whatever form the channel's other answers have."""

    BUSY = {
        "rule": "busy",
        "channel": "record",
        "when": {"at": "/problem/type", "equals": "urn:busy"},
        "says": "pending",
        "reaches": "accepted",
        "because": "It is busy with it.",
        "source": "docs",
        "correlation": {"by": "question"},
        "examples": [
            {
                "name": "Busy",
                "evidence": "recorded",
                "answer": {
                    "status": 409,
                    "headers": {"content-type": "application/problem+json"},
                    "text": '{"type": "urn:busy"}',
                },
            }
        ],
    }

    @pytest.mark.parametrize(
        "told",
        [
            {"headers": (("content-type", "application/json"),)},
            {"truncated": True},
            {"body": b'{"type": "urn:busy", "type": "urn:busy"}'},
            {"body": b"<problem/>"},
            {"body": b""},
            {"body": b'{"type": "urn:busy"}' + b" " * 2_000_000},
        ],
    )
    def test_what_is_no_whole_problem_is_not_read(self, told):
        document = contract({"/readings": [self.BUSY], "/channels/record/body": "text"})
        given = {"body": b'{"type": "urn:busy"}', "headers": (("content-type", "application/problem+json"),), **told}
        assert interpret(document, request=request(), answer=answer(status=409, **given)).rule == NO_RULE

    def test_a_problem_is_read_beside_bodies_of_another_form(self):
        document = contract({"/readings": [self.BUSY], "/channels/record/body": "text"})
        came = answer(status=409, body=b'{"type": "urn:busy"}', headers=(("Content-Type", "application/problem+json"),))
        assert interpret(document, request=request(), answer=came).says is Claim.PENDING


class TestLocations:
    """A lookup at a Location asks where a counting answer said, and that names the operation."""

    MONITOR = {
        "/channels/record/asks": {"target": "{location}"},
        "/readings/0/correlation": {"by": "question"},
        "/readings/0/examples/0/answer/known_references": ["https://recipient.example/jobs/7"],
    }

    def test_a_location_stands_alone(self):
        assert refused({"/channels/record/asks": {"target": "/jobs{location}"}}) != []
        assert refused({"/channels/record/asks": {"target": "{location}/status"}}) != []

    @pytest.mark.parametrize(
        "location", [None, "", "jobs/7", "//other.example/7", "https://other.example/7", "/a/../b"]
    )
    def test_without_a_path_there_is_nothing_to_ask(self, location):
        with pytest.raises(Unaskable):
            question(contract(self.MONITOR), "record", request=request(), location=location)

    def test_the_question_goes_to_the_path_as_it_was_given(self):
        said = "https://recipient.example/jobs/7%2F8?full=1"
        found = question(
            contract(self.MONITOR), "record", request=request(), reference=said, location="/jobs/7%2F8?full=1"
        )
        assert (found.target, found.asked_by, found.reference) == ("/jobs/7%2F8?full=1", "reference", said)

    def test_what_else_it_asks_by_joins_its_query(self):
        changes = {**self.MONITOR, "/channels/record/asks": {"target": "{location}", "query": {"wait": "0"}}}
        found = question(contract(changes), "record", request=request(), location="/jobs/7?full=1")
        assert found.target == "/jobs/7?full=1&wait=0"

    def test_an_answer_there_is_the_operation_s_own_only_where_the_location_is_known_to_be(self):
        document = contract(self.MONITOR)
        came = answer(json=OK, reference="https://recipient.example/jobs/7")
        assert interpret(document, request=request(), answer=came).correlation is Correlation.WEAK
        known = frozenset({"https://recipient.example/jobs/7"})
        assert (
            interpret(document, request=request(), answer=came, references=known).correlation is Correlation.OPERATION
        )


class TestCredentials:
    """A secret is a reference, written in one header in one stated way."""

    @pytest.mark.parametrize(
        ("changes", "place", "why"),
        [
            ({"/channels/record/credential": "TOKEN"}, "/channels/record/credential_as", "credential_as"),
            ({"/channels/record/credential_as": "bearer"}, "/channels/record/credential_as", "credential_as"),
            (
                {"/channels/record/credential_header": "x-key"},
                "/channels/record/credential_header",
                "credential_header",
            ),
            (
                {
                    "/channels/record/credential": "TOKEN",
                    "/channels/record/credential_as": "raw",
                    "/channels/record/credential_header": "host",
                },
                "/channels/record/credential_header",
                "credential_header",
            ),
            (
                {"/channels/record/asks/headers": {"authorization": "Bearer 1"}},
                "/channels/record/asks/headers/authorization",
                "secret",
            ),
            (
                {
                    "/channels/record/credential": "TOKEN",
                    "/channels/record/credential_as": "raw",
                    "/channels/record/credential_header": "x-key",
                    "/channels/record/asks/headers": {"x-key": "1"},
                },
                "/channels/record/asks/headers/x-key",
                "secret",
            ),
            ({"/channels/record/asks/query": {"Access_Token": "1"}}, "/channels/record/asks/query", "secret"),
        ],
    )
    def test_a_secret_elsewhere_is_refused(self, changes, place, why):
        assert (place, why) in refused(changes)

    def test_a_query_carries_none(self):
        assert refused({"/channels/record/credential": "TOKEN", "/channels/record/credential_as": "query"}) != []

    @pytest.mark.parametrize("how", ["bearer", "basic", "token", "raw"])
    def test_a_secret_in_a_header_is_taken(self, how):
        told = {"/channels/record/credential": "TOKEN", "/channels/record/credential_as": how}
        assert contract(told).channels["record"].credential_header == "authorization"


def test_only_a_get_or_head_is_revalidated():
    asks = {"method": "POST", "target": "/s", "body": {"k": "{key}"}, "carried_by": {"key": "/headers/idempotency-key"}}
    told = {"/channels/record/asks": {**asks, "only_reads": "docs", "revalidate": True}}
    assert ("/channels/record/asks/revalidate", "revalidate") in refused(told)

"""What HTTP says of an answer is read once for all, within bounds, and is never a claim about an effect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.contracts.channel import Asks
from operations.contracts.http_semantics import (
    conditional_headers,
    is_path,
    is_problem,
    is_revalidated,
    place_to_ask,
    preferences_applied,
    problem,
    says_nothing,
)
from operations.contracts.places import UNREADABLE
from operations.core.strict_json import parse

AT_NOON = "Mon, 30 Nov 2026 12:00:00 GMT"


class TestRevalidation:
    """A question may carry the entity tag of the answer before, and a 304 is that answer."""

    ASKS = Asks(target="/x", revalidate=True)

    def test_a_contract_that_does_not_declare_it_asks_anew(self):
        assert conditional_headers(Asks(target="/x"), previous={"etag": '"a"'}) == ()
        assert conditional_headers(None, previous={"etag": '"a"'}) == ()

    @pytest.mark.parametrize("tag", ["a", "*", '"a', '"a", "b"', '"a\r\nx: y"', '"' + "a" * 300 + '"', 'w/"a"'])
    def test_what_is_no_entity_tag_is_not_sent(self, tag):
        assert conditional_headers(self.ASKS, previous={"etag": tag}) == ()

    def test_a_date_of_change_is_no_entity_tag(self):
        assert conditional_headers(self.ASKS, previous={"last-modified": AT_NOON}) == ()

    @pytest.mark.parametrize("tag", ['"a"', 'W/"a"', '""'])
    def test_an_entity_tag_is_sent_as_it_came(self, tag):
        assert conditional_headers(self.ASKS, previous={"etag": tag}) == (("if-none-match", tag),)

    def test_only_a_304_is_the_earlier_answer(self):
        assert [status for status in range(100, 600) if is_revalidated(status)] == [304]
        assert not is_revalidated(None)


def test_only_redirections_and_answers_of_pacing_say_nothing():
    assert [status for status in range(100, 600) if says_nothing(status)] == [*range(300, 400), 429, 503]
    assert says_nothing(None) == ""


class TestLocations:
    """A Location is asked at only where it lies on the recipient's own origin."""

    @pytest.mark.parametrize(
        "location",
        [
            "https://other.example/jobs/7",
            "//other.example/jobs/7",
            "http://api.example/jobs/7",
            "https://api.example:8443/jobs/7",
            "https://user:secret@api.example/jobs/7",
            "https://api.example@other.example/jobs/7",
            "https://api.example.other.example/jobs/7",
            "/elsewhere/jobs/7",  # not below the path at which the recipient is reached
            "https://api.example/v1",
            "/v1/../admin",
            "/v1/%2e%2e/admin",
            "/v1/%2E./admin",
            "/v1//other.example/jobs",
            "/v1/jobs\\7",
            "/v1/jobs/7 8",
            "/v1/jobs/%0d%0",
            "/v1/jobs/\u00e4",
            "/v1/" + "x" * 2000,
            "https://[api.example/v1/jobs",
            "https://api.example:port/v1/jobs",
            "javascript:alert(1)",
            "",
        ],
    )
    def test_nothing_is_asked_elsewhere(self, location):
        assert place_to_ask(location, address="https://api.example/v1", target="/orders") is None

    @pytest.mark.parametrize(
        ("location", "target"),
        [
            ("https://api.example/v1/jobs/7?view=full#top", "/jobs/7?view=full"),
            ("https://API.example:443/v1/jobs/7", "/jobs/7"),
            ("/v1/jobs/7", "/jobs/7"),
            ("jobs/7", "/jobs/7"),
            ("7", "/7"),
            ("./7/status", "/7/status"),
            ("?job=7", "/orders?job=7"),
        ],
    )
    def test_a_location_of_the_recipient_s_own_is_a_target_below_its_address(self, location, target):
        assert place_to_ask(location, address="https://api.example/v1", target="/orders") == target

    def test_a_relative_location_is_resolved_against_the_request(self):
        assert place_to_ask("7", address="https://api.example", target="/orders/") == "/orders/7"

    @given(st.text(max_size=40), st.sampled_from(["", "/v1", "//", "https://api.example", "https:", "\\\\"]))
    def test_whatever_it_says_it_names_no_other_host(self, text, before):
        found = place_to_ask(before + text, address="https://api.example/v1", target="/orders")
        assert found is None or (is_path(found) and not found.startswith("//"))


class TestProblems:
    """RFC 9457, only where the media type says so."""

    @pytest.mark.parametrize("kind", ["", "application/json", "text/problem+json", "application/problem+xml"])
    def test_another_media_type_is_no_problem(self, kind):
        assert not is_problem({"content-type": kind})

    def test_a_problem_that_is_no_object_can_not_be_read(self):
        assert problem(parse("[]")) is UNREADABLE
        assert problem(UNREADABLE) is UNREADABLE

    def test_members_of_another_type_are_not_there(self):
        assert problem(parse('{"type": 7, "title": null, "status": "409"}')) == {"type": "about:blank"}

    def test_a_problem_shows_its_five_members(self):
        body = '{"type": "urn:x", "title": "Busy", "status": 409, "detail": "d", "instance": "/i", "balance": 30}'
        found = problem(parse(body))
        assert found == parse('{"type": "urn:x", "title": "Busy", "detail": "d", "instance": "/i", "status": 409}')
        assert is_problem({"content-type": "Application/Problem+JSON; charset=utf-8"})


@pytest.mark.parametrize(
    ("said", "applied"),
    [
        (None, set()),
        ("", set()),
        ("respond-async", {"respond-async"}),
        ("Respond-Async, wait=10 , ", {"respond-async", "wait"}),
        ('note="a, respond-async", wait = 10', {"note", "wait"}),
        ('note="a, respond-async', {"note"}),
        ("two words, =7", set()),
    ],
)
def test_a_preference_was_honoured_where_the_recipient_says_so(said, applied):
    assert preferences_applied({} if said is None else {"preference-applied": said}) == applied

"""When asking again is wished for, and when it can teach anything new, is read off an answer within bounds."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.contracts.channel import Asks, BodyForm, Channel, CredentialAs, Kind
from operations.contracts.waits import LONGEST_WAIT, fresh_for, reaches_the_recipient, retry_after
from operations.core.facts import Authority, Reads

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z
AT_NOON = "Mon, 30 Nov 2026 12:00:00 GMT"
HALF_PAST = "Mon, 30 Nov 2026 12:30:00 GMT"


def in_http(seconds: float) -> str:
    return formatdate(NOON + seconds, usegmt=True)


def channel(*, credential_header: str | None = None, **asks) -> Channel:
    """A lookup; with a credential in this header, if one is named."""
    return Channel(
        kind=Kind.LOOKUP,
        about="The record.",
        authority=Authority.HISTORY,
        reads=Reads.STRONG,
        pollable=True,
        body=BodyForm.JSON,
        asks=Asks(target="/x", **asks),
        credential=credential_header and "TOKEN",
        credential_as=None if credential_header is None else CredentialAs.BEARER,
        credential_header=credential_header or "authorization",
    )


class TestWaiting:
    """Retry-After in both forms (RFC 9110, 10.2.3)."""

    @pytest.mark.parametrize(
        "said",
        ["", "soon", "-1", "+5", "1e3", "1, 2", "5s", "\u0661\u0662", "9" * 16, "Mon, 99 Nov 2026 12:00:00 GMT"],
    )
    def test_what_is_neither_seconds_nor_a_date_is_no_wish(self, said):
        assert retry_after([("retry-after", said)], received_at=NOON) is None

    def test_silence_is_no_wish(self):
        assert retry_after([("date", AT_NOON)], received_at=NOON) is None

    @pytest.mark.parametrize(
        ("lines", "wait"),
        [
            ([("retry-after", "0")], 0.0),
            ([("Retry-After", " 120 ")], 120.0),
            ([("retry-after", "999999999999")], LONGEST_WAIT),
            ([("retry-after", in_http(90))], 90.0),
            ([("retry-after", in_http(-90))], 0.0),
            ([("retry-after", in_http(10**7))], LONGEST_WAIT),
            ([("retry-after", in_http(90)), ("date", in_http(30))], 60.0),  # its clock runs 30 s ahead
            ([("retry-after", in_http(90)), ("date", "soon")], 90.0),
            ([("retry-after", "5"), ("retry-after", "7")], 7.0),
            ([("retry-after", "Monday, 30-Nov-26 12:00:05 GMT")], 5.0),
            ([("retry-after", "Mon Nov 30 12:00:05 2026")], 5.0),
        ],
    )
    def test_a_wish_is_seconds_from_the_answer(self, lines, wait):
        assert retry_after(lines, received_at=NOON) == wait

    @given(st.text(max_size=40), st.text(max_size=40))
    def test_nothing_that_is_written_there_breaks_and_no_wish_is_longer_than_a_day(self, said, date):
        wait = retry_after([("retry-after", said), ("date", date)], received_at=NOON)
        assert wait is None or 0 <= wait <= LONGEST_WAIT


class TestFreshness:
    """RFC 9111, 4.2: how long a cache on the way may go on giving the same answer."""

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({}, 0),
            ({"cache-control": "max-age=nonsense"}, 0),
            ({"cache-control": "max-age=60, s-maxage=nonsense"}, 0),
            ({"cache-control": "no-store, max-age=60"}, 0),
            ({"cache-control": "private, max-age=60"}, 0),
            ({"cache-control": "no-cache"}, 0),
            ({"cache-control": "max-age=60", "age": "90"}, 0),
            ({"expires": "0", "date": AT_NOON}, 0),
            ({"expires": AT_NOON, "date": HALF_PAST}, 0),
            ({"cache-control": "public, MAX-AGE=60, max-age=5"}, 60),
            ({"cache-control": "max-age=600, s-maxage=60"}, 60),
            ({"cache-control": 'max-age="60"', "age": "10"}, 50),
            ({"expires": HALF_PAST, "date": AT_NOON}, 1800),
            ({"expires": HALF_PAST, "date": AT_NOON, "cache-control": "max-age=9"}, 9),
            ({"cache-control": "max-age=99999999"}, LONGEST_WAIT),
        ],
    )
    def test_an_answer_is_fresh_for_as_long_as_it_says_less_its_age(self, headers, seconds):
        assert fresh_for(headers.items(), channel=channel()) == seconds

    @pytest.mark.parametrize(
        "asks",
        [
            {"headers": {"cache-control": "no-cache"}},
            {"headers": {"cache-control": "no-store, max-age=0"}},
            {"method": "POST", "only_reads": "docs"},
        ],
    )
    def test_a_question_that_no_cache_may_answer_waits_for_none(self, asks):
        assert reaches_the_recipient(Asks(target="/x", **asks))
        assert fresh_for([("cache-control", "max-age=60")], channel=channel(**asks)) == 0

    @pytest.mark.parametrize("asks", [{}, {"revalidate": True}, {"headers": {"cache-control": "max-age=5"}}])
    def test_a_cache_may_answer_any_other_an_entity_tag_or_not(self, asks):
        assert not reaches_the_recipient(Asks(target="/x", **asks))
        assert fresh_for([("cache-control", "max-age=60")], channel=channel(**asks)) == 60

    @pytest.mark.parametrize(
        ("told", "seconds"),
        [
            ({"cache-control": "max-age=60"}, 0),
            ({"cache-control": "public, max-age=60"}, 60),
            ({"cache-control": "must-revalidate, max-age=60"}, 60),
            ({"cache-control": "s-maxage=60"}, 60),
            ({"cache-control": "max-age=60", "age": "10"}, 50),  # a cache gave it all the same
        ],
    )
    def test_what_was_asked_with_authorization_is_shared_only_with_leave(self, told, seconds):
        assert fresh_for(told.items(), channel=channel(credential_header="authorization")) == seconds

    def test_a_credential_elsewhere_keeps_nothing_from_being_shared(self):
        told = [("cache-control", "max-age=60")]
        assert fresh_for(told, channel=channel(credential_header="x-api-key")) == 60

    @given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=40))
    def test_nothing_that_is_written_there_breaks(self, told, age, expires):
        lines = [("cache-control", told), ("age", age), ("expires", expires), ("date", AT_NOON)]
        assert 0 <= fresh_for(lines, channel=channel()) <= LONGEST_WAIT

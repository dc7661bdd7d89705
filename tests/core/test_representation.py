"""A representation that could be sent in two ways can't be written down, and its digest can be computed anywhere."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.core.facts import FactError
from operations.core.representation import Representation

TICKET = Representation(
    method="POST",
    target="/desks/east/tickets",
    headers=(("Content-Type", "application/json"),),
    body=b'{"parcel": "Cedar"}',
    arguments=b'{"parcel": "Cedar"}',
    scope="account 7, desk-east.example, key 1",
    identity="ticket-cedar-1",
)


@pytest.mark.parametrize(
    ("field", "value", "named", "rule"),
    [
        ("method", "", "method", "not_empty"),
        ("method", 5, "method", "text"),
        ("method", "GET /x", "method", "no_space"),
        ("target", "", "target", "not_empty"),
        # A line break in the target would begin a header line, a space would end the target.
        ("target", "/a\r\nHost: b", "target", "no_space"),
        ("target", "/a HTTP/1.1", "target", "no_space"),
        ("target", "/a\x00", "target", "no_space"),
        ("target", "/a\x7f", "target", "no_space"),
        ("target", "/\ud800", "target", "lone_surrogate"),
        ("headers", [("a", "b")], "headers", "pairs"),
        ("headers", (["a", "b"],), "headers[0]", "pairs"),
        ("headers", (("a", "b", "c"),), "headers[0]", "pairs"),
        ("headers", (("a", "b"), ("c",)), "headers[1]", "pairs"),
        ("headers", (("", "b"),), "headers[0].name", "token"),
        ("headers", (("a b", "c"),), "headers[0].name", "token"),
        ("headers", (("a:", "c"),), "headers[0].name", "token"),
        ("headers", (("a\n", "c"),), "headers[0].name", "token"),
        ("headers", (("\u00e9", "c"),), "headers[0].name", "token"),
        ("headers", ((b"a", "c"),), "headers[0].name", "text"),
        # Header injection: the value would end its line.
        ("headers", (("a", "b"), ("c", "d\r\ne: f")), "headers[1].value", "no_control"),
        ("headers", (("a", "b\nc"),), "headers[0].value", "no_control"),
        ("headers", (("a", "b\rc"),), "headers[0].value", "no_control"),
        ("headers", (("a", "b\x00"),), "headers[0].value", "no_control"),
        ("headers", (("a", "b\x1f"),), "headers[0].value", "no_control"),
        ("headers", (("a", "b\x7f"),), "headers[0].value", "no_control"),
        ("headers", (("a", b"b"),), "headers[0].value", "text"),
        ("headers", (("a", "\ud800"),), "headers[0].value", "lone_surrogate"),
        # RFC 9110, section 5.5: white space around a value is not part of it, so it would not arrive.
        ("headers", (("a", " b"),), "headers[0].value", "no_outer_space"),
        ("headers", (("a", "b\t"),), "headers[0].value", "no_outer_space"),
        ("body", "text", "body", "bytes"),
        ("body", bytearray(b"could change"), "body", "bytes"),
        ("arguments", "{}", "arguments", "bytes"),
        ("arguments", b"", "arguments", "syntax"),
        ("arguments", b'{"a": {"b": 1, "b": 1}}', "arguments/a/b", "duplicate_name"),
        ("arguments", b"[NaN]", "arguments/0", "not_a_number"),
        ("arguments", b"NaN", "arguments", "not_a_number"),
        ("scope", None, "scope", "text"),
        ("scope", "\udfff", "scope", "lone_surrogate"),
        ("identity", "", "identity", "not_empty"),
        ("identity", 7, "identity", "text"),
        ("identity", "\ud800", "identity", "lone_surrogate"),
    ],
)
def test_what_could_not_be_sent_as_written_is_refused(field, value, named, rule):
    changed: dict[str, Any] = {field: value}
    with pytest.raises(FactError) as caught:
        replace(TICKET, **changed)
    assert (caught.value.field, caught.value.rule) == (named, rule)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("method", 5, "must be text"),
        ("method", "", "must not be empty"),
        ("method", "a b", "must hold no space, line break or other control character"),
        ("identity", "", "must not be empty"),
        ("scope", "\ud800", "must not hold half of a surrogate pair"),
        ("body", "", "must be bytes, or None where there is none"),
        ("headers", None, "must be a tuple of pairs of name and value"),
        ("headers", ("ab",), "must be a pair of name and value"),
        ("headers", (("", ""),), "must be a header name: letters, digits and !#$%&'*+-.^_`|~"),
        ("headers", (("a", "\n"),), "must hold no line break or other control character"),
        ("headers", (("a", " "),), "must not begin or end with white space, which isn't part of a value"),
        ("arguments", b'[{"a": 1, "a": 1}]', "/0/a: each name may stand once in an object"),
    ],
)
def test_a_refusal_says_what_would_be_right(field, value, message):
    changed: dict[str, Any] = {field: value}
    with pytest.raises(FactError) as caught:
        replace(TICKET, **changed)
    assert caught.value.message == message


def test_what_protocols_allow_is_kept_as_it_is():
    kept = replace(
        TICKET,
        method="tools/call",
        target="/caf\u00e9?q=%20",
        headers=(("X-!#$%&'*+.^_`|~9", "a\tb  c"), ("a", "X"), ("a", "\u00a0\u00e9"), ("a", "")),
        body=b"\x00\xff",
        scope="",
    )
    assert [value for _, value in kept.headers] == ["a\tb  c", "X", "\u00a0\u00e9", ""]
    assert kept.body == b"\x00\xff"


def test_the_digest_is_the_one_that_its_description_gives():
    def item(data: bytes) -> bytes:
        return b"+" + len(data).to_bytes(8, "big") + data

    encoded = (
        item(b"unresolved representation 1")
        + item(b"POST")
        + item(b"/desks/east/tickets")
        + item(b"account 7, desk-east.example, key 1")
        + item(b"ticket-cedar-1")
        + item(b"1")
        + item(b"content-type")
        + item(b"application/json")
        + item(b'{"parcel": "Cedar"}')
        + b"-"
    )
    assert replace(TICKET, arguments=None).digest == hashlib.sha256(encoded).hexdigest()


def test_the_digest_does_not_change_from_release_to_release():
    assert TICKET.digest == "311697a687e514693ed8756784567849f37b363d5e4caae30ae359e1c2a6295c"


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "PUT"},
        {"target": "/desks/west/tickets"},
        {"headers": ()},
        {"headers": (("Content-Type", "application/JSON"),)},
        {"headers": (("Content-Type", "application/json"), ("Content-Type", "application/json"))},
        {"body": None},
        {"body": b""},
        {"body": b'{"parcel":"Cedar"}'},
        {"arguments": None},
        {"arguments": b'{"parcel": "Cedar" }'},
        {"body": None, "arguments": b'{"parcel": "Cedar"}'},
        {"scope": ""},
        {"identity": "ticket-cedar-2"},
    ],
)
def test_any_change_gives_another_digest(changed: dict[str, Any]):
    assert replace(TICKET, **changed).digest != TICKET.digest


def test_empty_and_absent_have_different_digests():
    assert replace(TICKET, body=b"").digest != replace(TICKET, body=None).digest


def test_swapped_body_and_arguments_have_different_digests():
    one, other = b"1", b"2"
    assert replace(TICKET, body=one, arguments=other).digest != replace(TICKET, body=other, arguments=one).digest


def test_the_case_of_a_header_name_does_not_change_the_digest():
    assert replace(TICKET, headers=(("content-TYPE", "application/json"),)).digest == TICKET.digest


WORDS = st.text(st.sampled_from("ab+-/\u00e9"), min_size=1, max_size=4)
HEADERS = st.lists(st.tuples(st.sampled_from(["a", "b", "ab"]), st.sampled_from(["", "a", "b", "ab"])), max_size=3)
BYTES = st.none() | st.sampled_from([b"", b"1", b"11", b"-", b"+"])
REPRESENTATIONS = st.builds(
    Representation,
    method=WORDS,
    target=WORDS,
    headers=HEADERS.map(tuple),
    body=BYTES,
    arguments=st.none() | st.sampled_from([b"1", b"11"]),
    scope=WORDS,
    identity=WORDS,
)


@given(REPRESENTATIONS, REPRESENTATIONS)
def test_digests_are_equal_only_for_equal_representations(one, other):
    assert (one.digest == other.digest) == (one == other)

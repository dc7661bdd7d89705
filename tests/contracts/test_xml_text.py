"""XML is read by one mapping or not at all; nothing is fetched, nothing grows, nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.contracts.channel import BodyForm
from operations.contracts.forms import LONGEST, read_body
from operations.contracts.interpret import NO_RULE, interpret
from operations.contracts.places import UNREADABLE
from operations.contracts.xml_text import DEEPEST, MOST_ELEMENTS, NotRead, read_xml
from tests.contracts.documents import answer, contract, refused, request, rule

BILLION = b"""<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;">]><a>&m;</a>"""


@pytest.mark.parametrize(
    "body",
    [
        BILLION,
        b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
        b'<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/hostname">]><a>&f;</a>',
        b"<!DOCTYPE a><a/>",
        b"<a>&unknown;</a>",
        b"<a>",
        b"<a/><b/>",
        b"",
        b"{}",
        b"<a><b/></a> text",
        b"<a>words <b/></a>",
        b"<a><b/><b/></a>",  # a list of two, or a mistake: the contract doesn't say
        b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\xe4</a>',
        "<a/>".encode("utf-16"),
        "<a/>".encode("utf-16-be"),
        "<a/>".encode("utf-16-le"),
        b"<a>\xff</a>",
        b'<a b="1" b="2"/>',
        b"<a>" * (DEEPEST + 1) + b"</a>" * (DEEPEST + 1),
        b"<a>" + b"".join(b"<b%d/>" % i for i in range(MOST_ELEMENTS)) + b"</a>",
        b"<a " + b" ".join(b'b%d="1"' % i for i in range(65)) + b"/>",
    ],
)
def test_what_has_no_one_reading_is_not_read(body):
    with pytest.raises(NotRead):
        read_xml(body)


def test_a_body_of_another_form_is_unreadable():
    assert read_body(b'{"a": 1}', form=BodyForm.XML) is UNREADABLE
    assert read_body(b"<a/>", form=BodyForm.JSON) is UNREADABLE
    assert read_body(b"<a>" + b" " * LONGEST + b"</a>", form=BodyForm.XML) is UNREADABLE


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"<a/>", {"a": ""}),
        (b"<a> 1 </a>", {"a": " 1 "}),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n<a><b>1</b><c/></a>\n', {"a": {"b": "1", "c": ""}}),
        (b'<a xmlns="urn:x" xmlns:i="urn:y" i:nil="true"/>', {"a": {"@i:nil": "true", "#text": ""}}),
        (b'<a id="7">x</a>', {"a": {"@id": "7", "#text": "x"}}),
        (b'<a id="7"><b>x</b></a>', {"a": {"@id": "7", "b": "x"}}),
        (b"<s:a xmlns:s='urn:x'><s:b>1</s:b></s:a>", {"s:a": {"s:b": "1"}}),
        (b"<a>&lt;&#65;<![CDATA[<b/>]]><!-- no --></a>", {"a": "<A<b/>"}),
    ],
)
def test_an_element_is_a_member_of_the_one_around_it(body, value):
    assert read_xml(body) == value


REPEATS = frozenset({"/r/set/item", "/r/set/item/of/item"})


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"<r/>", {"r": ""}),
        (b"<r><set/></r>", {"r": {"set": {"item": []}}}),
        (b"<r><set> </set></r>", {"r": {"set": {"item": []}}}),
        (b"<r><set><item>1</item></set></r>", {"r": {"set": {"item": ["1"]}}}),
        (b"<r><set><item>1</item><item>2</item></set></r>", {"r": {"set": {"item": ["1", "2"]}}}),
        (b"<r><set><item><of/></item></set></r>", {"r": {"set": {"item": [{"of": {"item": []}}]}}}),
    ],
)
def test_what_repeats_is_a_list_be_there_none_one_or_more(body, value):
    assert read_xml(body, repeats=REPEATS) == value


def test_a_name_alone_repeats_wherever_it_stands():
    told = b"<r><a><item>1</item></a><b><c><item>2</item><item>3</item></c></b></r>"
    assert read_xml(told, repeats=frozenset({"//item"})) == {
        "r": {"a": {"item": ["1"]}, "b": {"c": {"item": ["2", "3"]}}}
    }
    assert read_xml(b"<r><a/></r>", repeats=frozenset({"//item"})) == {"r": {"a": ""}}


@given(st.one_of(st.binary(max_size=60), st.text(alphabet='<>/ab&;"= ![]', max_size=60).map(str.encode)))
def test_any_bytes_are_read_or_unreadable(body):
    found = read_body(body, form=BodyForm.XML)
    assert found is UNREADABLE or not body or isinstance(found, dict)


def test_only_xml_repeats():
    assert refused({"/channels/record/repeats": ["/a/b"]}) == [("/channels/record/repeats", "only_xml")]
    assert refused({"/channels/record/body": "xml", "/channels/record/repeats": ["a"]}) != []


def test_an_example_in_xml_is_given_as_it_would_come():
    assert ("/readings/0/examples/0/answer/body", "xml_as_text") in refused({"/channels/record/body": "xml"})


def test_a_rule_reads_an_answer_in_xml_and_nothing_from_another():
    came = b"<Found><item><key>order-1</key><id>e-1</id></item></Found>"
    told = rule(
        "r",
        when={"at": "/body/Found/item", "exists": True},
        correlation={"by": "identity", "identity": "/body/Found/item/0/key"},
        effect_ref={"at": "/body/Found/item/0/id"},
        examples=[{"name": "x", "evidence": "recorded", "answer": {"status": 200, "text": came.decode()}}],
    )
    shown = {"/channels/record/body": "xml", "/channels/record/repeats": ["/Found/item"], "/channels/record/shows": {}}
    document = contract({"/readings": [told], **shown})
    read = interpret(document, request=request(), answer=answer(body=came))
    assert (read.says, read.effect_refs, read.correlation) == ("applied", ("e-1",), "operation")
    assert interpret(document, request=request(), answer=answer(json={"Found": {}})).rule == NO_RULE

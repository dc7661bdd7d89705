"""What a recipient or an agent wrote stays text in every medium: it makes no markup, no mention, no link and no line."""

import json
import re
from dataclasses import replace
from email import message_from_bytes, policy
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from escalation.notify import mail, msteams, slack, webhook
from escalation.notify.plain import one_line, told
from tests.escalation.notify.messages import HOSTILE, HOSTILE_GROUP, HOSTILE_ONE, LINK, about, message

BOTH = pytest.mark.parametrize("hostile", [HOSTILE_ONE, HOSTILE_GROUP], ids=["one", "group"])


def nodes(found: Any) -> list[dict[str, Any]]:
    """Every object of a JSON document."""
    if isinstance(found, list):
        return [node for one in found for node in nodes(one)]
    return [found, *nodes(list(found.values()))] if isinstance(found, dict) else []


def read_mail(raw: bytes) -> Any:
    return message_from_bytes(raw, policy=policy.default)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]


def test_what_is_not_shown_is_a_space_and_what_is_long_is_cut():
    assert one_line("a\r\nb\x00c\u202ed\u2028e\u200bf", most=99) == "a b c d e f"
    assert one_line("word " * 30, most=11) == "word word…"
    assert len(one_line("x" * 5_000, most=500)) == 500


@given(st.text(max_size=200))
def test_whatever_was_written_is_one_line_without_anything_that_a_reader_makes_a_link_of(text):
    line = told(text)
    assert line.splitlines() in ([line], [])
    assert not re.search(r"://|\bwww\.", line, re.IGNORECASE)


@BOTH
def test_no_header_of_a_mail_is_anybody_elses(hostile):
    found = read_mail(mail.written(hostile, to="ann@desk.example").message().as_bytes())
    assert found["To"] == "ann@desk.example"
    assert (found["Bcc"], found["Cc"]) == (None, None)
    assert set(found.keys()) == {
        "Content-Type", "MIME-Version", "Subject", "From", "To",
        "Message-ID", "Date", "Auto-Submitted", "X-Auto-Response-Suppress",
    }  # fmt: skip


@BOTH
def test_no_line_of_a_mails_text_is_anybody_elses(hostile):
    text = read_mail(mail.written(hostile, to="ann@desk.example").message().as_bytes()).get_body(("plain",))
    lines = text.get_content().splitlines()
    assert not [line for line in lines if line.startswith(("Bcc", "MAIL", "."))]
    assert [line for line in lines if "thief@evil.example" in line] == [line for line in lines if "<script>" in line]


@BOTH
def test_a_mails_html_has_the_tags_and_links_of_a_harmless_one(hostile):
    def tags(of: Any) -> Tags:
        html = read_mail(mail.written(of, to="ann@desk.example").message().as_bytes()).get_body(("html",))
        return Tags(html.get_content())

    harmless = replace(hostile, subject="x", about=tuple(replace(one, effect="x") for one in hostile.about))
    assert tags(hostile).tags == tags(harmless).tags
    assert set(tags(hostile).links) == {LINK}


def test_what_goes_over_the_wire_of_a_mail_ends_only_at_its_end():
    raw = mail.stuffed(b"a\r\n.\r\nMAIL FROM:<x@y>\n.\nb\r.\rc")
    assert raw == b"a\r\n..\r\nMAIL FROM:<x@y>\r\n..\r\nb\r\n..\r\nc\r\n"


@BOTH
def test_slack_reads_no_markup_but_the_one_link_of_ours(hostile):
    found = json.loads(slack.body(hostile))
    texts = [node for node in nodes(found["blocks"]) if "text" in node and isinstance(node["text"], str)]
    marked = [node["text"] for node in texts if node["type"] == "mrkdwn"]
    assert marked == [f"<{LINK}|Open operation 1042>"]
    assert not [
        node for node in texts if node["type"] == "plain_text" and re.search("[<>]|&(?!(amp|lt|gt);)", node["text"])
    ]
    assert all(node["emoji"] is False for node in texts if node["type"] == "plain_text")
    assert (found["mrkdwn"], found["link_names"], found["unfurl_links"]) == (False, False, False)
    assert not re.search("[<>]", found["text"])


@BOTH
def test_slacks_limits_are_kept(hostile):
    blocks = json.loads(slack.body(hostile))["blocks"]
    header = next(one["text"]["text"] for one in blocks if one["type"] == "header")
    assert len(header) <= 150
    assert not header.endswith("&")
    assert all(len(node["text"]) <= 3_000 for node in nodes(blocks) if isinstance(node.get("text"), str))
    assert len(blocks) <= 50


def test_a_group_of_the_longest_effects_fits_into_one_text_of_slack():
    many = message(*[about("<" * 500, number=one) for one in range(10)], count=214)
    blocks = json.loads(slack.body(many))["blocks"]
    assert all(len(node["text"]) <= 3_000 for node in nodes(blocks) if isinstance(node.get("text"), str))


@BOTH
def test_teams_is_given_no_text_in_which_it_reads_markdown(hostile):
    [attached] = json.loads(msteams.body(hostile))["attachments"]
    kinds = {node["type"] for node in nodes(attached["content"]["body"]) if "type" in node}
    assert kinds == {"RichTextBlock", "TextRun"}
    runs = [node["text"] for node in nodes(attached["content"]["body"]) if node.get("type") == "TextRun"]
    assert not [text for text in runs if "{{" in text or "<at" in text]
    assert [one["url"] for one in attached["content"]["actions"]] == [LINK]
    assert "entities" not in attached["content"]["msteams"]


def test_what_was_written_reaches_programs_as_it_reads():
    found = json.loads(webhook.body(message(about(HOSTILE))))
    assert found["data"]["operations"][0]["effect"] == told(HOSTILE)

"""Slack, through an incoming webhook: what others wrote stands in plain text objects, where nothing is markup.

Slack's "Formatting message text": & < > are its control characters in every text object, mentions and links begin with
<; in a plain text object nothing else is read. `link_names` off keeps @channel a word.
"""

import json
from typing import Any, Final

from escalation.notify.message import Message, Told

_CONTROL: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
LONGEST_HEADER: Final = 150
LONGEST_TEXT: Final = 2_900


def escaped(text: str) -> str:
    """Return text in which Slack reads no control character."""
    return text.translate(_CONTROL)


def body(message: Message) -> bytes:
    """Return the JSON that Slack posts."""
    blocks = [_header(message.subject), *[_plain(line) for line in message.lead], *_about(message)]
    if message.link:
        blocks.append(_link(message))
    if message.why:
        blocks.append({"type": "context", "elements": [_text(message.why)]})
    written = {
        "text": escaped(message.subject),
        "mrkdwn": False,
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": blocks,
    }
    return json.dumps(written, ensure_ascii=False).encode()


def _about(message: Message) -> list[dict[str, Any]]:
    if message.count > 1:
        return [_plain(f"{one.number} · {one.effect} · {one.time}") for one in message.about]
    return [_fields(one) for one in message.about]


def _fields(one: Told) -> dict[str, Any]:
    texts = [_text(f"{answer.question}\n{answer.word}") for answer in one.answers]
    return {"type": "section", "text": _text(one.effect), "fields": [*texts, _text(f"Time left\n{one.time}")]}


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": _text(_short(text, most=LONGEST_HEADER))}


def _short(text: str, *, most: int) -> str:
    """Return text that has at most that many characters once it is escaped, which is what Slack measures."""
    short = text[:most]
    while len(escaped(short)) > most:
        short = short[:-2].rstrip("…") + "…"
    return short


def _plain(text: str) -> dict[str, Any]:
    return {"type": "section", "text": _text(_short(text, most=LONGEST_TEXT))}


def _text(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": escaped(text), "emoji": False}


def _link(message: Message) -> dict[str, Any]:
    """The one text that is markup: the desk's own address and our own words."""
    return {
        "type": "section",
        "text": {"type": "mrkdwn", "text": f"<{escaped(message.link)}|{escaped(message.link_name)}>", "verbatim": True},
    }

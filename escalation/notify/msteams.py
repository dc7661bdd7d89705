"""Microsoft Teams, through a workflow's webhook: an adaptive card whose texts are runs, in which nothing is markup.

Markdown is read in TextBlock and Fact ("Format cards in Microsoft Teams"); a RichTextBlock's runs are shown as they are.
Two things are read in any text of a card: {{DATE()}} and {{TIME()}}, and <at>; both are broken up.
"""

import json
from typing import Any, Final

from escalation.notify.message import Message, Told

_JOINER: Final = "\u2060"


def inert(text: str) -> str:
    """Return text in which a card's renderer reads neither a date function nor a mention; it reads the same."""
    return text.replace("{{", f"{{{_JOINER}{{").replace("<", f"<{_JOINER}")


def body(message: Message) -> bytes:
    """Return the JSON that a workflow posts as a card."""
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": inert(message.subject),
        "body": [_line(message.subject, weight="Bolder", size="Medium"), *[_line(text) for text in message.lead]],
        "msteams": {"width": "Full"},
    }
    card["body"] += [block for one in message.about for block in _about(one, alone=message.count <= 1)]
    if message.why:
        card["body"].append(_line(message.why, isSubtle=True, size="Small"))
    if message.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": message.link_name, "url": message.link}]
    attached = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return json.dumps({"type": "message", "attachments": [attached]}, ensure_ascii=False).encode()


def _about(one: Told, *, alone: bool) -> list[dict[str, Any]]:
    if not alone:
        return [_line(f"{one.number} · {one.effect} · {one.time}")]
    answers = [_named(answer.question, answer.word) for answer in one.answers]
    return [_line(one.effect), *answers, _named("Time left", one.time)]


def _named(name: str, text: str) -> dict[str, Any]:
    runs = [_run(f"{name} ", weight="Bolder"), _run(text)]
    return {"type": "RichTextBlock", "inlines": runs}


def _line(text: str, **look: Any) -> dict[str, Any]:
    return {"type": "RichTextBlock", "inlines": [_run(text, **look)]}


def _run(text: str, **look: Any) -> dict[str, Any]:
    return {"type": "TextRun", "text": inert(text), **look}

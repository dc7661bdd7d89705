"""What a message names, so that its operation can be found; a pointer only: whose it is, its reading says.

Looked at are the places where the channel, or a rule of it, expects the request number and the recipient's own
reference to the effect, whether or not that rule would hold.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from operations.contracts.answer import MOST_ITEMS, Answer, papers_of
from operations.contracts.channel import Channel
from operations.contracts.document import Document
from operations.contracts.forms import with_parts
from operations.contracts.interpret import NAME
from operations.contracts.places import MISSING, Found, Papers, as_text, at
from operations.contracts.rule import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The request numbers and the references to effects that a message names."""

    identities: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()


NOTHING: Final = Named()


def named_in(document: Document, answer: Answer) -> Named:
    """Return what an answer names where this contract looks for it; nothing where it lists no such channel."""
    channel = document.channels.get(answer.channel)
    if channel is None:
        return NOTHING
    rules = [rule for _, rule in document.rules_of(answer.channel)]
    seen = list(_papers(answer, channel))
    return Named(
        identities=frozenset(_texts(seen, _identity_places(channel, rules))),
        references=frozenset(_references(seen, rules)),
    )


def text_at(document: Document, answer: Answer, place: str) -> str | None:
    """Return the text or the number that stands at a place of an answer, None for everything else."""
    return as_text(part_at(document, answer, place))


def part_at(document: Document, answer: Answer, place: str) -> Found:
    """Return what stands at a place of an answer."""
    channel = document.channels.get(answer.channel)
    return MISSING if channel is None else at(papers_of(answer, channel=channel), place)


def _papers(answer: Answer, channel: Channel) -> Iterator[Papers]:
    """Yield the papers, once for each element of the list that the channel looks through."""
    papers = papers_of(answer, channel=channel)
    elements = None if channel.selects is None else at(papers, channel.selects.each_of)
    if not isinstance(elements, list) or not elements:
        yield papers
        return
    for element in elements[:MOST_ITEMS]:
        yield with_parts(papers, item=element)


def _identity_places(channel: Channel, rules: list[Rule]) -> set[str]:
    stated = {rule.correlation.identity for rule in rules} | {channel.shows.identity}
    return {place for place in stated if place is not None}


def _texts(seen: list[Papers], places: set[str]) -> Iterator[str]:
    for papers in seen:
        for place in places:
            text = as_text(at(papers, place))
            if text is not None and NAME.fullmatch(text):
                yield text


def _references(seen: list[Papers], rules: list[Rule]) -> Iterator[str]:
    yield from _texts(seen, {rule.correlation.reference for rule in rules if rule.correlation.reference is not None})
    for rule in rules:
        if rule.effect_ref is None:
            continue
        after = rule.effect_ref.after
        for text in _texts(seen, {rule.effect_ref.at}):
            if after is None:
                yield text
            elif text.rpartition(after)[1] and text.rpartition(after)[2]:
                yield text.rpartition(after)[2]

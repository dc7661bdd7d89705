"""An answer as it came, and the papers that rules read it from; nothing of it is trusted, all of it is bounded."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from operations.contracts.bound import Bound
from operations.contracts.channel import Channel, Selects
from operations.contracts.forms import LONGEST, read_body, read_headers, read_json, with_parts
from operations.contracts.http_semantics import is_problem, preferences_applied, problem
from operations.contracts.matching import unmet
from operations.contracts.places import MISSING, UNREADABLE, Found, Papers, at
from operations.core.facts import Seconds
from operations.core.strict_json import Json, NumberText

MOST_ITEMS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One raw thing learnt: what came, through which channel, when.

    `asked_at`: when the question was asked, for a lookup. `attempt`: the attempt on whose connection, or about whose
    own side, this is. `fact`: a fact of our own side of the wire (`not_sent`, `timeout`, `reset`). `reference`: the
    recipient's reference that the question asked by, if it did. `first_seen_at`: when the same kept answer was first
    received, for one that is given again. `authentic`: established by whoever received it. Times are seconds.
    """

    channel: str
    received_at: Seconds
    authentic: bool
    asked_at: Seconds | None = None
    attempt: str | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    truncated: bool = False
    fact: str = ""
    reference: str | None = None
    first_seen_at: Seconds | None = None


def papers_of(answer: Answer, *, channel: Channel) -> Papers:
    """Return an answer as papers: status, headers, body and fact, the problem that it reports (RFC 9457), and as `true`
    each preference that the recipient says it honoured (RFC 7240, 3)."""
    headers = read_headers(answer.headers)
    return {
        "status": MISSING if answer.status is None else NumberText(str(answer.status)),
        "headers": dict(headers),
        "body": UNREADABLE if answer.truncated else read_body(answer.body, form=channel.body, repeats=channel.repeats),
        "fact": answer.fact or MISSING,
        "problem": _problem(answer, headers),
        "preferences": dict.fromkeys(preferences_applied(headers), True) or MISSING,
    }


def _problem(answer: Answer, headers: dict[str, Json]) -> Found:
    if not is_problem(headers) or not answer.body:
        return MISSING
    return UNREADABLE if answer.truncated or len(answer.body) > LONGEST else problem(read_json(answer.body))


def views(answer: Answer, *, channel: Channel, bound: Bound) -> tuple[Papers, ...]:
    """Return the papers of an answer, one for each element that the channel selects, at least one."""
    papers = papers_of(answer, channel=channel)
    if channel.selects is None:
        return (papers,)
    elements = at(papers, channel.selects.each_of)
    if not isinstance(elements, list) or len(elements) > MOST_ITEMS:
        return (with_parts(papers, item=UNREADABLE, found=UNREADABLE),)
    items = list(_selected(channel.selects, papers, elements, bound))
    found = NumberText(str(len(items)))
    return tuple([with_parts(papers, item=item, found=found) for item in items or [MISSING]])


def _selected(selects: Selects, papers: Papers, elements: list[Json], bound: Bound) -> Iterator[Found]:
    for element in elements:
        if selects.where is None or not unmet(selects.where, with_parts(papers, item=element), bound=bound):
            yield element

"""What a stored request says by its contract: its identity, its bound arguments, its effect as a sentence, and the
question that a lookup asks.

Everything is read from the exact representation; what it doesn't carry can't be asked by (semantics.md, Words).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final
from urllib.parse import quote, unquote, urlencode

from operations.contracts.bound import Argument, Bound
from operations.contracts.channel import Asks
from operations.contracts.dates import spelt
from operations.contracts.document import Document
from operations.contracts.forms import read_body, read_form, read_headers, read_json
from operations.contracts.http_semantics import is_path
from operations.contracts.places import MISSING, Found, Papers, as_text, at, shown
from operations.core.facts import Seconds
from operations.core.representation import Representation
from operations.core.strict_json import Json, written

PLACEHOLDER: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
# In a target `{+name}` may hold slashes, as in RFC 6570, section 3.2.3.
_PART: Final = re.compile(r"\{(\+?)([a-z][a-z0-9_]*)\}")
_HELD: Final = re.compile(r"\{\+([a-z][a-z0-9_]*)\}")
REFERENCE: Final = "reference"
LOCATION: Final = "location"
AT_LOCATION: Final = "{location}"
# As a segment of a path these mean another path, percent-encoded or not (RFC 3986, section 5.2.4).
DOTS: Final = (".", "..")


class Unaskable(Exception):
    """The question can't be put together: the stored request, or what is known, lacks what it asks by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question ready to be asked; `target` has its query, `body` is JSON bytes or None."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    asked_by: str
    reference: str | None = None
    body: bytes | None = None


@lru_cache(maxsize=512)
def _target(template: str) -> re.Pattern[str]:
    parts = _PART.split(template)
    literal, widths, names = parts[::3], parts[1::3], parts[2::3]
    pattern = re.escape(literal[0])
    for width, name, after in zip(widths, names, literal[1:], strict=True):
        pattern += f"(?P<{name}>[^{'' if width else '/'}?#]+){re.escape(after)}"
    return re.compile(pattern)


def _target_parts(target: str, *, template: str) -> Found:
    found = _target(template).fullmatch(target)
    return MISSING if found is None else {name: unquote(text) for name, text in found.groupdict().items()}


def papers_of(document: Document, request: Representation) -> Papers:
    """Return a stored request as papers: method, target, query, headers, body, arguments, scope, identity."""
    path, _, query = request.target.partition("?")
    return {
        "method": request.method,
        "target": _target_parts(path, template=document.request.target),
        "query": read_form(query),
        "headers": read_headers(request.headers),
        "body": read_body(request.body, form=document.request.body),
        "arguments": read_json(request.arguments),
        "scope": request.scope,
        "identity": request.identity,
    }


def bound_of(document: Document, request: Representation) -> Bound:
    """Return what answers are compared with."""
    return bound_in(document, papers_of(document, request))


def bound_in(document: Document, papers: Papers) -> Bound:
    """Return what answers are compared with, from a stored request that was read already."""
    arguments = {
        name: Argument(value=at(papers, argument.at), how=argument.echo)
        for name, argument in document.identity.bound.items()
    }
    return Bound(identity=as_text(papers["identity"]) or "", arguments=arguments)


def carried_identity(document: Document, request: Representation) -> str | None:
    """Return the identity that the stored request really carries where it protects; None if it carries none.

    What differs from the operation's own identity was sent under another number than the record says.
    """
    return carried_in(document, papers_of(document, request))


def carried_in(document: Document, papers: Papers) -> str | None:
    """Return the carried identity of a stored request that was read already."""
    carrier = document.identity.carrier
    return None if carrier is None else as_text(at(papers, carrier.at))


def effect_sentence(document: Document, request: Representation) -> str:
    """Return the effect as a sentence, the arguments filled in; one that the request lacks is shown as missing."""
    return effect_in(document, bound_of(document, request))


def effect_in(document: Document, bound: Bound) -> str:
    """Return the effect as a sentence from arguments that were read already."""

    def filled(match: re.Match[str]) -> str:
        value = bound.arguments[match[1]].value
        return as_text(value) or f"({match[1]}: {shown(value)})"

    return PLACEHOLDER.sub(filled, document.effect.sentence)[:500]


def subject_digest(document: Document, request: Representation) -> str:
    """Return SHA-256 (hexadecimal) of the subject arguments, by which operations for one thing confront each other.

    Empty where the contract names none, or the request lacks one of them.
    """
    return subject_in(document, bound_of(document, request))


def subject_in(document: Document, bound: Bound) -> str:
    """Return the digest of the subject from arguments that were read already."""
    values: dict[str, Json] = {}
    for name in document.identity.subject:
        value = bound.arguments[name].value
        text = as_text(value)
        if text is None:
            return ""
        values[name] = text
    return sha256(written(values).encode()).hexdigest() if values else ""


def question(
    document: Document,
    channel: str,
    *,
    request: Representation,
    first_sent_at: Seconds | None = None,
    reference: str | None = None,
    location: str | None = None,
) -> Question:
    """Return the question that this channel asks about a stored request; raises Unaskable, KeyError for no channel.

    `reference` is the recipient's own reference to the effect, learnt from a counting answer (references.py); where it is
    a Location, `location` is the path that `place_to_ask` (http_semantics.py) made of it.
    """
    asks = document.channels[channel].asks
    if asks is None:
        raise Unaskable(f"the desk does not ask through {channel}")
    values = _values(asks, papers_of(document, request), first_sent_at, reference)
    target = _where(asks, location) or target_of(asks.target, values)
    query = {name: filled(template, values) for name, template in asks.query.items()}
    headers = tuple([(name, filled(template, values)) for name, template in asks.headers.items()])
    body = None
    if asks.body is not None:
        body = written({name: filled(template, values) for name, template in asks.body.items()}).encode()
    asked_by = document.asks_by(asks)
    return Question(
        method=asks.method,
        target=target + (f"{'&' if '?' in target else '?'}{urlencode(query)}" if query else ""),
        headers=headers,
        asked_by=asked_by,
        reference=reference if asked_by == REFERENCE else None,
        body=body,
    )


def _where(asks: Asks, location: str | None) -> str | None:
    """Return the path to ask at, where the channel asks at a Location."""
    if asks.target != AT_LOCATION:
        return None
    if location is None or not is_path(location):
        raise Unaskable("no answer on record says where to ask, and this lookup asks there")
    return location


def carried_values(carried_by: Mapping[str, str], papers: Papers) -> dict[str, str]:
    """Return by name what a stored request carries at these places; raises Unaskable where nothing stands there."""
    values: dict[str, str] = {}
    for name, place in carried_by.items():
        text = as_text(at(papers, place))
        if not text or text in DOTS:
            raise Unaskable(f"the stored request carries nothing at {place} that this lookup could ask by")
        values[name] = text
    return values


def _values(asks: Asks, papers: Papers, first_sent_at: Seconds | None, reference: str | None) -> Mapping[str, str]:
    values = carried_values(asks.carried_by, papers)
    for name, since in asks.since.items():
        if first_sent_at is None:
            raise Unaskable("no attempt is on record, so there is no time to ask from")
        values[name] = spelt(first_sent_at - since.before_first_attempt, form=since.form)
    if reference is not None and reference not in DOTS:
        values[REFERENCE] = reference
    return values


def target_of(template: str, values: Mapping[str, str]) -> str:
    """Return a target with every value percent-encoded; the slashes of a `{+name}` stay, and climb nowhere."""
    held = frozenset(_HELD.findall(template))
    encoded = {name: quote(value, safe="/" if name in held else "") for name, value in values.items()}
    target = filled(template.replace("{+", "{"), encoded)
    if held and not is_path(target):
        raise Unaskable("the stored request carries no path there that could be asked at")
    return target


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a template with its names filled in; raises Unaskable where the recipient's reference isn't known."""

    def value_of(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise Unaskable("the recipient's reference to the effect is not known yet, and this lookup asks by it")
        return values[match[1]]

    return PLACEHOLDER.sub(value_of, template)


def placeholders(template: str) -> frozenset[str]:
    """Return the names that stand in braces, `{name}` or `{+name}`."""
    return frozenset([name for _, name in _PART.findall(template)])

"""What a person types at an inspection: the places that the channel's rules look at, and nothing else; nothing is given.

What is typed becomes the body that the contract reads, as an answer of the recipient would carry it: a number is written
as a number where the rules have one there, and as JSON where the stored request has anything but text. What isn't shown
there is left out.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from operations.contracts.asked import bound_of
from operations.contracts.bound import Bound
from operations.contracts.channel import BodyForm, Channel, Kind, TimeForm
from operations.contracts.document import Document
from operations.contracts.matching import Condition, Scalar, conditions
from operations.contracts.places import Gap
from operations.contracts.rule import Rule
from operations.core.representation import Representation
from operations.core.strict_json import Json, NumberText, StrictJsonError, is_index, parse, pointer_parts, written

BODY: Final = "/body/"
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_COUNTS: Final = frozenset({TimeForm.EPOCH_SECONDS, TimeForm.EPOCH_MILLISECONDS})


class NotTyped(Exception):
    """What this channel reads can't be typed in a form; the message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One thing that a person is asked to type. `place` is where it will stand, `label` what it is called.

    `values` are those that the rules know; without any it is free text. `echoes`: it is the request number or a bound
    argument, which the person reads there and never from us. `counts`: what is typed is a number if it can be one.
    """

    place: str
    label: str
    values: tuple[Scalar, ...]
    echoes: bool
    counts: bool


def inspected(document: Document) -> Iterator[str]:
    """Yield the channels through which a person reads, in the contract's order."""
    for name, channel in document.channels.items():
        if channel.kind is Kind.INSPECTION and channel.inspection is not None:
            yield name


def asked_of(document: Document, channel_name: str) -> tuple[Asked, ...]:
    """Return what a person is asked to type for a channel; raises NotTyped."""
    channel = document.channels[channel_name]
    rules = [rule for _, rule in document.rules_of(channel_name)]
    if channel.body is not BodyForm.JSON or channel.selects is not None:
        raise NotTyped("The contract reads this channel's answers in a form that can't be typed field by field.")
    echoes = _echoes(document, channel, rules)
    looked_at = [place for rule in rules for place in _places(rule)]
    places = [place for place in dict.fromkeys([*looked_at, *echoes]) if place.startswith(BODY)]
    leaves = [place for place in places if not any(other.startswith(f"{place}/") for other in places)]
    if not leaves:
        raise NotTyped("The contract's rules look at nothing that a person could type.")
    return tuple([_asked(place, rules, echoes.get(place), _named(document, rules)) for place in leaves])


def _places(rule: Rule) -> Iterator[str]:
    yield from [one.at for one in conditions(rule.when)]
    ties = rule.correlation
    dated = [one.at for one in (rule.effect_ref, rule.as_of, rule.until) if one is not None]
    yield from [place for place in (*dated, ties.reference, rule.attempt) if place is not None]


def _echoes(document: Document, channel: Channel, rules: list[Rule]) -> dict[str, str]:
    """Return the places where the request number and the bound arguments are shown, with what they are called."""
    found: dict[str, list[str]] = {}
    for identity in dict.fromkeys([channel.shows.identity, *[rule.correlation.identity for rule in rules]]):
        if identity is not None:
            found.setdefault(identity, []).append("Request number")
    shows = [channel.shows.arguments, *[rule.correlation.arguments for rule in rules]]
    for name, place in [pair for each in shows for pair in each.items()]:
        if name in document.identity.bound:
            found.setdefault(place, []).append(_words(name))
    return {place: ", ".join(dict.fromkeys(names)) for place, names in found.items()}


def _named(document: Document, rules: list[Rule]) -> dict[str, str]:
    """Return the places that have a name of their own besides what is echoed."""
    reference = document.effect.reference
    word = reference[:1].upper() + reference[1:]
    found = {rule.attempt: "Attempt" for rule in rules if rule.attempt is not None}
    found |= {rule.as_of.at: "Its own date" for rule in rules if rule.as_of is not None}
    found |= {rule.correlation.reference: word for rule in rules if rule.correlation.reference is not None}
    return found | {rule.effect_ref.at: word for rule in rules if rule.effect_ref is not None}


def _words(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _asked(place: str, rules: list[Rule], echo: str | None, named: Mapping[str, str]) -> Asked:
    here = [one for rule in rules for one in conditions(rule.when) if one.at == place]
    parts = [part for part in pointer_parts(place)[1:] if not is_index(part)]
    values = tuple(dict.fromkeys([value for one in here for value in _known(one)]))
    label = ", ".join([name for name in (echo, named.get(place)) if name]) or _words(" ".join(parts[-2:]))
    return Asked(
        place=place,
        label=label,
        values=() if echo is not None else values,
        echoes=echo is not None,
        counts=_counts(place, here, values, rules),
    )


def _known(condition: Condition) -> tuple[Scalar, ...]:
    if condition.one_of is not None:
        return condition.one_of
    return () if condition.equals is None else (condition.equals,)


def _counts(place: str, here: list[Condition], values: tuple[Scalar, ...], rules: list[Rule]) -> bool:
    measured = any(one.operator in ("at_least", "at_most") for one in here)
    numbers = any(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    dates = [one for rule in rules for one in (rule.as_of, rule.until) if one is not None and one.at == place]
    return measured or numbers or any(one.form in _COUNTS for one in dates)


def body_of(document: Document, channel_name: str, *, typed: Mapping[str, Scalar], request: Representation) -> bytes:
    """Return what was typed (place to value, nothing for what wasn't shown) as the body that the contract reads."""
    structured = _structured(document, channel_name, bound_of(document, request))
    tree: dict[str, Json] = {}
    for one in asked_of(document, channel_name):
        if one.place in typed:
            value = typed[one.place]
            found = _json(value, counts=one.counts) if one.place not in structured else _parsed(value)
            _put(tree, pointer_parts(one.place)[1:], found)
    return written(_listed(tree)).encode()


def _structured(document: Document, channel_name: str, bound: Bound) -> frozenset[str]:
    """Return the places whose argument went out as anything but text, so that its echo has to be the same of JSON."""
    channel = document.channels[channel_name]
    shows = [channel.shows.arguments, *[rule.correlation.arguments for _, rule in document.rules_of(channel_name)]]
    sent = {name for name, argument in bound.arguments.items() if not isinstance(argument.value, str | Gap)}
    return frozenset([place for each in shows for name, place in each.items() if name in sent])


def _parsed(value: Scalar) -> Json:
    """Return what was typed as the JSON that it is, or as text where it is none."""
    if not isinstance(value, str):
        return _json(value, counts=True)
    try:
        return parse(value)
    except StrictJsonError:
        return value


def _json(value: Scalar, *, counts: bool) -> Json:
    if isinstance(value, bool):
        return value
    text = str(value)
    is_number = counts or not isinstance(value, str)
    return NumberText(text) if is_number and _NUMBER.fullmatch(text) else text


def _put(tree: dict[str, Json], parts: tuple[str, ...], value: Json) -> None:
    first, *rest = parts
    if not rest:
        tree[first] = value
        return
    below = tree.setdefault(first, {})
    if isinstance(below, dict):
        _put(below, tuple(rest), value)


def _listed(node: Json) -> Json:
    """Return the tree with lists where every name is an index, in the order of the indices."""
    if not isinstance(node, dict):
        return node
    below = {name: _listed(child) for name, child in node.items()}
    if below and all(is_index(name) for name in below):
        return [below[name] for name in sorted(below, key=int)]
    return below

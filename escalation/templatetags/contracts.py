"""How the figures of a contract are placed. No rule is decided here."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from django import template

from escalation.screens.contracts import listing
from operations.contracts.loading import Refused

register = template.Library()


# What the schema says of a shape, as people say it; everything else is a sentence already.
_SHAPES: Final = {
    "missing": "is not answered yet",
    "too_short": "needs at least one",
    "string_too_short": "must not be empty",
    "extra_forbidden": "is nothing that a contract holds",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
}


@register.filter
def wrong(fault: Refused) -> str:
    """What is wrong at a place, in words."""
    return _SHAPES.get(fault.fault.rule, fault.fault.message)


@register.filter
def counts(told: Mapping[str, int]) -> str:
    """Counts with their words, none left out: "3 documented · 0 verified · 1 inferred"."""
    return " · ".join([f"{count} {word}" for word, count in told.items()])


@register.filter
def age(read_on: date, now: datetime) -> str:
    """How long ago a source was read."""
    return listing.age(read_on, now=now)


@register.filter
def old(read_on: date, now: datetime) -> bool:
    """Whether a source should be read again."""
    return listing.is_old(read_on, now=now)

"""How the figures of a contract are placed. No rule is decided here."""

from collections.abc import Mapping
from datetime import date, datetime

from django import template

from escalation.screens.contracts import listing

register = template.Library()


@register.filter
def counts(told: Mapping[str, int]) -> str:
    """Counts with their words, none left out: "3 documented, 0 verified, 1 inferred"."""
    return ", ".join([f"{count} {word}" for word, count in told.items()])


@register.filter
def age(read_on: date, now: datetime) -> str:
    """How long ago a source was read."""
    return listing.age(read_on, now=now)


@register.filter
def old(read_on: date, now: datetime) -> bool:
    """Whether a source should be read again."""
    return listing.is_old(read_on, now=now)

"""How values are placed: times, glyphs, the picture. No rule is decided here."""

import re
from datetime import UTC, datetime
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from escalation.screens import times
from escalation.screens.lane import Lane

register = template.Library()

# What would act on the text around it instead of being seen: controls, marks of direction, spaces of no width.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)


@register.filter
def seen(text: object) -> str:
    """Text in which every unseen character is written out (U+202E), so that nothing can look like something else."""
    return _UNSEEN.sub(lambda found: f"[U+{ord(found[0]):04X}]", str(text))


@register.simple_tag
def moment(at: datetime, now: datetime) -> SafeString:
    """A time with its day in UTC and its distance from now; the exact time and the reader's own are its title."""
    return format_html('{} <span class="rel">({})</span>', day_and_time(at, now), times.distance(at, now=now))


@register.simple_tag
def day_and_time(at: datetime, now: datetime) -> SafeString:
    """A time with its day in UTC."""
    written = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    shown = times.clock(at, now=now)
    return format_html('<time datetime="{}" title="{}">{}</time>', written, times.exact(at), shown)


@register.simple_tag
def exactly(at: datetime) -> SafeString:
    """A time to the second in UTC; the browser adds the reader's own beside it."""
    written = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return format_html('<time datetime="{}" data-here>{}</time>', written, times.exact(at))


@register.simple_tag
def distance(at: datetime, now: datetime) -> str:
    """How far a time is from now: "in 41 min", "3 min ago"."""
    return times.distance(at, now=now)


@register.simple_tag
def glyph(name: str, size: int = 16) -> SafeString:
    """One symbol of the sprite; the word beside it says the same."""
    return format_html(
        '<svg class="glyph" width="{}" height="{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        size,
        size,
        static("icons.svg"),
        name,
    )


@register.inclusion_tag("operation/_swim_lane.html")
def swim_lane(lane: Lane, recipient: str) -> dict[str, Any]:
    """The picture of one operation."""
    return {"lane": lane, "recipient": recipient}

"""The menu of the queue, and the address in which what was narrowed to is kept."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from escalation.queue import (
    MOST_COUNTED,
    NO_FACT,
    NO_TEAM,
    OWNERS,
    SITUATIONS,
    Facets,
    Filters,
    Group,
)
from escalation.screens.rows import IN_SHORT, OWNER, REASON, SITUATION, fact_in_short
from operations.core.missing import Fact

LONGEST: Final = 200
NUL: Final = "\0"  # which PostgreSQL's text can't hold
# What is missing, in the words of the rows.
MISSING: Final = {fact.value: fact_in_short(fact).capitalize() for fact in Fact} | {
    NO_FACT: "Nothing that can be named"
}
_TEAM: Final = re.compile(r"[1-9][0-9]{0,17}")
_GROUPS: Final = {group.name.lower(): group for group in Group}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to narrow to: in words, how many rows that leaves, where, and whether it is chosen."""

    word: str
    count: int
    more: bool
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """One question that the queue can be narrowed by; `any` is the address without it, `narrowed` says whether it is used."""

    question: str
    any: str
    narrowed: bool
    entries: tuple[Entry, ...]


def filters_of(query: Mapping[str, str]) -> Filters:
    """Return what an address narrows to; a word that is none narrows to nothing."""
    return Filters(
        recipient=_typed(query.get("recipient", "")),
        text=_typed(query.get("text", "")),
        situation=_among(query.get("situation", ""), SITUATIONS),
        missing=_among(query.get("missing", ""), MISSING),
        owner=_among(query.get("owner", ""), OWNERS),
        reason=_among(query.get("reason", ""), REASON),
        team=_team(query.get("team", "")),
        group=_GROUPS.get(query.get("group", "")),
    )


def _typed(text: str) -> str:
    return text.replace(NUL, "").strip()[:LONGEST]


def _among(word: str, words: Iterable[str]) -> str:
    return word if word in words else ""


def _team(word: str) -> str:
    return word if word == NO_TEAM or _TEAM.fullmatch(word) else ""


def address(filters: Filters, **more: str) -> str:
    """Return the query string of the queue narrowed so."""
    parts = {
        "group": "" if filters.group is None else filters.group.name.lower(),
        "recipient": filters.recipient,
        "situation": filters.situation,
        "missing": filters.missing,
        "owner": filters.owner,
        "reason": filters.reason,
        "team": filters.team,
        "text": filters.text,
        **more,
    }
    written = urlencode({name: value for name, value in parts.items() if value})
    return f"?{written}" if written else "?"


def menu(filters: Filters, found: Facets) -> tuple[Facet, ...]:
    """Return the menu with its counts, each under all filters but its own."""

    def facet(heading: str, name: str, entries: Iterable[tuple[str, str, int]], chosen: Any) -> Facet:
        rows = [
            Entry(word, min(count, MOST_COUNTED), count > MOST_COUNTED, _with(filters, name, key), key == chosen)
            for key, word, count in entries
        ]
        return Facet(heading, _with(filters, name, None), bool(chosen), tuple(rows))

    owners = [(one.key, OWNER[one.key], one.rows) for one in found.owners]
    facts = [(one.key, MISSING[one.key], one.rows) for one in found.missing]
    reasons = [(one.key, REASON[one.key], one.rows) for one in found.reasons]
    teams = [(one.key, one.name or "None of them", one.rows) for one in found.teams]
    recipients = [(one.key, one.name, one.rows) for one in found.recipients]
    groups = [(key, IN_SHORT[group], found.groups[group]) for key, group in _GROUPS.items()]
    chosen = "" if filters.group is None else filters.group.name.lower()
    return (
        facet(
            "Did it happen?",
            "situation",
            [(one.key, SITUATION[one.key], one.rows) for one in found.situations],
            filters.situation,
        ),
        facet("When", "group", groups, chosen),
        facet("Who looks after it", "owner", owners, filters.owner),
        facet("Why somebody is needed", "reason", reasons, filters.reason),
        facet("Team", "team", teams, filters.team),
        facet("Recipient", "recipient", recipients, filters.recipient),
        facet("What is missing", "missing", facts, filters.missing),
    )


def _with(filters: Filters, name: str, key: str | None) -> str:
    value: Any = (None if name == "group" else "") if key is None else (_GROUPS[key] if name == "group" else key)
    return address(replace(filters, **{name: value}))

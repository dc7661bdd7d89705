"""Recipients with the contract that is in force: how much of what may come is read, on what, and how old that is."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from operations import versions
from operations.contracts.checking import findings
from operations.contracts.loading import document_of, draft_reasons
from operations.contracts.promises import Basis
from operations.contracts.rule import ExampleEvidence
from operations.contracts.specimen import examples

if TYPE_CHECKING:
    from operations import models

# A contract is read and looked through once in each process; a page of unknown ones has to come in time.
PAGE: Final = 25
# What a source says may have changed by then; a hint to read it again, nothing else.
OLD: Final = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What a contract rests on: findings are what it leaves open, sources and examples are counted by their evidence."""

    title: str
    effect: str
    channels: int
    rules: int
    findings: tuple[str, ...]
    sources: Mapping[str, int]
    examples: Mapping[str, int]
    oldest: date
    newest: date
    invented: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One recipient in the list; `quality` is None where no contract is in force."""

    recipient: "models.Recipient"
    in_force: "models.Contract | None"
    draft: "models.Contract | None"
    versions: int
    quality: Quality | None


@lru_cache(maxsize=512)
def quality(text: str) -> Quality:
    """Return what a checked contract rests on; raises ContractRefused."""
    document = document_of(text)
    read_on = [source.read_on for source in document.sources.values()]
    by_basis = Counter([source.evidence for source in document.sources.values()])
    by_origin = Counter([example.evidence for _, _, example, _ in examples(document)])
    return Quality(
        title=document.title,
        effect=document.effect.sentence,
        channels=len(document.channels),
        rules=len(document.readings),
        findings=findings(document),
        sources={basis.value: by_basis[basis] for basis in Basis},
        examples={origin.value: by_origin[origin] for origin in ExampleEvidence},
        oldest=min(read_on),
        newest=max(read_on),
        invented=draft_reasons(document),
    )


def age(read_on: date, *, now: datetime) -> str:
    """Return how long ago a source was read, in days, months or years."""
    days = (now.date() - read_on).days
    if days < 1:
        return "today"
    if days < 60:
        return f"{days} day{'s' if days > 1 else ''} ago"
    return f"{days // 30} months ago" if days < 2 * OLD else f"{days // OLD} years ago"


def is_old(read_on: date, *, now: datetime) -> bool:
    """Whether a source was read so long ago that it should be read again."""
    return (now.date() - read_on).days > OLD


def _in_force(row: "models.Recipient") -> "models.Contract | None":
    return next((one for one in row.contracts.all() if one.published_at is not None), None)


def _draft(row: "models.Recipient") -> "models.Contract | None":
    return next((one for one in row.contracts.all() if one.published_at is None), None)


def listed(*, after: str, among: Collection[int] | None) -> tuple[tuple[Listed, ...], str | None]:
    """Return one page of these recipients (row ids; None: all) by key, and where the next page begins after."""
    rows = versions.recipients(after=after, limit=PAGE + 1, among=among)
    held = {row.pk: _in_force(row) for row in rows[:PAGE]}
    texts = versions.documents([one.id for one in held.values() if one is not None])
    found = [
        Listed(
            recipient=row,
            in_force=(one := held[row.pk]),
            draft=_draft(row),
            versions=sum(version.published_at is not None for version in row.contracts.all()),
            quality=None if one is None else quality(texts[one.id]),
        )
        for row in rows[:PAGE]
    ]
    return tuple(found), found[-1].recipient.key if len(rows) > PAGE else None

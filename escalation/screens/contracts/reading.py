"""One contract version as its page shows it: clauses by section, channels, rules with their examples, sources by age."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby

from escalation.screens.contracts.listing import age, is_old
from escalation.screens.contracts.words import (
    CHANNELS,
    READINGS,
    SOURCES,
    Clause,
    clauses,
    says_in_words,
    tied_in_words,
    when_in_words,
)
from operations.contracts.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShown:
    """One source: what it says, where, in whose words, when it was read and how it is known."""

    slug: str
    claim: str
    quote: str | None
    address: str
    evidence: str
    read_on: date
    age: str
    old: bool

    @property
    def link(self) -> str | None:
        """The address, where it is one that a browser can open."""
        return self.address if self.address.startswith("https://") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleShown:
    """One rule: of which channel, when it speaks, what it says, by what the answer is ours, and what shows it."""

    name: str
    channel: str
    when: str
    says: str
    tied: str
    because: str
    source: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContractShown:
    """A contract's page."""

    sections: Mapping[str, tuple[Clause, ...]]
    channels: tuple[Clause, ...]
    rules: tuple[RuleShown, ...]
    sources: tuple[SourceShown, ...]


def _rules(document: Document) -> tuple[RuleShown, ...]:
    return tuple(
        [
            RuleShown(
                name=rule.rule.replace("_", " "),
                channel=rule.channel,
                when=when_in_words(rule.when),
                says=says_in_words(rule),
                tied=tied_in_words(rule),
                because=rule.because,
                source=rule.source,
                examples=tuple([f"{example.name} ({example.evidence})" for example in rule.examples]),
            )
            for rule in document.readings
        ]
    )


def _sources(document: Document, *, now: datetime) -> tuple[SourceShown, ...]:
    return tuple(
        [
            SourceShown(
                slug=slug,
                claim=source.claim,
                quote=source.quote,
                address=source.address,
                evidence=source.evidence,
                read_on=source.read_on,
                age=age(source.read_on, now=now),
                old=is_old(source.read_on, now=now),
            )
            for slug, source in document.sources.items()
        ]
    )


def contract_shown(document: Document, *, now: datetime) -> ContractShown:
    """Return a contract as its page shows it."""
    told = groupby(clauses(document), key=lambda clause: clause.section)
    sections = {section: tuple(found) for section, found in told}
    channels = sections.pop(CHANNELS)
    del sections[READINGS], sections[SOURCES]
    return ContractShown(sections, channels, _rules(document), _sources(document, now=now))

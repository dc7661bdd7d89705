"""What this contract could learn of what the desk says: never more than one of its own rules claims.

The desk's answers are read by the desk's own contract, because only that knows how the desk speaks. The claim is then
carried over to a channel of the rehearsed contract that has a rule for it, with the tie that this rule asks for; where
no rule claims it, nothing is learnt. From there on the core knows the rehearsed contract alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Final

from operations.contracts.answer import Answer
from operations.contracts.channel import Channel, Kind
from operations.contracts.correlation import may_say
from operations.contracts.document import Document
from operations.contracts.interpret import interpret
from operations.contracts.loading import document_of, library_text
from operations.contracts.rule import By
from operations.contracts.terms import terms
from operations.core.facts import Claim, Contract, Correlation, Observation
from operations.core.representation import Representation

# The desk's channels that a rehearsal uses, and which kinds of channel play the same part elsewhere, the nearest first.
REPLY, RECORD, WIRE = "reply", "record", "wire"
_KINDS: Final = {
    REPLY: (Kind.REPLY,),
    RECORD: (Kind.LOOKUP, Kind.WEBHOOK, Kind.RECEIPTS_FILE, Kind.INSPECTION),
    WIRE: (Kind.CLIENT,),
}
# Who is told that it is under way is told at least that it was admitted.
_AT_LEAST: Final = {Claim.PENDING: (Claim.PENDING, Claim.ACCEPTED)}
_CONNECTION: Final = frozenset({By.CONNECTION, By.CONNECTION_AND_ARGUMENTS})
_WEAKEST_FIRST: Final = (Correlation.WEAK, Correlation.ARGUMENTS, Correlation.OPERATION)
_MOST_BY: Final = {By.ARGUMENTS: Correlation.ARGUMENTS, By.NOTHING: Correlation.WEAK}


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Where the rehearsed contract would learn a claim: its channel, the claim as it makes it, what ties it."""

    channel: str
    says: Claim
    by: By
    covers_copies: bool


def _askable(document: Document, channel: Channel) -> bool:
    """Say whether a lost reply leaves enough to ask by: a recipient's own reference would have come with it."""
    return channel.asks is None or document.asks_by(channel.asks) != "reference"


def _candidates(document: Document, heard: str, says: Claim) -> Iterator[Route]:
    for kind in _KINDS[heard]:
        for name, channel in document.channels.items():
            if channel.kind is not kind or not _askable(document, channel) or not may_say(channel, says):
                continue
            rules = [rule for _, rule in document.rules_of(name) if rule.says is says]
            for rule in rules:
                covers = any(one.covers_copies for one in rules)
                yield Route(channel=name, says=says, by=rule.correlation.by, covers_copies=covers)


def _strength(by: By) -> int:
    return _WEAKEST_FIRST.index(_MOST_BY.get(by, Correlation.OPERATION))


def route(document: Document, *, heard: str, says: Claim) -> Route | None:
    """Return where this contract would learn what the desk says through `heard`, best tied first; None: nowhere."""
    for claim in _AT_LEAST.get(says, (says,)):
        found = list(_candidates(document, heard, claim))
        if found:
            return max(found, key=lambda one: _strength(one.by))
    return None


def _tied(by: By, found: Correlation) -> Correlation:
    if found is Correlation.MISMATCH:
        return found
    if by in _CONNECTION:
        return Correlation.OPERATION  # it came on the attempt's own connection, whatever it repeats
    most = _MOST_BY.get(by, Correlation.OPERATION)
    return min(found, most, key=_WEAKEST_FIRST.index)


@cache
def desk_document() -> Document:
    """Return the contract of the collection desk, by which its answers are read."""
    return document_of(library_text("collection-desk"))


@dataclass(frozen=True)
class Hearing:
    """The rehearsed contract's ears: its terms for the core, and what it makes of the desk's answers."""

    document: Document
    _routes: dict[tuple[str, Claim], Route | None] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def terms(self) -> Contract:
        """What the contract promises."""
        return terms(self.document)

    def scope_of(self, account: str) -> str:
        """Return the scope in which an account's numbers are kept; one for all where the contract names no scope."""
        return f"desk/{account}" if self.document.identity.scope else ""

    def observations(self, answer: Answer, *, request: Representation) -> tuple[Observation, ...]:
        """Return what this contract learns from an answer of the desk."""
        read = interpret(desk_document(), request=request, answer=answer)
        return tuple([self._carried(one) for one in read.observations(answer)])

    def _carried(self, seen: Observation) -> Observation:
        place = (seen.channel, Claim(seen.says))
        if place not in self._routes:
            self._routes[place] = route(self.document, heard=seen.channel, says=place[1])
        found = self._routes[place]
        if found is None:
            return replace(seen, says=Claim.INDETERMINATE, effect_ref=None, covers_copies=False)
        return replace(
            seen,
            channel=found.channel,
            says=found.says,
            correlation=_tied(found.by, seen.correlation),
            covers_copies=seen.covers_copies and found.covers_copies,
        )

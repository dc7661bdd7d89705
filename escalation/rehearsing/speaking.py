"""What the desk says, in the words of this contract's recipient: in the shape of one of its own examples.

An example is an answer that a rule of the contract must read as its claim. The desk's claim picks one, the best tied that
reads so when nothing of an earlier answer is known; what it says is then read by the contract's own rules, as every
answer is. A status or a fact of the wire that settles nothing is said as it is, without a body: a rule that makes more
of it than that is found out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from operations.contracts import specimen
from operations.contracts.answer import Answer
from operations.contracts.channel import Channel, Kind
from operations.contracts.correlation import may_say
from operations.contracts.document import Document
from operations.contracts.interpret import NO_RULE, Reading, interpret
from operations.contracts.rule import Rule
from operations.core.facts import Claim, Correlation
from operations.core.representation import Representation

# The desk's channels that a rehearsal uses, and which kinds of channel play the same part elsewhere, the nearest first.
REPLY, RECORD, WIRE = "reply", "record", "wire"
KINDS: Final = {
    REPLY: (Kind.REPLY,),
    RECORD: (Kind.LOOKUP, Kind.WEBHOOK, Kind.RECEIPTS_FILE, Kind.INSPECTION),
    WIRE: (Kind.CLIENT,),
}
# Who is told that it is under way is told at least that it was admitted.
_AT_LEAST: Final = {Claim.PENDING: (Claim.PENDING, Claim.ACCEPTED)}
_WEAKEST_FIRST: Final = (Correlation.MISMATCH, Correlation.WEAK, Correlation.ARGUMENTS, Correlation.OPERATION)


@dataclass(frozen=True, slots=True)
class Shape:
    """An answer in the recipient's words, and the claim that a rule of the contract makes of it."""

    answer: Answer
    rule: Rule
    says: Claim


@dataclass(frozen=True)
class Voice:
    """The recipient of one contract, as its examples let it speak about the contract's specimen."""

    document: Document

    @cached_property
    def _request(self) -> Representation:
        return specimen.representation(self.document)

    def read(self, answer: Answer) -> Reading:
        """Return what the contract's rules make of an answer about its specimen, nothing being known before."""
        return interpret(self.document, request=self._request, answer=answer)

    def shape(self, heard: str, says: Claim, *, covers_copies: bool = False, status: int | None = None) -> Shape | None:
        """Return how the recipient says what the desk said through `heard`; None: it has no words for it.

        Of several the best tied, then the one that covers as much, then one with the status that the desk gave.
        """
        for claim in _AT_LEAST.get(says, (says,)):
            found = list(self._shapes(heard, claim))
            if found:
                return max(found, key=lambda one: self._rank(one, covers_copies=covers_copies, status=status))
        return None

    def _rank(self, one: Shape, *, covers_copies: bool, status: int | None) -> tuple[int, bool, bool]:
        tied = _WEAKEST_FIRST.index(self.read(one.answer).correlation)
        return tied, one.rule.covers_copies is covers_copies, status is not None and status == one.answer.status

    def _shapes(self, heard: str, says: Claim) -> Iterator[Shape]:
        for name, _ in self._channels(heard, says):
            for _, rule in self.document.rules_of(name):
                for example in rule.examples if rule.says is says else ():
                    answer = replace(specimen.answer(self.document, name, example), reference=None)
                    if self.read(answer).rule == rule.rule:
                        yield Shape(answer, rule, says)

    def _channels(self, heard: str, says: Claim | None = None) -> Iterator[tuple[str, Channel]]:
        for kind in KINDS[heard]:
            for name, channel in self.document.channels.items():
                if channel.kind is kind and self._is_askable(channel) and (says is None or may_say(channel, says)):
                    yield name, channel

    def _is_askable(self, channel: Channel) -> bool:
        """Say whether a lost reply leaves enough to ask by: a recipient's own reference would have come with it."""
        return channel.asks is None or self.document.asks_by(channel.asks) != "reference"

    def plainly(self, came: Answer, *, heard: str) -> Answer | None:
        """Return a status or a fact of the wire as this recipient would give it, without a body; None: nowhere."""
        name = next((name for name, _ in self._channels(heard)), None)
        return None if name is None else replace(came, channel=name, headers=(), body=None, reference=None)


def is_unread(read: Reading) -> bool:
    """Say whether no rule reads an answer."""
    return read.rule == NO_RULE

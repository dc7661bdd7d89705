"""What this contract learns of what the desk says: what its own rules read, and never more.

The desk's answers are read by the desk's own contract, because only that knows how the desk speaks. The claim is then
said again in the words of the rehearsed contract's recipient (`speaking.py`) and read by the rehearsed contract's rules;
what it has no words for, or no rule reads, teaches nothing. From there on the core knows the rehearsed contract alone.
"""

from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from escalation.rehearsing.speaking import RECORD, REPLY, WIRE, Shape, Voice, is_unread
from operations.contracts.answer import Answer
from operations.contracts.document import Document
from operations.contracts.interpret import Reading, interpret
from operations.contracts.loading import document_of, library_text
from operations.contracts.terms import terms
from operations.core.facts import Claim, Contract, Correlation, Observation
from operations.core.representation import Representation

__all__ = ["RECORD", "REPLY", "WIRE", "Hearing", "desk_document"]


@cache
def desk_document() -> Document:
    """Return the contract of the collection desk, by which its answers are read."""
    return document_of(library_text("collection-desk"))


@dataclass(frozen=True)
class Hearing:
    """The rehearsed contract's ears: its terms for the core, and what it makes of the desk's answers.

    `read_by` are the rules that read one so far, `unread` the answers that none did, in words.
    """

    document: Document
    read_by: dict[str, None] = field(default_factory=dict, compare=False, repr=False)
    unread: dict[str, None] = field(default_factory=dict, compare=False, repr=False)
    _shapes: dict[tuple[str, Claim, bool, int | None], Shape | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def terms(self) -> Contract:
        """What the contract promises."""
        return terms(self.document)

    @cached_property
    def _voice(self) -> Voice:
        return Voice(self.document)

    def scope_of(self, account: str) -> str:
        """Return the scope in which an account's numbers are kept; one for all where the contract names no scope."""
        return f"desk/{account}" if self.document.identity.scope else ""

    def observations(self, answer: Answer, *, request: Representation) -> tuple[Observation, ...]:
        """Return what this contract learns from an answer of the desk."""
        read = interpret(desk_document(), request=request, answer=answer)
        return tuple([self._learnt(one, answer) for one in read.observations(answer)])

    def shape(self, heard: str, says: Claim, *, covers_copies: bool = False, status: int | None = None) -> Shape | None:
        """Return how this contract's recipient says what the desk said; None where it has no words for it."""
        place = (heard, says, covers_copies, status)
        if place not in self._shapes:
            self._shapes[place] = self._voice.shape(heard, says, covers_copies=covers_copies, status=status)
        return self._shapes[place]

    def _learnt(self, seen: Observation, came: Answer) -> Observation:
        says = Claim(seen.says)
        if seen.channel == WIRE or says is Claim.INDETERMINATE:
            return self._plainly(seen, came)
        found = self.shape(seen.channel, says, covers_copies=seen.covers_copies, status=came.status)
        if found is None:
            return _nothing(seen)
        said = replace(found.answer, received_at=came.received_at, asked_at=came.asked_at, attempt=came.attempt)
        read = self._voice.read(said)
        if read.rule != found.rule.rule:
            self.unread[f"what {found.rule.rule} reads, said as in its example"] = None
            return _nothing(seen)
        self.read_by[read.rule] = None
        return replace(
            seen,
            channel=said.channel,
            says=read.says,
            as_of=seen.as_of if found.rule.as_of is not None else read.as_of,
            attempt=seen.attempt if read.attempt is not None else None,
            correlation=_tied(seen, read),
            effect_ref=seen.effect_ref if read.effect_refs else None,
            covers_copies=seen.covers_copies and read.covers_copies,
        )

    def _plainly(self, seen: Observation, came: Answer) -> Observation:
        """What settles nothing here is read as this contract reads it, however much it makes of it."""
        said = self._voice.plainly(came, heard=seen.channel)
        if said is None:
            return _nothing(seen)
        read = self._voice.read(said)
        if is_unread(read):
            self.unread[f"{said.channel}: {said.fact or f'status {said.status}, no body'}"] = None
            return _nothing(seen)
        self.read_by[read.rule] = None
        (learnt,) = read.observations(said)[:1]
        return learnt


def _tied(seen: Observation, read: Reading) -> Correlation:
    return Correlation.MISMATCH if seen.correlation is Correlation.MISMATCH else read.correlation


def _nothing(seen: Observation) -> Observation:
    return replace(seen, says=Claim.INDETERMINATE, effect_ref=None, covers_copies=False)

"""A raw answer becomes one reading by the first rule that holds, or an indeterminate one that says why none did.

Nothing is guessed: what no rule reads, what can't be dated and what can't be read settles nothing. The same answer and
the same contract give the same reading, whenever it is read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from operations.contracts import answer as came
from operations.contracts.answer import Answer
from operations.contracts.asked import bound_in
from operations.contracts.asked import papers_of as request_papers
from operations.contracts.channel import ANSWERED, Channel
from operations.contracts.correlation import Asked, Line, correlate
from operations.contracts.dates import UndatedAnswer
from operations.contracts.dating import as_of, attempt_of, until
from operations.contracts.document import Document
from operations.contracts.http_semantics import says_nothing
from operations.contracts.matching import Unmet, unmet
from operations.contracts.places import Papers, as_text, at
from operations.contracts.rule import Boundary, Rule, may_read
from operations.core.facts import Claim, Correlation, Observation, Seconds
from operations.core.representation import Representation

LONGEST_REFERENCE: Final = 255
# What a row can hold and be found by; half a character or a NUL is no part of any name.
NAME: Final = re.compile(rf"[^\x00\ud800-\udfff]{{1,{LONGEST_REFERENCE}}}")
_ATTEMPT: Final = re.compile(r"[^\x00\ud800-\udfff]{1,128}")
NO_RULE: Final = "no_rule"
NO_ATTEMPTS: Final[Mapping[str, Seconds]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A rule that did not hold, and what was missing."""

    rule: str
    unmet: tuple[Unmet, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one contract makes of one answer: the claim, its date, its correlation.

    `rule` is NO_RULE and `says` indeterminate where no rule holds; `tried` then says why, rule by rule. `lines` is the
    comparison for a reviewer. `effect_refs` are all the effects that the answer names: more than one is a duplicate.
    """

    rule: str
    says: Claim
    because: str
    reaches: Boundary
    correlation: Correlation
    lines: tuple[Line, ...]
    as_of: Seconds
    authentic: bool
    attempt: str | None = None
    effect_refs: tuple[str, ...] = ()
    covers_copies: bool = False
    until: Seconds | None = None
    tried: tuple[Tried, ...] = ()

    def observations(self, answer: Answer) -> tuple[Observation, ...]:
        """Return the core's observations: one, or one for each effect that the answer names."""
        return tuple(
            [
                Observation(
                    at=answer.received_at,
                    channel=answer.channel,
                    says=self.says,
                    attempt=self.attempt,
                    as_of=self.as_of,
                    authentic=self.authentic,
                    correlation=self.correlation,
                    effect_ref=reference,
                    covers_copies=self.covers_copies,
                    until=self.until,
                )
                for reference in self.effect_refs or (None,)
            ]
        )


def interpret(
    document: Document,
    *,
    request: Representation,
    answer: Answer,
    references: frozenset[str] = frozenset(),
    sent: Mapping[str, Seconds] = NO_ATTEMPTS,
) -> Reading:
    """Return what the contract makes of an answer to this stored request.

    `references` are the recipient's own references that counting answers have already tied to the operation. `sent`
    dates the attempts on record, by their ids, for dates that are written to the second only (dating.py).
    """
    channel = document.channels.get(answer.channel)
    if channel is None:
        return _unread(answer, f"The contract lists no channel {answer.channel}.")
    papers = request_papers(document, request)
    bound = bound_in(document, papers)
    views = came.views(answer, channel=channel, bound=bound)
    tried: list[Tried] = []
    for rule in _readers(document, answer, channel):
        failed = unmet(rule.when, views[0], bound=bound)
        if not failed:
            asked = Asked(
                document=document,
                channel=channel,
                rule=rule,
                answer=answer,
                bound=bound,
                carried=_carries(document, channel, papers),
                marked=_is_marked(document, papers),
                references=references,
            )
            return _read(asked, views, tuple(tried), sent)
        tried.append(Tried(rule=rule.rule, unmet=failed))
    return _unread(answer, _no_rule(document, answer), tried=tuple(tried))


def _readers(document: Document, answer: Answer, channel: Channel) -> Iterator[Rule]:
    """Return the rules that may read this answer, in order; a redirection only those that settle nothing."""
    status = answer.status if channel.kind in ANSWERED else None
    return (rule for _, rule in document.rules_of(answer.channel) if may_read(rule, status=status))


def _carries(document: Document, channel: Channel, papers: Papers) -> bool:
    """Say whether the stored request carries all that this channel asks by, the identity as the operation's own."""
    asks = document.question_of(channel)
    if asks is None:
        return False
    carriers = [carried.at for carried in (document.identity.carrier, document.identity.marker) if carried is not None]
    for place in asks.carried_by.values():
        text = as_text(at(papers, place))
        if not text or (place in carriers and text != papers["identity"]):
            return False
    return True


def _is_marked(document: Document, papers: Papers) -> bool:
    """Say whether the request carries its identity as its marker, or, where the contract names none, as its carrier."""
    mark = document.identity.marker or document.identity.carrier
    return mark is not None and as_text(at(papers, mark.at)) == papers["identity"]


def _no_rule(document: Document, answer: Answer) -> str:
    what = f"status {answer.status}" if answer.status is not None else answer.fact or "a message"
    unread = f"No rule of {document.contract} reads this answer ({answer.channel}, {what})."
    return f"{says_nothing(answer.status)} {unread}".strip()


def _unread(answer: Answer, because: str, *, tried: tuple[Tried, ...] = ()) -> Reading:
    return Reading(
        rule=NO_RULE,
        says=Claim.INDETERMINATE,
        because=because[:500],
        reaches=Boundary.TRANSPORT,
        correlation=Correlation.WEAK,
        lines=(),
        as_of=answer.received_at,
        authentic=answer.authentic,
        tried=tried,
    )


def _read(asked: Asked, views: tuple[Papers, ...], tried: tuple[Tried, ...], sent: Mapping[str, Seconds]) -> Reading:
    rule, answer = asked.rule, asked.answer
    correlation, lines = correlate(asked, views=views)
    try:
        dated = as_of(asked, views[0], sent=sent)
        ends = None if rule.until is None else until(rule.until, views[0])
    except UndatedAnswer as undated:
        return _undated(asked, str(undated), tried)
    attempt = attempt_of(asked, views[0])
    if attempt is not None and not _ATTEMPT.fullmatch(attempt):
        return _strange(asked, tried)
    return Reading(
        rule=rule.rule,
        says=rule.says,
        because=_because(asked),
        reaches=rule.reaches,
        correlation=correlation,
        lines=lines,
        as_of=dated,
        authentic=answer.authentic,
        attempt=attempt,
        effect_refs=tuple(dict.fromkeys(_effect_refs(rule, views))),
        covers_copies=rule.covers_copies,
        until=ends,
        tried=tried,
    )


def _because(asked: Asked) -> str:
    """Return why it is read so: what HTTP itself says of its status first, then the rule's own words."""
    nothing = says_nothing(asked.answer.status) if asked.rule.says is Claim.INDETERMINATE else ""
    return f"{nothing} {asked.rule.because}".strip()[:500]


def _undated(asked: Asked, why: str, tried: tuple[Tried, ...]) -> Reading:
    because = f"Rule {asked.rule.rule} would read it as {asked.rule.says}, but it has no date. {why}"
    return _unread(asked.answer, because, tried=tried)


def _strange(asked: Asked, tried: tuple[Tried, ...]) -> Reading:
    """Without its attempt the claim would be about all of them, which nobody said."""
    because = f"Rule {asked.rule.rule} would read it as {asked.rule.says}, but no attempt on record can be called as it names."
    return _unread(asked.answer, because, tried=tried)


def _effect_refs(rule: Rule, views: tuple[Papers, ...]) -> Iterator[str]:
    if rule.effect_ref is None:
        return
    for papers in views:
        text = as_text(at(papers, rule.effect_ref.at))
        if text is not None and rule.effect_ref.after is not None:
            text = text.rpartition(rule.effect_ref.after)[2] if rule.effect_ref.after in text else None
        if text is not None and NAME.fullmatch(text):
            yield text

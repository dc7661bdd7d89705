"""A statement is dated by the recipient's own date, by that of the first of a kept answer, or by its question.

semantics.md, Claims: `as_of`. A message whose signature covers its body alone carries the date that the body gives it,
unless its rule names a better one: when it came, whoever held it back decides. A date of limited precision is placed within what was written (dates.py) where all of
this holds:

- the statement speaks of an attempt, so that a date before the attempt would make a stranger of it (semantics.md, What can
  still act): `applied`, `accepted`, `pending`, `attempt_refused`. `closed` is one of them only where closure covers the
  identity for good, for then its date decides nothing but its order against a `pending`;
- it can have been made after the attempt: it came on the attempt's own connection, it answers a question that was asked
  after the attempt was sent, or it was brought to us after that.

The attempt is the one on whose connection it came, or which it names; else the earliest on record. `absent` keeps the
start of its interval, so that it never covers an attempt which went out later in the same second; so does a `closed` that
covers earlier attempts only, and what is said of the retained identity.
"""

from collections.abc import Mapping
from typing import Final

from operations.contracts.channel import ASKED, Dated, Kind
from operations.contracts.correlation import Asked
from operations.contracts.dates import Stated, UndatedAnswer, placed, stated
from operations.contracts.http_semantics import asked_less_age
from operations.contracts.matching import unmet
from operations.contracts.places import Papers, as_text, at, shown
from operations.core.facts import Claim, ClosureCovers, Seconds

# A kept answer speaks of the past. Dated too late, it would make a pending fresh or contradict what came since, and let a
# closure cover attempts that came after it; these it does no harm.
_MAY_BE_DATED_LATE: Final = frozenset({Claim.APPLIED, Claim.ATTEMPT_REFUSED, Claim.INDETERMINATE})
_SPEAKS_OF_AN_ATTEMPT: Final = frozenset({Claim.APPLIED, Claim.ACCEPTED, Claim.PENDING, Claim.ATTEMPT_REFUSED})


def as_of(asked: Asked, papers: Papers, *, sent: Mapping[str, Seconds]) -> Seconds:
    """Return the date of a statement, never later than it came; raises UndatedAnswer.

    `sent` dates the attempts on record (seconds).
    """
    return placed(_stated(asked, papers), sent_at=_spoken_of(asked, papers, sent), by=asked.answer.received_at)


def until(dated: Dated, papers: Papers) -> Seconds:
    """Return the end that an answer states, the earliest that it can mean; raises UndatedAnswer."""
    return _written(dated, papers).at


def attempt_of(asked: Asked, papers: Papers) -> str | None:
    """Return the attempt that the answer speaks of: the one it names, or the one on whose connection it came."""
    if asked.rule.attempt is not None:
        return as_text(at(papers, asked.rule.attempt))
    return asked.answer.attempt if asked.channel.kind in (Kind.REPLY, Kind.CLIENT) else None


def _written(dated: Dated, papers: Papers) -> Stated:
    found = at(papers, dated.at)
    written = stated(found, form=dated.form)
    if written is None:
        raise UndatedAnswer(f"At {dated.at} stands {shown(found)}, which is no time written as {dated.form}.")
    return written


def _stated(asked: Asked, papers: Papers) -> Stated:
    rule, answer = asked.rule, asked.answer
    dated = rule.as_of or (asked.channel.verification and asked.channel.verification.dated)
    if dated:
        return _written(dated, papers)
    headers = papers["headers"]
    lines = headers if isinstance(headers, dict) else {}
    if asked.channel.kind in ASKED:
        if answer.asked_at is None:
            raise UndatedAnswer("It is not on record when the question was asked.")
        return asked_less_age(_first_asked(asked, papers, asked_at=answer.asked_at), headers=lines)
    if _is_replayed(asked, papers):
        if answer.first_seen_at is not None:
            return Stated(answer.first_seen_at)
        if rule.says not in _MAY_BE_DATED_LATE:
            raise UndatedAnswer("It was kept and is given again, and when it was given first is not on record.")
    return asked_less_age(answer.received_at, headers={name: lines[name] for name in lines if name == "age"})


def _first_asked(asked: Asked, papers: Papers, *, asked_at: Seconds) -> Seconds:
    """Return when a question was asked, or when its answer came first where a closing's answer was kept and came before.

    A closing's `asked_at` is its first attempt; one that another closing got is older still.
    """
    first = asked.answer.first_seen_at
    if first is None or asked.channel.kind is not Kind.CLOSING or not _is_replayed(asked, papers):
        return asked_at
    return min(asked_at, first)


def _is_replayed(asked: Asked, papers: Papers) -> bool:
    replayed = asked.channel.replayed
    return replayed is not None and not unmet(replayed, papers, bound=asked.bound)


def _spoken_of(asked: Asked, papers: Papers, sent: Mapping[str, Seconds]) -> Seconds | None:
    """Return when the attempt was sent that this statement can speak of, None where its date stays as it is."""
    if not (sent and _may_be_placed(asked)):
        return None
    kind, first = asked.channel.kind, min(sent.values())
    if kind is Kind.CLIENT or (kind is Kind.REPLY and asked.answer.attempt not in sent):
        return None
    named = attempt_of(asked, papers)
    at_ = first if named is None or _is_replayed(asked, papers) else sent.get(named)
    if kind in ASKED and at_ is not None and (asked.answer.asked_at is None or asked.answer.asked_at < at_):
        return None
    return at_


def _may_be_placed(asked: Asked) -> bool:
    if asked.rule.says is Claim.CLOSED:
        return asked.document.closure.covers.value is ClosureCovers.IDENTITY
    return asked.rule.says in _SPEAKS_OF_AN_ATTEMPT

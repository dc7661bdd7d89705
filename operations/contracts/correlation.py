"""Whose answer this is, is compared line by line; whatever is repeated and differs belongs to something else.

semantics.md, Claims: only an answer whose correlation is `operation` counts. The lines are those that a reviewer
reads before repairing a record (screens.md, Repair the record).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from operations.contracts.answer import Answer
from operations.contracts.bound import Bound
from operations.contracts.channel import ASKED, Channel, Kind
from operations.contracts.document import Document
from operations.contracts.places import MISSING, UNREADABLE, Found, Papers, as_text, at, shown
from operations.contracts.rule import Boundary, By, Rule
from operations.core.facts import Authority, Claim, Correlation
from operations.core.sifting import AUTHORITY

OPERATION: Final = "operation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the comparison: what was sent, what the answer says, and whether they agree (None: it doesn't say).

    `about` is `operation`, `argument`, `boundary` or `authority`; `name` is the argument's, or that of what is compared.
    """

    about: str
    name: str
    sent: str
    answered: str
    agrees: bool | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What ties an answer to a question: the contract, the channel, the rule that reads it, and what is known.

    `carried`: the stored request carries all that the channel asks by. `marked`: it carries the identity where
    the recipient lists it.
    """

    document: Document
    channel: Channel
    rule: Rule
    answer: Answer
    bound: Bound
    carried: bool
    marked: bool
    references: frozenset[str]


def correlate(asked: Asked, *, views: tuple[Papers, ...]) -> tuple[Correlation, tuple[Line, ...]]:
    """Return what ties the answer to the operation, and the comparison line by line."""
    tied = list(_identity_lines(asked, views))
    arguments = [_argument_line(asked, name, views) for name in asked.bound.arguments]
    lines = (*tied, *arguments, _boundary_line(asked.rule), _authority_line(asked))
    if any(line.agrees is False for line in (*tied, *arguments)):
        return Correlation.MISMATCH, lines
    return _TIES[asked.rule.correlation.by](asked, tied, arguments), lines


def _said(views: tuple[Papers, ...], place: str | None) -> Iterator[Found]:
    """Yield what stands at a place of each view and isn't nothing."""
    for papers in views if place is not None else ():
        found = at(papers, place or "")
        if found is not None and found is not MISSING:
            yield found


def _identity_lines(asked: Asked, views: tuple[Papers, ...]) -> Iterator[Line]:
    place = asked.rule.correlation.identity or asked.channel.shows.identity
    found = list(_said(views, place))
    other = next((one for one in found if as_text(one) != asked.bound.identity), None)
    if other is UNREADABLE:
        yield _line(
            asked, UNREADABLE, agrees=None, why="The answer can't be read where it would repeat the request number."
        )
    elif other is not None:
        yield _line(asked, other, agrees=False, why="The answer names another request number.")
    elif found:
        yield _line(asked, found[0], agrees=True, why="The answer repeats the request number.")
    else:
        yield _line(asked, MISSING, agrees=None, why=_unrepeated(asked))
    if asked.rule.correlation.reference is not None:
        yield _reference_line(asked, views)


def _line(asked: Asked, found: Found, *, agrees: bool | None, why: str) -> Line:
    return Line(
        about=OPERATION,
        name="request number",
        sent=asked.bound.identity,
        answered=shown(found),
        agrees=agrees,
        why=why,
    )


def _unrepeated(asked: Asked) -> str:
    if _question_names(asked):
        return "The answer doesn't repeat the request number; the question asked by it."
    if asked.rule.correlation.by is By.SELECTION and asked.marked:
        return "The list was looked through for the request number, and nothing in it bears it."
    if asked.channel.kind is Kind.REPLY and asked.answer.attempt is not None:
        return "The answer doesn't repeat the request number; it came on the attempt's own connection."
    return "The answer doesn't repeat the request number."


def _question_names(asked: Asked) -> bool:
    """Say whether the question named the operation: by its identity, or by a reference known to be its own."""
    asks = asked.document.question_of(asked.channel)
    if asked.channel.kind not in ASKED or asks is None:
        return False
    by = asked.document.asks_by(asks)
    if by == "identity":
        return asked.carried
    return by == "reference" and asked.answer.reference in asked.references


def _reference_line(asked: Asked, views: tuple[Papers, ...]) -> Line:
    found = list(_said(views, asked.rule.correlation.reference))
    known = bool(found) and all(as_text(one) in asked.references for one in found)
    return Line(
        about=OPERATION,
        name=asked.document.effect.reference,
        sent=", ".join(sorted(asked.references)) or "none known",
        answered=shown(found[0]) if found else shown(MISSING),
        agrees=True if known else None,
        why="This reference is known to be the operation's." if known else "This reference isn't known to be its own.",
    )


def _argument_line(asked: Asked, name: str, views: tuple[Papers, ...]) -> Line:
    argument = asked.bound.arguments[name]
    place = asked.rule.correlation.arguments.get(name) or asked.channel.shows.arguments.get(name)
    found = list(_said(views, place))
    other = next((one for one in found if not argument.is_echoed_by(one)), None)
    agrees: bool | None
    if argument.value is MISSING or argument.value is UNREADABLE:
        agrees, why = None, "The stored request doesn't carry it, so there is nothing to compare."
    elif not found or other is UNREADABLE:
        agrees, why = None, "The answer doesn't show it."
    elif other is not None:
        agrees, why = False, "The answer shows another value."
    else:
        agrees, why = True, "The answer repeats it."
    answered = shown(other if other is not None else found[0] if found else MISSING)
    return Line(about="argument", name=name, sent=shown(argument.value), answered=answered, agrees=agrees, why=why)


_REACHED: Final = {
    Boundary.TRANSPORT: "It could have been written by anything on the way.",
    Boundary.ACCEPTED: "It shows that the request was admitted, not what became of it.",
    Boundary.HANDLER_FINISHED: "It shows that the request was handled, not that the effect exists.",
    Boundary.PROTECTED_EFFECT: "It speaks of the effect itself.",
}


def _boundary_line(rule: Rule) -> Line:
    return Line(
        about="boundary",
        name="how far it reaches",
        sent="the protected effect",
        answered=rule.reaches.value,
        agrees=rule.reaches is Boundary.PROTECTED_EFFECT,
        why=_REACHED[rule.reaches],
    )


def may_say(channel: Channel, says: Claim) -> bool:
    """Say whether a channel of this authority can make the claim count (semantics.md, Claims)."""
    conclusive = channel.positive_is_conclusive is not None and channel.positive_is_conclusive.value
    return says in AUTHORITY[channel.authority] and (channel.authority is not Authority.DERIVED or conclusive)


def _authority_line(asked: Asked) -> Line:
    may = may_say(asked.channel, asked.rule.says)
    return Line(
        about="authority",
        name="who may say it",
        sent=asked.rule.says.value,
        answered=asked.channel.authority.value,
        agrees=may,
        why=f"This channel {'can' if may else 'cannot'} speak for that.",
    )


def _all_agree(lines: Iterable[Line]) -> bool:
    """Say whether every argument that was sent is repeated, and at least one was."""
    compared = [line for line in lines if line.sent not in (shown(MISSING), shown(UNREADABLE))]
    return bool(compared) and all(line.agrees for line in compared)


def _by_arguments(_asked: Asked, _tied: list[Line], arguments: list[Line]) -> Correlation:
    return Correlation.ARGUMENTS if _all_agree(arguments) else Correlation.WEAK


def _by_identity(asked: Asked, tied: list[Line], arguments: list[Line]) -> Correlation:
    return Correlation.OPERATION if tied[0].agrees else _by_arguments(asked, tied, arguments)


def _by_both(asked: Asked, tied: list[Line], arguments: list[Line]) -> Correlation:
    if tied[0].agrees and _all_agree(arguments):
        return Correlation.OPERATION
    return _by_arguments(asked, tied, arguments)


def _by_question(asked: Asked, _tied: list[Line], _arguments: list[Line]) -> Correlation:
    return Correlation.OPERATION if _question_names(asked) else Correlation.WEAK


def _by_question_and_arguments(asked: Asked, _tied: list[Line], arguments: list[Line]) -> Correlation:
    named = asked.document.asked_with(asked.channel) if asked.carried else frozenset()
    if not _all_agree([line for line in arguments if line.name not in named or line.agrees is not None]):
        return Correlation.WEAK
    return Correlation.OPERATION if _question_names(asked) else Correlation.ARGUMENTS


def _by_selection(asked: Asked, _tied: list[Line], _arguments: list[Line]) -> Correlation:
    return Correlation.OPERATION if asked.marked else Correlation.WEAK


def _by_reference(asked: Asked, tied: list[Line], arguments: list[Line]) -> Correlation:
    return Correlation.OPERATION if tied[-1].agrees and len(tied) > 1 else _by_arguments(asked, tied, arguments)


def _by_connection(asked: Asked, _tied: list[Line], _arguments: list[Line]) -> Correlation:
    came = asked.channel.kind is Kind.REPLY and asked.answer.attempt is not None
    return Correlation.OPERATION if came else Correlation.WEAK


def _by_connection_and_arguments(asked: Asked, tied: list[Line], arguments: list[Line]) -> Correlation:
    if not _all_agree(arguments):
        return Correlation.WEAK
    came = _by_connection(asked, tied, arguments)
    return came if came is Correlation.OPERATION else Correlation.ARGUMENTS


def _by_nothing(_asked: Asked, _tied: list[Line], _arguments: list[Line]) -> Correlation:
    return Correlation.WEAK


_TIES: Final = {
    By.IDENTITY: _by_identity,
    By.IDENTITY_AND_ARGUMENTS: _by_both,
    By.QUESTION: _by_question,
    By.QUESTION_AND_ARGUMENTS: _by_question_and_arguments,
    By.SELECTION: _by_selection,
    By.REFERENCE: _by_reference,
    By.ARGUMENTS: _by_arguments,
    By.CONNECTION: _by_connection,
    By.CONNECTION_AND_ARGUMENTS: _by_connection_and_arguments,
    By.NOTHING: _by_nothing,
}

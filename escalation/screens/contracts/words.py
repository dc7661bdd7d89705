"""A contract's document in words, clause by clause, so that two versions can be compared as people read them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from escalation.screens.seen import SAYS
from operations.contracts.channel import Channel
from operations.contracts.document import Answer, Answered, Document
from operations.contracts.matching import AllOf, AnyWhen, Condition
from operations.contracts.promises import Advice, Term
from operations.contracts.rule import By, Rule
from operations.core.facts import Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause: what it is about, what it says, and the slug of the source that makes it."""

    section: str
    name: str
    says: str
    source: str | None = None
    note: str | None = None


EFFECT: Final = "What is asked for"
NUMBER: Final = "The request number"
REPEATING: Final = "Sending again"
CLOSING: Final = "Closing"
CHANNELS: Final = "Channels"
READINGS: Final = "What answers mean"
LATER: Final = "Times and advice"
QUESTIONS: Final = "The seven questions"
SOURCES: Final = "Sources"

QUESTION: Final[Mapping[str, str]] = {
    "effect_and_owner": "What is the effect, and who owns its history?",
    "receipts": "What is a receipt?",
    "negative_lookup": "What does a lookup say that finds nothing?",
    "excluding_later_effects": "What rules out a later effect?",
    "identity_and_scope": "What is the request number, and where is it kept?",
    "errors_replayed": "Are errors given again?",
    "observation_later": "How can it be seen later?",
}
_TERM: Final[Mapping[str, str]] = {
    "mechanism": "Is a repeat recognised?",
    "guaranteed_for": "For how long?",
    "after": "After that a repeat is",
    "covers": "Kept under a number",
    "concurrent_use": "A repeat while the original is in flight",
    "repeat_while_pending": "May one repeat while it is under way?",
    "pending_fresh_for": "How long does “under way” stand?",
    "min_interval": "How far apart should repeats be?",
}
_VALUE: Final[Mapping[tuple[str, str], str]] = {
    ("mechanism", "key"): "yes, by the request number",
    ("mechanism", "none"): "no: a repeat is a second request",
    ("guaranteed_for", "unlimited"): "for good",
    ("guaranteed_for", "while_exists"): "while the object exists",
    ("after", "runs_as_new"): "run as new",
    ("covers", "every_outcome"): "every outcome",
    ("covers", "success_only"): "successes only",
    ("concurrent_use", "protected"): "is harmless",
    ("changed_arguments", "first_answer"): "answered as the first was",
    ("after_effect", "refused"): "left as it is",
    ("after_effect", "undone"): "taken back",
    ("closure", "identity"): "the request number, for good",
    ("closure", "earlier_attempts"): "only what was sent before it",
}
AUTHORITY: Final[Mapping[str, str]] = {
    "history": "speaks for what happened, deleted things included",
    "current": "speaks for what exists now",
    "derived": "is an index or a copy",
    "transport": "speaks for nothing: a gateway or queue",
    "client": "speaks for our own side of the wire",
    "none": "speaks for nothing",
}
READS: Final[Mapping[str, str]] = {
    "strong": "up to date when read",
    "eventual": "sometimes late",
    "unordered": "in no order",
}
_BY: Final[Mapping[By, str]] = {
    By.IDENTITY: "it repeats the request number",
    By.IDENTITY_AND_ARGUMENTS: "it repeats the request number and every bound argument",
    By.QUESTION: "it was asked for by the request number, or by a reference known to be ours",
    By.QUESTION_AND_ARGUMENTS: "it was asked for so and repeats every bound argument that the question doesn't carry",
    By.SELECTION: "the whole list was looked through for the request number",
    By.REFERENCE: "it names an effect that is known to be ours",
    By.ARGUMENTS: "it repeats the arguments only, which proves nothing",
    By.CONNECTION: "it came on the request's own connection",
    By.CONNECTION_AND_ARGUMENTS: "it came on the request's own connection and repeats every bound argument",
    By.NOTHING: "nothing",
}
UNDOCUMENTED: Final = "not documented"


def lasting(seconds: float) -> str:
    """Return a promised time exactly, without parts that are none: "1 d", "1 h 30 min", "0.5 s"."""
    left, parts = seconds, []
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        whole = int(left // length)
        left -= whole * length
        parts += [f"{whole} {unit}"] if whole else []
    return " ".join([*parts, f"{left:g} s"] if left or not parts else parts)


def value(name: str, told: object) -> str:
    """Return what a term is, in words: a time as a span, a word as people say it."""
    if isinstance(told, bool):
        return "yes" if told else "no"
    if isinstance(told, int | float):
        return lasting(told)
    word = told.value if isinstance(told, Enum) else str(told)
    return UNDOCUMENTED if word == "undocumented" else _VALUE.get((name, str(word)), str(word).replace("_", " "))


def _term(section: str, name: str, term: Term[Any] | None, *, called: str = "") -> Clause:
    told = UNDOCUMENTED if term is None else value(name, term.value)
    return Clause(
        section=section,
        name=called or _TERM[name],
        says=told,
        source=None if term is None else term.source,
        note=None if term is None else term.note,
    )


def _stake(document: Document) -> Clause:
    stake = document.effect.stake
    if stake is None:
        return Clause(section=EFFECT, name="What is at stake", says="not told from a request")
    counted = "whole units" if stake.parts is None else "the smallest unit"
    listed = (
        "" if stake.parts is None else f" ({', '.join([f'{per} of it are 1 {of}' for of, per in stake.parts.items()])})"
    )
    says = f"the argument {stake.amount}, in {counted} of {stake.currency}{listed}"
    return Clause(section=EFFECT, name="What is at stake", says=says, source=stake.source)


def _effect(document: Document) -> Iterator[Clause]:
    effect, owner = document.effect, document.owner
    yield Clause(section=EFFECT, name="The request as a sentence", says=effect.sentence)
    yield Clause(section=EFFECT, name="One effect is called", says=f"{effect.word}; its own name: {effect.reference}")
    yield _stake(document)
    yield Clause(section=EFFECT, name="Who controls it", says=owner.name)
    yield Clause(section=EFFECT, name="Its history", says=owner.history, source=owner.source)
    yield Clause(section=EFFECT, name="Whom to ask there", says=owner.contact or UNDOCUMENTED)
    yield Clause(section=EFFECT, name="The request", says=f"{document.request.method} {document.request.target}")


def _carried(document: Document, field: str) -> tuple[str, str | None]:
    carried = getattr(document.identity, field)
    return ("nothing", None) if carried is None else (carried.at, carried.source)


def _number(document: Document) -> Iterator[Clause]:
    identity = document.identity
    for field, name in (("carrier", "Protects at"), ("marker", "Also travels at")):
        says, source = _carried(document, field)
        yield Clause(section=NUMBER, name=name, says=says, source=source)
    scope = ", ".join(identity.scope) or "nothing in particular"
    yield Clause(section=NUMBER, name="Kept for each", says=scope, source=identity.scope_source)
    bound = ", ".join([f"{name} at {argument.at}" for name, argument in identity.bound.items()])
    yield Clause(section=NUMBER, name="Bound arguments", says=bound)
    yield Clause(section=NUMBER, name="What the effect is about", says=", ".join(identity.subject) or "not named")
    called = "The same number with other arguments is"
    yield _term(NUMBER, "changed_arguments", identity.changed_arguments, called=called)


def _repeating(document: Document) -> Iterator[Clause]:
    protection = document.protection
    for name in _TERM:
        yield _term(REPEATING, name, getattr(protection, name))
        if name == "guaranteed_for":
            margin = "none stated" if protection.margin is None else lasting(protection.margin)
            yield Clause(section=REPEATING, name="Our margin", says=margin)


def _closing(document: Document) -> Iterator[Clause]:
    yield _term(CLOSING, "closure", document.closure.covers, called="A closing shuts")
    request = document.closing_request
    if isinstance(request, str):
        yield Clause(section=CLOSING, name="The request that closes", says=UNDOCUMENTED)
    else:
        says = f"{request.sentence} ({request.method} {request.target})"
        yield Clause(section=CLOSING, name="The request that closes", says=says, source=request.source)
        yield _term(CLOSING, "after_effect", request.after_effect, called="What happened already is then")
        described = request.contract or "nobody described it, so that it can't be sent"
        yield Clause(section=CLOSING, name="It is an operation of the contract", says=described)


def channel_says(channel: Channel) -> str:
    """Return what a channel is and what it can speak for."""
    asked = "The desk asks it by itself" if channel.pollable else "The desk does not ask it by itself"
    if channel.pacing is not None:
        asked += f", at most every {lasting(channel.pacing.min_interval)}"
    return f"{channel.about} It {AUTHORITY[channel.authority]}; {READS[channel.reads]}. {asked}."


def _channels(document: Document) -> Iterator[Clause]:
    for name, channel in document.channels.items():
        yield Clause(section=CHANNELS, name=name, says=channel_says(channel), source=channel.source)


def _wanted(condition: Condition) -> str:
    match condition.operator:
        case "exists":
            return "is there"
        case "absent":
            return "is not there"
        case "equals":
            return f"is {json.dumps(condition.equals, ensure_ascii=False)}"
        case "in":
            told = [json.dumps(one, ensure_ascii=False) for one in condition.one_of or ()]
            return f"is one of {', '.join(told)}"
        case _:
            return f"is {condition.wanted}"


def when_in_words(when: AnyWhen) -> str:
    """Return the conditions of a rule in words, pointer by pointer."""
    if isinstance(when, Condition):
        return f"{when.at} {_wanted(when)}"
    parts = when.all if isinstance(when, AllOf) else when.any
    glue = " and " if isinstance(when, AllOf) else " or "
    return glue.join([f"({told})" if not isinstance(part, Condition) and len(parts) > 1 else told for part, told in zip(parts, map(when_in_words, parts), strict=True)])  # fmt: skip


def says_in_words(rule: Rule) -> str:
    """Return what a rule reads, in words."""
    copies = ", late copies too" if rule.covers_copies and rule.says is Claim.ATTEMPT_REFUSED else ""
    return SAYS[rule.says] + copies


def tied_in_words(rule: Rule) -> str:
    """Return what ties an answer to the operation."""
    return _BY[rule.correlation.by]


def _readings(document: Document) -> Iterator[Clause]:
    for rule in document.readings:
        says = f"{rule.channel}: when {when_in_words(rule.when)}, then “{says_in_words(rule)}”"
        says += f"; tied by: {tied_in_words(rule)}; reaches: {rule.reaches.replace('_', ' ')}. {rule.because}"
        yield Clause(section=READINGS, name=rule.rule, says=says, source=rule.source)


def _advice(name: str, advice: Advice | str) -> Clause:
    if isinstance(advice, str):
        return Clause(section=LATER, name=name, says=UNDOCUMENTED)
    return Clause(section=LATER, name=name, says=advice.says, source=advice.source)


def _later(document: Document) -> Iterator[Clause]:
    expected = document.expected_time
    says = UNDOCUMENTED if expected is None else lasting(expected.seconds)
    source = None if expected is None else expected.source
    yield Clause(section=LATER, name="It usually takes", says=says, source=source)
    yield _advice("After the guarantee", document.after_guarantee)
    yield _advice("Replacing under a condition", document.conditional_replacement)


def _questions(document: Document) -> Iterator[Clause]:
    for name, question in QUESTION.items():
        answer: Answer = getattr(document.interview, name)
        if isinstance(answer, Answered):
            sources = ", ".join(answer.sources)
            yield Clause(section=QUESTIONS, name=question, says=answer.answer, note=f"Sources: {sources}")
        else:
            yield Clause(section=QUESTIONS, name=question, says=UNDOCUMENTED)


def _sources(document: Document) -> Iterator[Clause]:
    for slug, source in document.sources.items():
        quoted = "" if source.quote is None else f" “{source.quote}”"
        says = f"{source.claim}{quoted} ({source.evidence}, {source.address}, read on {source.read_on})"
        yield Clause(section=SOURCES, name=slug, says=says)


def clauses(document: Document) -> tuple[Clause, ...]:
    """Return every clause of a contract in words, in the order of the document."""
    parts = (_effect, _number, _repeating, _closing, _channels, _readings, _later, _questions, _sources)
    return tuple([clause for part in parts for clause in part(document)])

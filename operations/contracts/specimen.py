"""The examples of a contract are read against its specimen, and read again whenever contracts are checked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from operations.contracts.answer import Answer
from operations.contracts.channel import BodyForm, Kind
from operations.contracts.document import Document
from operations.contracts.interpret import NO_RULE, Reading, interpret
from operations.contracts.rule import Example, ExampleEvidence, Rule
from operations.core.facts import Claim
from operations.core.representation import Representation
from operations.core.strict_json import PlainJson

ASKED_AT: Final = 1_800_000_000.0
RECEIVED_AT: Final = ASKED_AT + 1
ATTEMPT: Final = "attempt-1"


def _bytes(body: PlainJson, *, form: BodyForm) -> bytes | None:
    if body is None:
        return None
    if form is BodyForm.JSON:
        return json.dumps(body).encode()
    if isinstance(body, dict):
        return urlencode({name: str(value) for name, value in body.items()}).encode()
    return str(body).encode()


def representation(document: Document) -> Representation:
    """Return the specimen as a stored request; raises FactError where it can't be one."""
    told = document.specimen
    return Representation(
        method=told.method,
        target=told.target,
        headers=tuple(told.headers.items()),
        body=_bytes(told.body, form=document.request.body),
        arguments=None if told.arguments is None else json.dumps(told.arguments).encode(),
        scope=told.scope,
        identity=told.identity,
    )


def answer(document: Document, channel: str, example: Example) -> Answer:
    """Return an example as an answer that came a second after it was asked for."""
    told, form = example.answer, document.channels[channel].body
    reply = document.channels[channel].kind in (Kind.REPLY, Kind.CLIENT)
    known = told.known_references
    return Answer(
        channel=channel,
        received_at=RECEIVED_AT,
        asked_at=ASKED_AT,
        authentic=True,
        attempt=ATTEMPT if reply else None,
        status=told.status,
        headers=tuple(told.headers.items()),
        body=_bytes(told.body, form=form) if told.text is None else told.text.encode(),
        fact=told.fact or "",
        reference=known[0] if known else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Misread:
    """An example that is not read as it must be: its place in the document, its name, what was wrong."""

    place: str
    name: str
    message: str


def examples(document: Document) -> Iterator[tuple[str, str, Example, Rule | None]]:
    """Yield every example: its place, its channel, the example and the rule that it stands with, if any."""
    for index, rule in enumerate(document.readings):
        for number, example in enumerate(rule.examples):
            yield f"/readings/{index}/examples/{number}", rule.channel, example, rule
    for number, stray in enumerate(document.examples):
        yield f"/examples/{number}", stray.channel, stray, None


def misread(document: Document) -> Iterator[Misread]:
    """Yield the examples that the contract doesn't read as they say."""
    request = representation(document)
    for place, channel, example, rule in examples(document):
        reading = interpret(
            document,
            request=request,
            answer=answer(document, channel, example),
            references=frozenset(example.answer.known_references),
        )
        for message in _differences(reading, example, rule):
            yield Misread(place=place, name=example.name, message=message)


def _differences(reading: Reading, example: Example, rule: Rule | None) -> Iterator[str]:
    wanted = example.reads
    name = wanted.rule or (rule.rule if rule is not None else NO_RULE)
    if reading.rule != name:
        yield f"is read by {reading.rule}, not by {name}: {reading.because}"
        return
    says = wanted.says or (rule.says if rule is not None else Claim.INDETERMINATE)
    if reading.says != says:
        yield f"is read as {reading.says}, not as {says}"
    if name != NO_RULE and reading.correlation != wanted.correlation:
        yield f"is tied by {reading.correlation}, not by {wanted.correlation}"
    if wanted.effect_refs is not None and reading.effect_refs != wanted.effect_refs:
        yield f"names {reading.effect_refs}, not {wanted.effect_refs}"


# What a person enters, or our own side reports, comes in a form of ours: an example of it proves nothing either way.
_OUR_FORM: Final = (Kind.INSPECTION, Kind.CLIENT)
# Claims that settle or open something; resting on invented answers alone they make a contract a draft.
_WEIGHTY: Final = frozenset({Claim.APPLIED, Claim.CLOSED, Claim.ABSENT, Claim.PROTECTION_UNTIL})


def rests_on_invention(document: Document) -> Iterator[str]:
    """Yield what the contract reads out of answers, settling or opening something, and no real answer stands for."""
    grounds: dict[str, bool] = {}
    for rule in document.readings:
        ours = document.channels[rule.channel].kind in _OUR_FORM
        if not ours and (rule.says in _WEIGHTY or rule.covers_copies):
            claim = "a refusal that covers copies" if rule.covers_copies else rule.says.value
            real = any(example.evidence is not ExampleEvidence.INVENTED for example in rule.examples)
            grounds[claim] = grounds.get(claim, False) or real
    yield from (claim for claim, real in grounds.items() if not real)

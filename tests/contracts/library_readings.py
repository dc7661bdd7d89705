"""A contract of the library, its specimen's request, and what its answers come to."""

import json
from dataclasses import dataclass, field
from typing import Any

from operations.contracts.answer import Answer
from operations.contracts.channel import Kind
from operations.contracts.document import Document
from operations.contracts.interpret import Reading, interpret
from operations.contracts.loading import document_of, library_text
from operations.contracts.specimen import representation
from operations.contracts.terms import terms
from operations.core.facts import Attempt, Facts, Observation, Operation, Seconds, Sends
from operations.core.permitted import permitted
from operations.core.standing import Standing, infer

SENT_AT = 1_800_000_000.0
DAY = 86_400.0


def named(name: str) -> Document:
    """Return a contract of the library."""
    return document_of(library_text(name))


@dataclass
class Case:
    """One operation of a contract's specimen: attempts and answers are taken in order, and standing is inferred."""

    name: str
    events: list[Attempt | Observation] = field(default_factory=list)
    references: set[str] = field(default_factory=set)

    @property
    def document(self) -> Document:
        return named(self.name)

    def send(self, at: Seconds = SENT_AT, *, sends: Sends = Sends.ONE) -> str:
        """Put an attempt on record and return its id."""
        sent = f"a-{len(self.events) + 1}"
        self.events.append(Attempt(at=at, id=sent, sends=sends))
        return sent

    def learn(self, channel: str, *, at: Seconds = SENT_AT + 5, json_body: Any = None, **told: Any) -> Reading:
        """Read an answer of this channel, which came at this time, and keep what it comes to."""
        kind = self.document.channels[channel].kind
        body = json.dumps(json_body).encode() if json_body is not None else told.pop("body", None)
        if kind in (Kind.REPLY, Kind.CLIENT):
            told.setdefault("attempt", self._last_attempt())
        if kind is Kind.LOOKUP:
            told.setdefault("asked_at", at)
        answer = Answer(channel=channel, received_at=at, authentic=True, body=body, **told)
        request = representation(self.document)
        reading = interpret(self.document, request=request, answer=answer, references=frozenset(self.references))
        self.events.extend(reading.observations(answer))
        if reading.correlation == "operation":
            self.references.update(reading.effect_refs)
        return reading

    def _last_attempt(self) -> str | None:
        sent = [one.id for one in self.events if isinstance(one, Attempt)]
        return sent[-1] if sent else None

    def standing(self, now: Seconds = SENT_AT + 60) -> Standing:
        """Return what is established by then, every attempt being on record."""
        told = Operation(attempts_complete=True, identity_known=True)
        return infer(Facts(contract=terms(self.document), operation=told, events=tuple(self.events)), now=now)

    def may(self, now: Seconds = SENT_AT + 60) -> set[str]:
        """Return the actions that are permitted by then."""
        return {action.value for action, refusal in permitted(self.standing(now)).items() if refusal is None}

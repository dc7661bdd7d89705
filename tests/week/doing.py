"""What happens to operations is done by the product's own ways in, at the time at which it happens."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from uuid import UUID, uuid4

from escalation.cases import minding
from escalation.cases.minding import CantBe, Minder, NoCase
from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.taking import Taker
from escalation.models import Case, User
from operations import models, needing, recording, reporting
from operations.contracts import specimen
from operations.contracts.answer import Answer
from operations.contracts.loading import document_of, library_text
from operations.core.facts import Sends
from operations.core.missing import Fact
from operations.core.representation import Representation
from tests.week.rows import person
from tests.week.script import Event, Life

# What came of something that a person, or an agent, tried.
DONE, NO_CASE, REFUSED = "done", "no case", "refused"
_FACTS: Final = {one.value: one for one in Fact}
_TIME: Final = re.compile(rb"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_SOURCE: Final = "key:week"


@cache
def _request(key: str) -> Representation:
    return specimen.representation(document_of(library_text(key)))


@cache
def _answer(key: str, rule: str) -> Answer:
    """Return the first answer that a contract gives as an example of how it is read."""
    document = document_of(library_text(key))
    found = [one for one in specimen.examples(document) if one[3] is not None and one[3].rule == rule]
    _, channel, example, _ = found[0]
    return specimen.answer(document, channel, example)


@cache
def _contract(key: str) -> models.Contract:
    return models.Contract.objects.select_related("recipient").get(recipient__key=key)


@cache
def _person(name: str) -> User:
    return person(name)


def forget() -> None:
    """Rows of another desk are not known any more."""
    _contract.cache_clear()
    _person.cache_clear()


def _as(text: bytes, old: str, new: str) -> bytes:
    return text.replace(old.encode(), new.encode())


def effect_of(life: Life) -> str:
    """What the operation is about, in words that name it alone."""
    return f"Week's {life.recipient.key} request {life.identity}"


def _binding(life: Life) -> recording.Binding:
    told = _request(life.recipient.key)
    old, new = told.identity, life.identity
    asked = replace(
        told,
        target=told.target.replace(old, new),
        headers=tuple([(name, value.replace(old, new)) for name, value in told.headers]),
        body=None if told.body is None else _as(told.body, old, new),
        arguments=None if told.arguments is None else _as(told.arguments, old, new),
        identity=new,
    )
    return recording.Binding(
        contract=_contract(life.recipient.key),
        representation=asked,
        identity_known=True,
        effect=effect_of(life),
        deadline=life.deadline,
    )


@dataclass(slots=True)
class Doing:
    """Does what happens; `ids` are the operations by their index, `came` what came of each try of a person or agent."""

    ids: dict[int, UUID]
    came: dict[tuple[int, int], str]

    def register(self, lives: Sequence[Life]) -> None:
        """Register these together, with the attempt that each begins with."""
        now = lives[0].begun
        intent = recording.Intent(attempt="a1", sends=Sends.ONE, scope="", begun_at=now)
        wanted = [(_binding(one), replace(intent, scope=_request(one.recipient.key).scope)) for one in lives]
        for life, found in zip(lives, recording.register_many(wanted, now=now, by=_SOURCE), strict=True):
            assert isinstance(found, recording.Registered)
            assert found.created
            self.ids[life.index] = found.operation_id
            if life.sealed:
                recording.seal(found.operation_id, now=now, by=_SOURCE)

    def do(self, life: Life, place: int) -> None:
        """Do what happens to an operation next, the `place`th of its events."""
        event = life.events[place]
        if event.who or event.what == "asks":
            self.came[life.index, place] = self._tried(life, event)
        else:
            self._learn(life, event)

    def _learn(self, life: Life, event: Event) -> None:
        """Store an answer, as its contract's example has it but for request number and time, and have it read."""
        now, key = event.at, life.recipient.key
        rules = {"applied": life.recipient.applied, "pending": life.recipient.pending, "closed": life.recipient.closed}
        if event.what == "timeout":
            found = Answer(channel="wire", received_at=0, authentic=True, attempt="a1", fact="timeout")
        else:
            found = _answer(key, rules[event.what])
        old, new = _request(key).identity, life.identity
        report = recording.Report(
            event=f"{life.identity}-{event.what}-{now.timestamp()}",
            channel=found.channel,
            received_at=now,
            authentic=True,
            attempt=None if found.attempt is None else "a1",
            status=found.status,
            headers=tuple([(name, value.replace(old, new)) for name, value in found.headers]),
            payload=None if found.body is None else _TIME.sub(_written(now), _as(found.body, old, new)),
            fact=found.fact,
            asked_at=now - timedelta(seconds=1) if found.attempt is None else None,
            reference=found.reference,
        )
        reporting.report(self.ids[life.index], report, now=now, source=_SOURCE)

    def _tried(self, life: Life, event: Event) -> str:
        operation = self.ids[life.index]
        if event.what == "asks":
            return self._asks(operation, life, event)
        if event.what == "leave":
            return self._leaves(operation, event)
        case = Case.objects.filter(operation=operation, closed_at=None).first()
        if case is None:
            return NO_CASE
        minder = Minder(person=_person(event.who), seen=case.revision, now=event.at)
        try:
            _mind(operation, minder, event)
        except NoCase:
            return NO_CASE
        except CantBe:
            return REFUSED
        return DONE

    def _asks(self, operation: UUID, life: Life, event: Event) -> str:
        report = recording.Report(
            event=f"{life.identity}-asks",
            channel=reporting.WORDS_CHANNEL,
            received_at=event.at,
            authentic=False,
            words="The customer waits on the telephone.",
        )
        try:
            needing.ask_for_a_person(operation, report, now=event.at, source="key:agent")
        except needing.NothingOpen:
            return REFUSED
        return DONE

    def _leaves(self, operation: UUID, event: Event) -> str:
        row = models.Operation.objects.get(pk=operation)
        taker = Taker(person=_person(event.who), revision=row.revision, once=uuid4(), now=event.at)
        if not row.missing or event.until is None:
            return REFUSED
        try:
            leave_unresolved(
                operation,
                taker,
                fact=_FACTS[row.missing[0][0]],
                told="the front counter",
                look_again_at=event.until,
                remark="",
            )
        except recording.NotPermitted:
            return REFUSED
        return DONE


def _mind(operation: UUID, minder: Minder, event: Event) -> None:
    if event.what == "take":
        minding.take(operation, minder)
    elif event.what == "give_back":
        minding.give_back(operation, minder)
    elif event.what == "seen":
        minding.acknowledge(operation, minder)
    elif event.what == "hand_over":
        minding.hand_over(operation, minder, to=_person(event.to), note="The recipient calls back.")
    else:
        assert event.until is not None
        minding.put_off(operation, minder, until=event.until, note="Later.")


def _written(at: datetime) -> bytes:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z").encode()


__all__ = ["DONE", "NO_CASE", "REFUSED", "Doing", "effect_of", "forget"]

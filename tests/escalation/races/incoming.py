"""What is learnt while people decide: reports, a recipient's own message, a poll's answer, an attempt, a seal, a contract."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import uuid4

from django.test import Client

from operations import models, recording
from operations.contracts.loading import library_text
from operations.core.facts import Sends
from operations.recording import Intent, NotPermitted, Report, granting, publishing
from operations.recording.asked import Asked, event_of, record
from operations.recording.claiming import claim
from operations.recording.granting import GrantRefused
from operations.recording.held import load
from operations.reporting import report, report_with
from tests.escalation.building import Made
from tests.escalation.races.gates import Act, Ended
from tests.escalation.races.stage import NOBODY_KNOWS, NOT_SEALED, now
from tests.operations.told import event, signed

_SECOND: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Incoming:
    """One thing that comes in. `stored`: whatever a person does, it is on record afterwards.

    It says something new in `state`, and in any other where `only` is not set. `granted`: it takes a grant.
    """

    name: str
    ready: Callable[[Made], Act]
    state: str = NOBODY_KNOWS
    only: bool = False
    stored: bool = True
    granted: bool = False

    def __str__(self) -> str:
        return self.name


def _z(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}.000Z"


def _said(made: Made, state: str, at: datetime) -> dict[str, Any]:
    """What the record says of an operation, as a report has it."""
    body: dict[str, Any] = {
        "type": "urn:collection-desk:no-such-record",
        "state": "absent",
        "key": made.identity,
        "as_of": _z(at),
    }
    closure = {"closed_at": _z(at), "covers": "identity"} if state == "closed" else None
    ticket = "T-1" if state == "issued" else None
    said = body if state == "absent" else made.says(state, at=at, ticket=ticket, closure=closure)
    return {"status": 404 if state == "absent" else 200, "payload": json.dumps(said).encode()}


def _told(made: Made, state: str, *, event_id: str) -> Report:
    at = now()
    return Report(
        event=event_id,
        channel="record",
        received_at=at,
        authentic=True,
        headers=(("content-type", "application/json"),),
        asked_at=at - _SECOND,
        **_said(made, state, at - _SECOND),
    )


def _reports(state: str) -> Callable[[Made], Act]:
    def ready(made: Made) -> Act:
        def act() -> Ended:
            told = _told(made, state, event_id=f"race-{uuid4()}")
            return Ended(report(made.id, told, now=now(), source="key:transport").created)

        return act

    return ready


def _webhook(made: Made) -> Act:
    body = event(made, "issued", at=now(), ticket="T-1")
    lines = signed(body, at=now(), event_id=f"msg_{uuid4().hex}")

    def act() -> Ended:
        answer = Client().post("/hooks/collection-desk", body, content_type="application/json", headers=lines)
        linked = models.Message.objects.filter(operation=made.id).exists()
        return Ended(answer.status_code < 300 and linked, answer.text, answer.status_code)

    return act


def _poll(made: Made) -> Act:
    """A worker has leased the operation and has the recipient's answer in hand."""
    lease = uuid4()
    claim(lease, now=now(), within=1, leased_for=60)
    before, at = load([made.id]), now()
    told = _told(made, "issued", event_id=event_of(lease))
    asked = Asked(
        operation_id=made.id,
        recipient_id=made.row.recipient_id,
        channel="record",
        at=at - _SECOND,
        ended_at=at,
        report=told,
        status=told.status,
    )

    def act() -> Ended:
        store = partial(report_with, source="the desk")
        record([asked], lease=lease, report_with=store, before=before, now=now())
        return Ended(models.Observation.objects.filter(operation=made.id, event=told.event).exists())

    return act


def _begins(made: Made) -> Act:
    """The agent has fetched its grant and begins."""
    grant = granting.waiting(made.id, now=now())
    intent = Intent(attempt="again", sends=Sends.ONE, scope=made.row.scope, begun_at=now())

    def act() -> Ended:
        try:
            recording.begin(made.id, intent, now=now(), by="key:agent", grant=None if grant is None else grant.id)
        except (NotPermitted, GrantRefused) as refused:
            return Ended(won=False, said=str(refused))
        return Ended(won=True)

    return act


def _seals(made: Made) -> Act:
    def act() -> Ended:
        recording.seal(made.id, now=now(), by="key:transport")
        return Ended(models.Seal.objects.filter(operation=made.id).exists())

    return act


def _publishes(_: Made) -> Act:
    text = f"{library_text('collection-desk')}\n# {uuid4()}\n"

    def act() -> Ended:
        publishing.publish("collection-desk", name="Collection desk", text=text, now=now())
        return Ended(won=True)

    return act


INCOMING: Final = (
    Incoming("a report that it happened", _reports("issued")),
    Incoming("a report that it is closed", _reports("closed")),
    Incoming("a report that it is under way", _reports("pending")),
    Incoming("a report that nothing is there", _reports("absent")),
    Incoming("the recipient's own message", _webhook),
    Incoming("a poll's answer", _poll),
    Incoming("an attempt of the agent", _begins, stored=False, granted=True),
    Incoming("a seal", _seals, state=NOT_SEALED, only=True),
    Incoming("a new contract", _publishes),
)

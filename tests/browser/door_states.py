"""Operations that leave each door open, and others that shut it, with who stands before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import pytest
from django.test import Client
from django.urls import reverse

import escalation.celery  # noqa: F401  # what is to be sent is announced to the broker
from escalation.decisions.second_signature import propose
from escalation.models import User
from escalation.policy import Role
from operations.contracts.loading import library_text
from tests.escalation.building import Made, contract_of, operation
from tests.escalation.closings import attempt_of, decided, may_close, told
from tests.escalation.decisions import two_people
from tests.escalation.decisions.risks import proposed as proposed_risk
from tests.escalation.decisions.risks import taker
from tests.escalation.people import with_role
from tests.escalation.races.stage import NOBODY_KNOWS, NOT_SEALED, Stage, brought_to, now
from tests.operations.dispatching import sent
from tests.recipients.opened import desk_on
from tests.recipients.reached import CREDENTIALS
from tests.signed_in import proven

OPEN, SHUT = "open", "shut"
HAPPENED, CLOSED, REFUSED, CONTRADICTED = "happened", "closed", "refused for good", "contradicted"
# The doors that stand on an operation alone: what leaves each open, and what shuts it.
BY_STATE: Final = (
    ("repair_record", HAPPENED, NOBODY_KNOWS),
    ("repair_record", CLOSED, CONTRADICTED),
    ("protected_repeat", NOBODY_KNOWS, NOT_SEALED),
    ("protected_repeat", REFUSED, HAPPENED),
    ("close_original", NOBODY_KNOWS, HAPPENED),
    ("new_operation", CLOSED, NOBODY_KNOWS),
    ("business_exception", NOBODY_KNOWS, HAPPENED),
    ("leave_unresolved", NOBODY_KNOWS, CLOSED),
    ("operation", NOBODY_KNOWS, HAPPENED),
    ("conflict", CONTRADICTED, NOBODY_KNOWS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """One page to look at: its name in the list, address, whether the door is open, and who looks."""

    name: str
    path: str
    state: str
    client: Client
    status: int = 200


@dataclass(slots=True)
class _Desk:
    """The people and the operations, each state made once."""

    stage: Stage
    made: dict[str, Made] = field(default_factory=dict)

    def at(self, state: str) -> Made:
        """An operation in this state."""
        if state not in self.made:
            self.made[state] = brought_to(state)
        return self.made[state]


def walked(held: ExitStack) -> list[Walked]:
    """Make every row, and return the pages in the order in which they are looked at."""
    environ = held.enter_context(pytest.MonkeyPatch.context())
    held.enter_context(proven())
    collection = held.enter_context(desk_on())
    contract_of()
    may_close(collection, environ)
    for name in CREDENTIALS.values():
        environ.setenv(f"{name}_SCOPE", "desk-east")
    stage = Stage()
    desk = _Desk(stage)
    client, second = stage.screens()
    viewer = Client()
    viewer.force_login(with_role("reader", Role.VIEWER))
    return [
        *_by_state(desk, client),
        *_asking(desk, client),
        *_taking_down(desk, client, second),
        *_signing(desk, client, second),
        *_accepting(desk, client, second),
        *_closing(desk, client),
        Walked(
            name="operation-for-a-viewer",
            path=reverse("operation", args=[desk.at(NOBODY_KNOWS).number]),
            state=SHUT,
            client=viewer,
        ),
    ]


def _by_state(desk: _Desk, client: Client) -> Iterator[Walked]:
    seen: dict[str, int] = {}
    for page, leaves_open, shuts in BY_STATE:
        for state, kind in ((leaves_open, OPEN), (shuts, SHUT)):
            seen[page + kind] = seen.get(page + kind, 0) + 1
            name = f"{page}-{kind}" + (f"-{seen[page + kind]}" if seen[page + kind] > 1 else "")
            path = reverse(page, args=[desk.at(state).number])
            yield Walked(name=name.replace("_", "-"), path=path, state=kind, client=client)


def _asking(desk: _Desk, client: Client) -> Iterator[Walked]:
    """Ask the recipient: open by its record, shut where the contract lists nothing that can be asked."""
    text = library_text("collection-desk").replace("pollable: true", "pollable: false")
    silent = contract_of(text, key="silent-desk", name="Silent desk")
    quiet = operation("order-quiet", now=now() - timedelta(minutes=10), contract=silent)
    for kind, made in ((OPEN, desk.at(NOBODY_KNOWS)), (SHUT, quiet)):
        yield Walked(name=f"observe-{kind}", path=reverse("observe", args=[made.number]), state=kind, client=client)


def _taking_down(desk: _Desk, client: Client, second: Client) -> Iterator[Walked]:
    made = brought_to(NOBODY_KNOWS)
    yield Walked(name="inspect-open", path=reverse("inspect", args=[made.number]), state=OPEN, client=client)
    row = desk.stage.waiting_inspection(made)
    path = reverse("inspection", args=[made.number, row.id])
    mine = Client()
    mine.force_login(desk.stage.other)
    yield Walked(name="inspection-open", path=path, state=OPEN, client=second)
    yield Walked(name="inspection-shut", path=path, state=SHUT, client=mine)


def _signing(desk: _Desk, client: Client, second: Client) -> Iterator[Walked]:
    """A second signature: open to another person, shut to who proposed."""
    made = brought_to(HAPPENED)
    decide, receipt = two_people.repairs(made), made.row.observations.latest("position").id
    typed = {"receipt": str(receipt), "remark": "Read out by the counter.", "compared": "on"}
    row = propose(made.id, taker(made, desk.stage.people[0], now=now()), typed=typed, decide=decide)
    path = reverse("second_signature", args=[row.pk])
    yield Walked(name="second-signature-open", path=path, state=OPEN, client=second)
    yield Walked(name="second-signature-shut", path=path, state=SHUT, client=client)


def _accepting(desk: _Desk, client: Client, second: Client) -> Iterator[Walked]:
    made = brought_to(NOBODY_KNOWS)
    row = proposed_risk(made, desk.stage.people[0], now=now())
    path = reverse("approve_exception", args=[row.pk])
    yield Walked(name="approve-exception-open", path=path, state=OPEN, client=second)
    yield Walked(name="approve-exception-shut", path=path, state=SHUT, client=client)


def _closing(desk: _Desk, client: Client) -> Iterator[Walked]:
    """What closes another: its repeat, and its own page, whose cards say what that of the original says."""
    made = brought_to(NOBODY_KNOWS)
    person: User = desk.stage.other
    row = decided(made.id, person)
    sent(attempt_of(row))
    number = row.closing.number
    yield Walked(name="closing-operation", path=reverse("operation", args=[number]), state=SHUT, client=client)
    yield Walked(name="closing-repeat", path=reverse("protected_repeat", args=[number]), state=SHUT, client=client)
    late = brought_to(NOBODY_KNOWS)
    found = decided(late.id, person)
    told(late.id, channel="record", status=200, body=late.says("issued", at=now(), ticket="T-9"))
    number = found.closing.number
    yield Walked(name="closing-too-late", path=reverse("operation", args=[number]), state=SHUT, client=client)

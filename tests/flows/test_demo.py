"""The demonstration is made by really calling: two desks, an agent, the agents' door and the desk's own asking over HTTP."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from escalation.policy import Role
from escalation.rehearsing.doing import predicted
from operations import models, polling, reading
from operations.core.conflicts import ConflictKind
from operations.core.consequences import consequences
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, FurtherEffect, Situation
from operations.keys import create_key
from operations.recording import NotPermitted
from tests.escalation.closings import decided
from tests.escalation.people import with_role
from tests.flows.test_consequences import CASES, DOINGS, table
from tests.operations.granted import granted
from tests.recipients.demo.door import Door
from tests.recipients.demo.stories import CLOSING, KEPT, STORIES, TERMS, UNKEPT, Story
from tests.recipients.demo.telling import Teller
from tests.recipients.fixtures import CollectionDesk, desk_on
from tests.recipients.reached import LISTENS_BY, settings_for, settings_to_listen

pytestmark = pytest.mark.django_db(transaction=True)

# What the desk knows after each story and one round of asking, and the tickets that its recipient issued.
EXPECTED = {
    "Cedar": ("unknown", "unestablished", "active", 1),
    "Oak": ("not_applied", "unestablished", "active", 0),
    "Birch": ("applied", "settled", "active", 1),
    "Elm": ("pending", "possible", "active", 0),
    "Ash": ("not_applied", "excluded", "active", 0),
    "Yew": ("not_applied", "excluded", "active", 0),
    "Rowan": ("applied", "settled", "active", 1),
    "Alder": ("pending", "possible", "active", 0),
    "Lime": ("applied", "settled", "unestablished", 1),
    "Pine": ("unknown", "unestablished", "absent", 1),
    "Fir": ("applied", "settled", "active", 1),
    "Hazel": ("not_applied", "excluded", "active", 0),
    "Spruce": ("applied", "settled", "active", 2),
    "Juniper": ("not_applied", "excluded", "active", 0),
    "Maple": ("unknown", "unestablished", "active", 1),
    "Willow": ("unknown", "unestablished", "active", 1),
    "Larch": ("unknown", "unestablished", "active", 0),
    "Beech": ("unknown", "unestablished", "active", 0),
    "Poplar": ("unknown", "unestablished", "active", 0),
}
# Every state that an operation can be in, column by column.
STATES: dict[str, set[Any]] = {
    "evidence": {word.value for word in Evidence},
    "finality": {word.value for word in Finality},
    "protection": {word.value for word in Protection},
    "situation": {word.value for word in Situation},
    "conflict": {None, *[word.value for word in ConflictKind]},
    "further_effect": {None, *[word.value for word in FurtherEffect]},
    "duplicate_effect": {True, False},
    "sealed": {True, False},
}


@pytest.fixture
def door(live_server) -> Door:
    for recipient in (KEPT, UNKEPT, CLOSING):
        call_command("publish_contract", recipient, recipient)
    now = timezone.now()  # noqa: TID251  # the server's clock is this machine's
    key = create_key(
        "demo", scopes=["transport"], recipients=[KEPT, UNKEPT, CLOSING], now=now, lasts=timedelta(hours=1)
    )
    return Door(live_server.url, key)


@pytest.fixture
def desks(door, monkeypatch) -> Iterator[dict[str, CollectionDesk]]:
    """Both recipients, which the desk may ask."""
    with desk_on(TERMS[KEPT]) as kept, desk_on(TERMS[UNKEPT]) as unkept:
        found = {KEPT: kept, UNKEPT: unkept}
        settings = settings_for({key: desk.url for key, desk in found.items()}) | settings_to_listen()
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        kept.control.aim(f"{door.address}/hooks/{KEPT}", secret=settings[LISTENS_BY])
        for key, desk in {**found, CLOSING: kept}.items():
            models.Recipient.objects.filter(key=key).update(address=desk.url)
        yield found


def ask(identity: str) -> None:
    """The desk asks about one request number by itself, which is due at once."""
    waiting = models.Due.objects.filter(operation__identity=identity, at__isnull=False)
    waiting.update(at=timezone.now())  # noqa: TID251  # likewise
    polling.poll(clock=timezone.now)  # noqa: TID251  # likewise


def grant(operation: str) -> None:
    """Somebody lets the agent repeat it, as soon as the recipient's pace allows."""
    while True:
        try:
            granted(UUID(operation), now=timezone.now())  # noqa: TID251  # likewise
        except NotPermitted as refused:
            if refused.refusal.until is None:
                raise
            time.sleep(max(0.0, refused.refusal.until - time.time()) + 0.01)
        else:
            return


def end(operation: str) -> None:
    """Somebody has it closed by the agent."""
    decided(UUID(operation), with_role("mira", Role.OPERATOR), executor="agent")


def tell(story: Story, door: Door, desks: dict[str, CollectionDesk]) -> tuple[models.Operation, int]:
    """Tell one story, ask, and return what the desk knows and how many tickets there are."""
    desk = desks[story.recipient]
    told = Teller(door=door, desk=desk, asked=ask, granted=grant, ended=end).tell(story)
    for _ in range(0 if story.waits else min(story.away, 3) + 1):
        ask(told.identity)
    return models.Operation.objects.get(id=told.operation), len(desk.control.tickets(told.identity))


@pytest.fixture
def known(door, desks) -> dict[str, tuple[models.Operation, int]]:
    """What the desk knows after every story, by parcel."""
    return {story.parcel: tell(story, door, desks) for story in STORIES}


def test_the_desk_knows_what_it_was_told_and_what_it_asked_and_no_more(known):
    found = {parcel: (row.evidence, row.finality, row.protection, issued) for parcel, (row, issued) in known.items()}
    assert found == EXPECTED
    missing = {
        column: states - {getattr(row, column) for row, _ in known.values()} for column, states in STATES.items()
    }
    assert missing == {column: set() for column in STATES}


def test_every_row_that_the_demonstration_shows_was_played_at_a_desk_and_counted(known):
    """Each demo operation's table is made of rows whose counts test_consequences.py takes at a real desk."""
    driven = {
        (kind, *[predicted(doing, row) for doing in DOINGS])
        for found in CASES.values()
        for kind, row in table(found).items()
    }
    shown: dict[str, set[tuple[object, ...]]] = {}
    for parcel, (operation, _) in known.items():
        read = reading.read(operation)
        rows = consequences(read.facts, read.facts.events[-1].at)
        shown[parcel] = {(row.history.kind, *[predicted(doing, row) for doing in DOINGS]) for row in rows}
    assert all(shown.values())
    undriven = {parcel: rows - driven for parcel, rows in shown.items() if rows - driven}
    assert undriven == {}


def test_two_histories_that_look_alike_are_judged_alike(door, desks):
    rows = []
    for story in STORIES[:2]:
        told = Teller(door=door, desk=desks[story.recipient], asked=lambda _: None).tell(story)
        rows.append(models.Operation.objects.get(id=told.operation))
    one, other = [(row.evidence, row.finality, row.protection, row.situation, row.missing) for row in rows]
    assert one == other


def test_a_contract_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="neither in the library"):
        call_command("publish_contract", "desk", "no-such-contract")
    with pytest.raises(CommandError, match="letters, digits"):
        call_command("publish_contract", "desk one", KEPT)
    assert not models.Recipient.objects.exists()


def test_an_address_that_is_none_is_not_kept():
    with pytest.raises(CommandError, match="the address is not kept"):
        call_command("publish_contract", KEPT, KEPT, "--at=ftp://desk.example")
    assert models.Recipient.objects.get().address == ""

"""The demonstration is made by really calling: two desks, an agent, the agents' door over HTTP."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from operations import models
from operations.keys import create_key
from tests.recipients.demo import KEPT, STORIES, TERMS, UNKEPT, Door, tell
from tests.recipients.fixtures import desk_on

pytestmark = pytest.mark.django_db(transaction=True)

# What the desk knows after each story, and what its recipient knows: the tickets that were issued.
EXPECTED = {
    "Cedar": ("unknown", "unestablished", "active", 1),
    "Oak": ("unknown", "unestablished", "active", 0),
    "Birch": ("applied", "settled", "active", 1),
    "Elm": ("pending", "possible", "active", 0),
    "Ash": ("not_applied", "excluded", "active", 0),
    "Yew": ("not_applied", "excluded", "active", 0),
    "Rowan": ("unknown", "unestablished", "active", 1),
    "Alder": ("unknown", "unestablished", "active", 0),
    "Lime": ("unknown", "unestablished", "unestablished", 1),
    "Pine": ("unknown", "unestablished", "absent", 1),
}


@pytest.fixture
def door(live_server):
    for recipient in (KEPT, UNKEPT):
        call_command("publish_contract", recipient, recipient)
    now = timezone.now()  # noqa: TID251  # the server's clock is this machine's
    key = create_key("demo", scopes=["transport"], recipients=[KEPT, UNKEPT], now=now, lasts=timedelta(hours=1))
    return Door(live_server.url, key)


def test_every_story_is_told():
    assert {story.parcel for story in STORIES} == set(EXPECTED)


def test_the_desk_knows_what_the_agents_socket_knows_and_no_more(door):
    found = {}
    for story in STORIES:
        with desk_on(TERMS[story.recipient]) as desk:
            row = models.Operation.objects.get(id=tell(story, door, desk))
            issued = len(desk.control.truth()["tickets"])
            found[story.parcel] = (row.evidence, row.finality, row.protection, issued)
    assert found == EXPECTED


def test_two_histories_that_look_alike_are_judged_alike(door):
    rows = []
    for story in STORIES[:2]:
        with desk_on(TERMS[story.recipient]) as desk:
            rows.append(models.Operation.objects.get(id=tell(story, door, desk)))
    one, other = [(row.evidence, row.finality, row.protection, row.situation, row.missing) for row in rows]
    assert one == other


def test_a_contract_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="neither in the library"):
        call_command("publish_contract", "desk", "no-such-contract")
    with pytest.raises(CommandError, match="letters, digits"):
        call_command("publish_contract", "desk one", KEPT)
    assert not models.Recipient.objects.exists()

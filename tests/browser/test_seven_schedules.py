"""The seven rows of the worked examples, walked by a person from what was observed to what was decided, without scripts.

The collection desk is real and counts: whatever is decided, there is never a ticket too many.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from escalation.celery import app
from operations import models
from operations.contracts.loading import library_text
from tests.browser.conftest import Seat, sit_down
from tests.escalation.building import HOUR
from tests.escalation.closings import may_close
from tests.operations.dispatching import KEY, lost
from tests.recipients.fixtures import CollectionDesk, collection_desk

__all__ = ["collection_desk"]
A_DAY_AND_AN_HOUR = 90_000.0
NOT_MEANWHILE, MEANWHILE = "repeat_while_pending: {is: false}", "repeat_while_pending: {is: true, source: in_use}"


@dataclass
class Walk:
    """One person, one operation, and the desk that knows what is so."""

    seat: Seat
    desk: CollectionDesk
    made: UUID

    @property
    def page(self) -> Page:
        return self.seat.page

    @property
    def number(self) -> int:
        return models.Operation.objects.get(id=self.made).number

    def looks(self) -> Locator:
        """Open the operation; returns its three questions."""
        self.seat.goes(reverse("operation", args=[self.number]))
        return self.page.locator("#panels")

    def door(self, action: str) -> str:
        """How a door stands on the operation's page: its classes."""
        self.looks()
        return self.page.locator(f"#door-{action}").get_attribute("class") or ""

    def asks(self) -> None:
        """Ask the desk's strong record."""
        self.seat.goes(reverse("observe", args=[self.number]))
        self.page.locator("#way-record").get_by_role("button", name="Ask now").click()

    def repairs(self) -> None:
        self.looks()
        self.page.get_by_role("link", name="Compare and confirm").click()
        self.page.get_by_role("radio").first.check()
        self.page.get_by_role("checkbox").check()
        self.page.get_by_role("button", name="Repair our record").click()
        expect(self.page.get_by_text("Our record is repaired. Nothing was sent.")).to_be_visible()

    def sends_again(self) -> None:
        self.looks()
        self.page.get_by_role("link", name="See the exact bytes").click()
        self._has_it_sent("Repeat the same request")

    def closes(self) -> None:
        self.looks()
        self.page.get_by_role("link", name="See what is sent").click()
        self._has_it_sent("Close the original")

    def _has_it_sent(self, button: str) -> None:
        self.page.get_by_label("This desk").check()
        self.page.get_by_label("I know that").check()
        self.page.get_by_role("button", name=button).click()
        expect(self.page.get_by_text("Sent once, and answered.")).to_be_visible()

    def leaves(self) -> None:
        self.looks()
        self.page.get_by_role("link", name="Say what is missing").click()
        self.page.get_by_role("radio").first.check()
        self.page.get_by_label("Who was told").fill("Ada Brandt")
        self.page.get_by_label("Look again at").fill(f"{datetime.now(UTC) + 22 * HOUR:%Y-%m-%dT%H:%M}")
        self.page.get_by_role("button", name="Stop here, outcome unknown").click()
        expect(self.page.get_by_text("The outcome is still unknown; nothing was sent.")).to_be_visible()

    def tickets(self) -> int:
        return len(self.desk.control.tickets(KEY))


@pytest.fixture
def text():
    """The recipient's contract."""
    return library_text("collection-desk")


@pytest.fixture
def desk(collection_desk, text, monkeypatch, transactional_db):
    """The recipient, which this desk may ask and send to, closing requests too."""
    now = datetime.now(UTC)
    recipient = models.Recipient.objects.create(key="collection-desk", name="Collection desk", created_at=now)
    models.Contract.objects.create(
        recipient=recipient, version=1, document=text, digest="0" * 64, created_at=now, published_at=now
    )
    may_close(collection_desk, monkeypatch)
    return collection_desk


@pytest.fixture
def walk(chromium, live_server, person, desk):
    """Somebody who begins to look after an operation, once it is there; the worker's work is done where it is asked for."""
    opened: list[Seat] = []

    def begin(**given: Any) -> Walk:
        opened.append(sit_down(chromium, str(live_server), person, java_script_enabled=False))
        return Walk(opened[0], desk, lost(**given))

    app.conf.task_always_eager = True
    yield begin
    app.conf.task_always_eager = False
    for seat in opened:
        seat.page.context.close()
        assert seat.complaints == []


def test_row_1_a_receipt_for_this_very_request_is_recorded_and_nothing_is_issued_again(walk, desk):
    desk.control.tell(reply="lost")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk()
    expect(here.looks().get_by_text("We don't know").first).to_be_visible()
    here.asks()
    expect(here.looks().get_by_text("Yes, not in our books")).to_be_visible()
    assert "locked" in here.door("repeat")
    here.repairs()
    assert (here.tickets(), models.Completion.objects.get().outcome) == (1, "applied")


def test_row_2_what_the_recipient_ended_for_good_is_recorded_as_without_effect(walk, desk):
    desk.control.tell(request="lost")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk()
    here.closes()
    expect(here.looks().get_by_text("No, ruled out")).to_be_visible()
    assert "locked" in here.door("repeat")
    here.repairs()
    desk.control.copy("p1")  # what was lost arrives after all
    assert (here.tickets(), models.Completion.objects.get().outcome) == (0, "no_effect")


def test_row_3_what_is_not_there_yet_may_come_and_does(walk, desk):
    here = walk()
    here.asks()
    expect(here.looks().get_by_text("Not there when last read")).to_be_visible()
    assert "locked" in here.door("propose_new")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")  # the original was only slow
    here.page.wait_for_timeout(5_100)  # the contract wants five seconds between two asks
    here.asks()
    here.repairs()
    assert here.tickets() == 1


def test_row_4_what_is_under_way_is_not_repeated_and_ends_by_itself(walk, desk):
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk()
    here.asks()
    expect(here.looks().get_by_text("Under way").first).to_be_visible()
    assert "locked" in here.door("repeat")
    here.leaves()
    assert here.tickets() == 0
    desk.control.finish("p1")
    assert here.tickets() == 1


@pytest.mark.parametrize("text", [library_text("collection-desk").replace(NOT_MEANWHILE, MEANWHILE)], ids=["meanwhile"])
def test_row_4b_it_is_repeated_meanwhile_where_the_contract_says_that_it_may(walk, desk, text):
    assert MEANWHILE in text
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk()
    here.asks()
    expect(here.looks().get_by_text("Under way").first).to_be_visible()
    here.sends_again()
    assert here.tickets() == 0
    desk.control.finish("p1")
    assert here.tickets() == 1


def test_row_5_an_error_that_is_given_again_settles_nothing_and_adds_nothing(walk, desk):
    desk.control.tell(handling="fail_before", kept=True)
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk()
    here.sends_again()
    expect(here.looks().get_by_text("We don't know").first).to_be_visible()
    here.leaves()
    assert here.tickets() == 0


def test_row_6_when_the_guarantee_is_over_nothing_is_sent_and_the_outcome_stays_unknown(walk, desk):
    desk.control.tell(reply="lost")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    here = walk(ago=A_DAY_AND_AN_HOUR)
    assert "locked" in here.door("repeat")
    assert "locked" in here.door("propose_new")
    here.leaves()
    assert here.tickets() == 1

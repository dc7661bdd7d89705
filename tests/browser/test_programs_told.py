"""A program is told, in a real browser and over a real connection: subscribed, told, found in its log, told again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pytest_httpserver import HTTPServer
from standardwebhooks import Webhook

from escalation.models import OutboxEvent, OutboxTry, Subscription
from escalation.outbox.telling import tell
from tests.browser.conftest import Seat
from tests.browser.test_people import readable
from tests.escalation.building import HOUR, operation
from tests.escalation.outbox.made import KEY

MINUTE = timedelta(minutes=1)


@pytest.fixture
def program(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    """A program on loopback, which this host lets the desk reach; it has no room for the first message that comes."""
    monkeypatch.setenv("UNRESOLVED_SUBSCRIPTION_KEY_BILLING", KEY)
    monkeypatch.setenv("UNRESOLVED_NETWORKS_OF_SUBSCRIPTIONS", "127.0.0.0/8")
    httpserver.expect_ordered_request("/desk").respond_with_data("no room just now", status=503)
    for _ in range(2):
        httpserver.expect_ordered_request("/desk").respond_with_data("thanks")
    return httpserver


def subscribes(seat: Seat, address: str) -> Subscription:
    """Have a program told of whatever changes at any recipient."""
    seat.goes(reverse("subscriptions"))
    page = seat.page
    page.get_by_label("What it is called").fill("billing")
    page.get_by_label("Its address").fill(address)
    page.locator("input[name=events][value='operation.standing_changed']").check()
    page.get_by_label("The key that messages are signed with").fill("BILLING")
    page.get_by_role("button", name="Have it told").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("billing")
    return Subscription.objects.get()


def received(program: HTTPServer) -> list[Any]:
    """What came, each proved by the standard's own library; and under which id."""
    came = [request for request, _ in program.log]
    return [(Webhook(KEY).verify(one.get_data(), dict(one.headers))["type"], one.headers["webhook-id"]) for one in came]


def test_a_program_is_subscribed_and_told_and_told_again_and_its_log_shows_every_try(seat: Seat, program: HTTPServer):
    made, now = operation("order-1", now=datetime.now(UTC) - HOUR), datetime.now(UTC)
    made.timed_out(now=now - HOUR + MINUTE)
    told = subscribes(seat, program.url_for("/desk"))
    log = seat.page.locator("#log")
    expect(log).to_contain_text("Nothing.")
    made.recorded("issued", now=now, ticket="T-1")
    assert tell(clock=lambda: datetime.now(UTC)) == 1
    event = OutboxEvent.objects.get()
    seat.goes(reverse("subscription", args=[told.pk]))
    expect(log).to_contain_text(f"Operation {made.number}")
    expect(log).to_contain_text("(503)")
    expect(log).to_contain_text("no room just now")
    expect(log).to_contain_text("next try")
    expect(log.get_by_role("button")).to_have_count(0)
    assert tell(clock=lambda: datetime.now(UTC) + MINUTE) == 1
    seat.goes(reverse("subscription", args=[told.pk]))
    expect(log).to_contain_text("(200)")
    log.get_by_role("button", name=f"Send event_{event.key.hex} again").click()
    expect(seat.page.get_by_text("It is sent again within a few seconds, under the same id.")).to_be_visible()
    assert tell(clock=lambda: datetime.now(UTC) + 2 * MINUTE) == 1
    seat.goes(reverse("subscription", args=[told.pk]))
    expect(log.locator(".try")).to_have_count(3)
    readable(seat, "told")
    assert received(program) == [("operation.standing_changed", f"event_{event.key.hex}")] * 3
    assert list(OutboxTry.objects.order_by("nth").values_list("status", flat=True)) == [503, 200, 200]

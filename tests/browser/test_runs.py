"""Runs, calls, tools and what is owed to agents in a real browser, empty, full and hostile: readable, quiet, inside it."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from escalation.models import User
from escalation.policy import Role
from operations import runs as bringing
from operations.models import Call
from operations.recording import delivering
from operations.recording.runs import say_of_tool
from tests.browser.conftest import Seat, sit_down
from tests.browser.test_people import HOSTILE, LONG, looked_at, readable
from tests.browser.test_screens import SIZES
from tests.escalation.building import HOUR, contract_of, operation
from tests.escalation.people import with_role
from tests.operations.imports.records import named
from tests.operations.runs.bringing import brought, chat

MINUTE = timedelta(minutes=1)
EMPTY = {"runs": "/runs", "tools": "/tools", "owed": "/owed"}
ASKED = json.dumps({"parcel": HOSTILE, "place": "East", "W" * 300: "x" * 300})


def runs_and_owed(person: User, *, now: datetime) -> dict[str, str]:
    """Runs with calls of each kind, one bound to an operation whose result is owed, one with nothing at all."""
    desk = contract_of(key="evil", name=HOSTILE)
    calls = [("W" * 300, ASKED, None), (HOSTILE, ASKED, HOSTILE * 40), ("call_3", ASKED, "read timed out")]
    hostile = brought(chat(*calls, tool=HOSTILE), name=HOSTILE, recipient_id=desk.recipient.pk).transcript.run
    brought(named("runstate/09_error_then_new_call_id_duplicate"), name="Night run")
    brought(named("mcp/mcp1_ok_and_timeout"), name=LONG)
    none = brought(chat(), name="Nothing").transcript.run
    say_of_tool(HOSTILE, "no_protected_effect", hint="W" * 100, by=LONG, now=now)
    settled = operation("order-1", parcel="Cedar", contract=desk, now=now - HOUR, effect=HOSTILE)
    settled.timed_out(now=now - HOUR + MINUTE)
    settled.issued("T-1", now=now - MINUTE)
    delivering.collect(settled.row, call="", run="", by="key unr_a", now=now)
    open_still = operation("order-2", parcel="Fir", now=now - HOUR)
    first, second, third = Call.objects.filter(run=hostile).order_by("place")
    bringing.bind(first, settled.id, by=person.username, now=now)
    page_of = {row.pk: reverse("run_call", args=[hostile.pk, row.pk]) for row in (first, second, third)}
    return {
        **EMPTY,
        "run": reverse("run", args=[hostile.pk]),
        "run-all": reverse("run", args=[hostile.pk]) + "?all=1",
        "run-none": reverse("run", args=[none.pk]),
        "call-bound": page_of[first.pk],
        "call-free": page_of[second.pk],
        "call-open": page_of[third.pk] + "?recipient=evil#open",
        "handover": reverse("handover", args=[settled.number]),
        "handover-none": reverse("handover", args=[open_still.number]),
    }


def brings(seat: Seat) -> None:
    """A record is looked at before it is kept; what is wrong with keeping it is said there."""
    seat.goes("/runs")
    content = json.dumps(
        {HOSTILE: 1, **json.loads(chat((HOSTILE, ASKED, None))), "authorization": {"W" * 300: "quokka"}}
    )
    seat.page.get_by_label("A state of the Agents SDK").set_input_files(
        {"name": HOSTILE + ".json", "mimeType": "application/json", "buffer": content.encode()}
    )
    seat.page.get_by_role("button", name="Look at it").click()
    readable(seat, "upload")


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_runs_and_what_is_owed_are_readable_by_everyone_and_say_nothing_on_the_console(
    chromium: Any, live_server: Any, person: User, width: int, scheme: str
):
    size = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    seat = sit_down(chromium, str(live_server), person, **size)
    looked_at(seat, {f"empty-{name}": path for name, path in EMPTY.items()})
    shown = runs_and_owed(person, now=datetime.now(UTC))
    looked_at(seat, shown)
    brings(seat)
    seat.page.context.close()
    reader = sit_down(chromium, str(live_server), with_role("reader", Role.VIEWER), **size)
    looked_at(reader, {f"reader-{name}": shown[name] for name in ("runs", "tools", "call-free")})
    reader.page.context.close()
    assert seat.complaints == reader.complaints == []

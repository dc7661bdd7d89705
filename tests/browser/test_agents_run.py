"""From a lost reply to the agent's next input, and nothing in between is made up but the model's words.

The example of client/examples runs at this desk's own door and at a collection desk that loses its reply. It stops, its
state is stored, a person finds the case in the queue, asks, and repairs the record from the receipt. Then the run goes on
from its state, and what its model is sent is taken down and checked.
"""

import asyncio
import json
import re
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from agents.testing import ScriptedModel
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page, expect

from escalation.celery import app
from escalation.models import User
from operations import models
from operations.keys import create_key
from operations.reading.owed import results_owed
from tests.browser.conftest import Seat
from tests.client.doors import awake
from tests.client.examples import example
from tests.client.scripted import outputs, request_of
from tests.operations.dispatching import KEY, may_send
from tests.operations.imports.records import encoded
from tests.operations.runs.bringing import brought
from tests.recipients.fixtures import CollectionDesk, collection_desk

__all__ = ["collection_desk"]
HOUR = 3600.0
PASSWORD = "correct horse battery staple 7"  # noqa: S105  # invented, for a person of this test
PASSES = "Every call that is owed an output has exactly one.\n"
MANAGED = pytest.mark.parametrize("conversation", [None, "conv_1"], ids=["stateless", "server-managed"])


class Agent:
    """The example's process: each step begins it anew, with nothing left of the last but its journal and the stored run."""

    def __init__(self, folder: Path, *, conversation: str | None) -> None:
        self.example = example("openai_agents_collection")
        self.stored, self.conversation = folder / "run.json", conversation
        self.model = ScriptedModel([])

    def begins(self) -> Any:
        """An hour ago: a person is called for what is unknown for so long."""
        self.model = ScriptedModel(self.example.SCRIPTS["begin"])
        here = self.example.parcels(self.model, clock=lambda: time.time() - HOUR)
        return self._ran(here, self.example.begin(here, self.stored, conversation_id=self.conversation))

    def goes_on(self) -> Any:
        self.model = ScriptedModel(self.example.SCRIPTS["resume"])
        here = self.example.parcels(self.model)
        return self._ran(here, self.example.resume(here, self.stored))

    def _ran(self, here: Any, run: Coroutine[Any, Any, Any]) -> Any:
        """Run it in a thread of its own, for Playwright's loop has this one; the process then ends."""
        with ThreadPoolExecutor(1) as process:
            found = process.submit(asyncio.run, run).result()
        here.recorder.ship()
        here.recorder.journal.close()
        return found

    def next_input(self) -> dict[str, Any]:
        """The request that its model was sent last, as it is taken down."""
        return request_of(self.model.calls[-1])


@pytest.fixture
def desk(
    collection_desk: CollectionDesk, live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> CollectionDesk:
    """The recipient: this desk may ask it, and the agent sends to it."""
    may_send(collection_desk, monkeypatch, scope="desk/main")
    awake(live_server.url)
    now = datetime.now(UTC)
    key = create_key("agent", scopes=["transport"], recipients=["collection-desk"], now=now, lasts=timedelta(days=1))
    settings = {"DESK_URL": live_server.url, "DESK_KEY": key, "TICKETS_URL": collection_desk.url, "PATIENCE": "30"}
    settings |= {"TICKETS_TOKEN": "credential-of-one", "RECIPIENT": "collection-desk"}
    for name, value in {**settings, "JOURNAL": str(tmp_path / "ops.db")}.items():
        monkeypatch.setenv(name, value)
    return collection_desk


@pytest.fixture
def seat(chromium: Any, live_server: Any, person: User) -> Iterator[Seat]:
    """An open browser in which nobody is signed in yet; the worker's work is done where it is asked for."""
    person.set_password(PASSWORD)
    person.save()
    app.conf.task_always_eager = True
    opened = Seat(chromium.new_context(viewport={"width": 1440, "height": 900}).new_page(), str(live_server))
    opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    yield opened
    opened.page.context.close()
    app.conf.task_always_eager = False
    assert opened.complaints == []


def signs_in(seat: Seat, person: User) -> Page:
    seat.goes(reverse("sign_in"))
    seat.page.get_by_label("User name").fill(person.username)
    seat.page.get_by_label("Password").fill(PASSWORD)
    seat.page.get_by_role("button", name="Sign in", exact=True).click()
    return seat.page


def finds_it_in_the_queue(page: Page, number: int) -> None:
    page.get_by_role("link", name="Issue one collection ticket for parcel Cedar at desk East").click()
    expect(page.locator("#panels").get_by_text("We don't know").first).to_be_visible()
    expect(page).to_have_url(re.compile(f"{reverse('operation', args=[number])}$"))


def asks_and_repairs(seat: Seat, number: int) -> None:
    seat.goes(reverse("observe", args=[number]))
    seat.page.locator("#way-record").get_by_role("button", name="Ask now").click()
    seat.goes(reverse("operation", args=[number]))
    expect(seat.page.locator("#panels").get_by_text("Yes, not in our books")).to_be_visible()
    seat.page.get_by_role("link", name="Compare and confirm").click()
    seat.page.get_by_role("radio").first.check()
    seat.page.get_by_role("checkbox").check()
    seat.page.get_by_role("button", name="Repair our record").click()
    expect(seat.page.get_by_text("Our record is repaired. Nothing was sent.")).to_be_visible()


def checked(state: str, request: Any, folder: Path) -> tuple[int, str]:
    """What `check_next_input` says of a request that followed a state: its exit status, and its lines."""
    files = [folder / "state.json", folder / "request.json"]
    files[0].write_text(state)
    files[1].write_text(json.dumps(request))
    return _said(*map(str, files))


def _said(*asked: str) -> tuple[int, str]:
    said = StringIO()
    try:
        call_command("check_next_input", *asked, stdout=said)
    except SystemExit as ended:
        return int(str(ended.code)), said.getvalue()
    return 0, said.getvalue()


@MANAGED
def test_a_lost_reply_comes_back_to_the_agent_once_a_person_repaired_it(seat, person, desk, tmp_path, conversation):
    desk.control.tell(key=KEY, reply="lost")
    agent = Agent(tmp_path, conversation=conversation)
    stopped = agent.begins()
    assert [item.name for item in stopped.interruptions] == ["print_label"]
    before = agent.stored.read_text()
    made = models.Operation.objects.get()
    assert (made.call, made.evidence, len(desk.control.tickets(KEY))) == ("call_Tk31", "unknown", 1)
    finds_it_in_the_queue(signs_in(seat, person), made.number)
    asks_and_repairs(seat, made.number)
    assert [one.operation.id for one in results_owed(among=None, limit=9)] == [made.id]
    assert agent.goes_on().final_output == "The ticket is issued."
    [told] = outputs(agent.model.calls[-1])["call_Tk31"]
    assert (told["operation"], told["next"], told["evidence"]) == (str(made.id), "applied", "applied")
    assert results_owed(among=None, limit=9) == []
    assert len(desk.control.truth(KEY)["passages"]) == len(desk.control.tickets(KEY)) == 1
    sent = agent.next_input()
    assert checked(before, sent, tmp_path) == (0, PASSES)
    _fails_as_before(before, sent, tmp_path)
    _is_brought_to_the_desk(before, sent)


def _is_brought_to_the_desk(before: str, sent: dict[str, Any]) -> None:
    """The same records, kept as a run: the answer that was open and the one that was sent are one output of one call."""
    run = brought(before.encode()).transcript.run
    brought(encoded([{"request": sent, "response": {"id": "resp_2", "output": []}}]), run=run, at=1)
    assert _said("--run", str(run.pk)) == (0, PASSES)
    call = models.Call.objects.get(run=run, call_id="call_Tk31")
    assert (call.reasons, call.open) == ([], False)


def _fails_as_before(before: str, sent: dict[str, Any], folder: Path) -> None:
    """What the SDK did before its mending left the output out; and one that is sent twice is as wrong."""
    lost = [item for item in sent["input"] if item.get("call_id") != "call_Tk31"]
    twice = [*sent["input"], *[item for item in sent["input"] if item.get("call_id") == "call_Tk31"]]
    assert checked(before, {**sent, "input": lost}, folder) == (
        1,
        "call_Tk31 (issue_ticket) is owed an output, and no request carries one.\n",
    )
    assert checked(before, {**sent, "input": twice}, folder) == (
        1,
        "call_Tk31 (issue_ticket) has its output more than once.\n",
    )

"""A reply of the model is lost: what the client built, what the service received and what was repeated are three records.

The answer that the agent sends is this desk's own, of an operation that was settled here. What the desk can know of its
way to the model is what a record of the agent's side shows: sent, no reply. That it arrived, and that it did not, look the
same there, so the result stays owed, and nothing sends it again.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from escalation.screens.handing_over import NOT_AGAIN, SENT, SETTLES
from operations import models
from operations.keys import create_key
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.people import with_role
from tests.flows.model_service import ASKED, CALL, REPEAT, Agent, Loses, Service, model_service
from tests.operations.api.calls import Program
from unresolved.envelope import from_desk
from unresolved.kept import Known

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def an_hour_later() -> Iterator[None]:
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def service() -> Iterator[Service]:
    with model_service() as opened:
        yield opened


@pytest.fixture
def mira(client: Client) -> Client:
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


@pytest.fixture
def settled() -> Made:
    """An operation that the desk learnt to have happened, after the recipient's reply was lost."""
    made = operation("order-1", parcel="Cedar", contract=contract_of(key="desk", name="Desk"))
    made.timed_out(now=T0)
    made.issued("T-1", now=T0)
    return made


def collector() -> Program:
    """The agent's side at the desk's door."""
    return Program(create_key("night run", scopes=("collect",), recipients=("desk",), now=T0, lasts=2 * HOUR))


def answer(made: Made) -> str:
    """What the agent's side hands its model of the operation: the envelope of our client, of what the desk's door gave out."""
    door = collector()
    got = door.post(f"/operations/{made.id}/result", {"call": CALL, "run": "night run"})
    assert (got.status, got.body["owed"]) == (200, True)
    of = Known(
        key=1,
        recipient="desk",
        identity=made.identity,
        digest="",
        tool=ASKED["name"],
        arguments=ASKED["arguments"].encode(),
        scope="desk-east",
    )
    return from_desk(door.get(f"/operations/{made.id}").body, of, None, grant=None).as_text()


def resumed(service: Service, output: str, *, loses: list[Loses], repeats: int = 2) -> Agent:
    """An agent whose model asked for the call, and that sends its output while this is lost."""
    agent = Agent(service, repeats=repeats)
    assert agent.asks([{"role": "user", "content": "Cedar is to be collected in the East."}])
    service.loses += loses
    agent.layer.numbers.clear()
    agent.sends_output(output)
    return agent


def brought(client: Client, content: bytes, *, into: str = "new") -> models.Run:
    """Bring a record at the screen and keep it."""
    seen = client.post(reverse("runs"), {"record": SimpleUploadedFile("log.json", content)})
    chosen = {"into": into, "name": "Night run", "recipient": "several"}
    assert client.post(seen.headers["Location"], chosen).status_code == 302
    return models.Run.objects.latest("pk")


def bound(client: Client, agent: Agent, made: Made) -> models.Run:
    """Bring the agent's log, and say as a person which operation its call belongs to."""
    run = brought(client, agent.written())
    page = reverse("run_call", args=[run.pk, models.Call.objects.get(run=run, call_id=CALL).pk])
    assert client.post(page, {"act": "bind", "number": made.number}).status_code == 302
    return run


def call_facts(client: Client, made: Made) -> dict[str, str]:
    """What the run's records show of the call, as the page of the hand-over has it."""
    [(_, facts)] = client.get(reverse("handover", args=[made.number])).context["calls"]
    return {fact.name: fact.word for fact in facts}


def handed(client: Client, made: Made) -> dict[str, Any]:
    """The four facts of the hand-over."""
    return {fact.name: fact for fact in client.get(reverse("handover", args=[made.number])).context["facts"]}


def owed_lines(client: Client) -> list[Any]:
    found: list[Any] = client.get(reverse("owed")).context["lines"]
    return found


def as_read(text: str) -> str:
    return text.replace("&#x27;", "'")


def main_of(text: str) -> str:
    """The page without the bar above it, in which one signs out and searches."""
    found = re.search(r"<main.*</main>", text, re.DOTALL)
    assert found
    return found[0]


def test_a_request_that_never_arrived_leaves_the_client_the_very_same_record(service, settled):
    output = answer(settled)
    lost_reply = resumed(service, output, loses=[Loses.REPLY] * 3)
    assert service.times(CALL) == 3
    service.received.clear()
    lost_request = resumed(service, output, loses=[Loses.REQUEST] * 3)
    assert service.times(CALL) == 0
    assert lost_request.written() == lost_reply.written()
    assert lost_request.layer.numbers == lost_reply.layer.numbers == [0, 1, 2]


def test_three_records_of_one_lost_reply_differ(service, settled):
    agent = resumed(service, answer(settled), loses=[Loses.REPLY] * 3)
    built = [row for row in agent.log if any(item.get("call_id") == CALL for item in row["request"]["input"])]
    assert [row["response"] for row in built] == [None]
    assert agent.layer.numbers == [0, 1, 2]
    assert service.times(CALL) == 3
    copies = service.received[1:]
    assert [number for number, _ in copies] == ["0", "1", "2"]
    assert [body for _, body in copies] == [built[0]["request"]] * 3


def test_a_client_that_repeats_nothing_is_seen_once(service, settled):
    agent = resumed(service, answer(settled), loses=[Loses.REPLY], repeats=0)
    assert (agent.log[-1]["response"], agent.layer.numbers, service.times(CALL)) == (None, [0], 1)


@pytest.mark.parametrize("lost", [Loses.REPLY, Loses.REQUEST])
def test_what_is_known_is_that_it_was_sent_without_a_reply_whether_or_not_it_arrived(mira, service, settled, lost):
    agent = resumed(service, answer(settled), loses=[lost] * 3)
    bound(mira, agent, settled)
    found = call_facts(mira, settled)
    assert (found["Produced"], found["Delivered"], found["Consumed"]) == ("yes", "sent no reply", "unknown")
    facts = handed(mira, settled)
    assert (facts["Delivered"].word, facts["Consumed"].word) == ("sent, no reply", "not known")
    [evidence] = facts["Delivered"].evidence
    assert "record brought by mira" in evidence
    assert "/1/request/input/0 of log.json" in evidence


def test_the_result_stays_owed_and_both_pages_say_what_would_settle_it(mira, service, settled):
    bound(mira, resumed(service, answer(settled), loses=[Loses.REPLY] * 3), settled)
    assert [line.owed.operation.id for line in owed_lines(mira)] == [settled.id]
    for page in (reverse("owed"), reverse("handover", args=[settled.number])):
        text = as_read(mira.get(page).text)
        for sentence in ("sent, no reply", SENT, SETTLES, NOT_AGAIN):
            assert sentence in text


def test_no_page_offers_to_send_it_and_the_desk_sends_nothing(mira, service, settled):
    before = models.Operation.objects.filter(pk=settled.id).values().get()
    agent = resumed(service, answer(settled), loses=[Loses.REPLY] * 3)
    received = list(service.received)
    bound(mira, agent, settled)
    for page in (reverse("owed"), reverse("handover", args=[settled.number])):
        main = main_of(mira.get(page).text)
        assert not re.search(r"<form|<button|<input|hx-(?:post|put|patch|delete)|formaction", main)
        assert mira.post(page).status_code == 405
    assert service.received == received
    assert agent.layer.numbers == [0, 1, 2]
    assert not models.Dispatch.objects.exists()
    assert models.Operation.objects.filter(pk=settled.id).values().get() == before


def test_the_same_record_again_says_no_more(mira, service, settled):
    agent = resumed(service, answer(settled), loses=[Loses.REPLY] * 3)
    run = bound(mira, agent, settled)
    brought(mira, agent.written(), into=str(run.pk))
    steps = models.Delivery.objects.order_by("recorded_at", "pk").values_list("step", flat=True)
    assert sorted(steps) == ["collected", "sent"]


def test_the_services_own_list_settles_that_it_arrived_and_not_that_it_was_read(mira, service, settled):
    run = bound(mira, resumed(service, answer(settled), loses=[Loses.REPLY] * 3), settled)
    brought(mira, service.conversation(), into=str(run.pk))
    facts = handed(mira, settled)
    assert (facts["Delivered"].word, facts["Consumed"].word) == ("yes", "not known")
    assert owed_lines(mira) == []


def test_the_services_own_list_without_it_leaves_it_owed(mira, service, settled):
    run = bound(mira, resumed(service, answer(settled), loses=[Loses.REQUEST] * 3), settled)
    brought(mira, service.conversation(), into=str(run.pk))
    assert handed(mira, settled)["Delivered"].word == "sent, no reply"
    assert len(owed_lines(mira)) == 1


def test_the_word_of_the_agents_side_settles_that_it_has_it(mira, service, settled):
    bound(mira, resumed(service, answer(settled), loses=[Loses.REPLY] * 3), settled)
    links = models.Delivery.objects.get(step="collected").links
    told = {"event": "d1", "step": "acknowledged", "links": links, "call": CALL}
    assert collector().post(f"/operations/{settled.id}/deliveries", told).status == 201
    facts = handed(mira, settled)
    assert (facts["Delivered"].word, facts["Consumed"].word) == ("yes", "not known")


def test_a_later_request_of_the_agents_own_that_is_answered_settles_both(mira, service, settled):
    output = answer(settled)
    agent = resumed(service, output, loses=[Loses.REPLY], repeats=0)
    run = bound(mira, agent, settled)
    assert agent.sends_output(output)
    brought(mira, agent.written(), into=str(run.pk))
    facts = handed(mira, settled)
    assert (facts["Delivered"].word, facts["Consumed"].word) == ("yes", "yes")
    assert "output_sent_more_than_once" in models.Call.objects.get(call_id=CALL).reasons
    assert service.times(CALL) == 2


def test_a_repeat_that_was_answered_hides_from_the_client_that_it_was_one(mira, service, settled):
    agent = resumed(service, answer(settled), loses=[Loses.REPLY])
    bound(mira, agent, settled)
    assert (len(agent.log), agent.layer.numbers, service.times(CALL)) == (2, [0, 1], 2)
    assert REPEAT not in agent.written().decode()
    assert call_facts(mira, settled)["Delivered"] == "request answered"
    assert models.Call.objects.get(call_id=CALL).reasons == []


def test_a_reply_that_is_kept_shows_both_delivered_and_consumed(mira, service, settled):
    agent = resumed(service, answer(settled), loses=[])
    bound(mira, agent, settled)
    assert (agent.layer.numbers, service.times(CALL)) == ([0], 1)
    found, facts = call_facts(mira, settled), handed(mira, settled)
    assert (found["Delivered"], found["Consumed"]) == ("request answered", "yes")
    assert (facts["Delivered"].word, facts["Consumed"].word) == ("yes", "yes")
    assert owed_lines(mira) == []

"""What is owed to agents is read with its evidence; giving it out is none, and neither is a record of another kind."""

import json

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from operations import models, runs
from operations.reading.owed import results_owed
from operations.recording import delivering
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.people import viewer, with_role
from tests.operations.runs.bringing import brought, chat

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def an_hour_later():
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def settled() -> Made:
    """An operation that the desk learnt to have happened, after its reply was lost."""
    made = operation("order-1", parcel="Cedar", contract=contract_of(key="desk", name="Desk"))
    made.timed_out(now=T0)
    made.issued("T-1", now=T0)
    return made


def answer(made: Made, *, evidence: str = "applied", finality: str = "settled", of: str = "") -> str:
    """What this desk answers an agent, as its client gives it to the model."""
    told = {"operation": of or str(made.id), "evidence": evidence, "finality": finality, "conflict": False}
    return json.dumps(told)


def bound(made: Made, output: str | None, *, then: bool = True) -> models.Call:
    """A call of a run with this output, bound to the operation; `then`: the model spoke after it."""
    calls = [("call_1", "{}", output), *([("call_2", "{}", None)] if then else [])]
    run = brought(chat(*calls)).transcript.run
    call = models.Call.objects.get(run=run, call_id="call_1")
    runs.bind(call, made.id, by="mira", now=T0 + HOUR)
    return call


def facts(client: Client, made: Made) -> dict[str, str]:
    shown = client.get(reverse("handover", args=[made.number]))
    assert shown.status_code == 200
    return {fact.name: fact.word for fact in shown.context["facts"]}


def test_nothing_owed_is_said_in_words(client):
    client.force_login(viewer())
    assert "Nothing is owed" in client.get(reverse("owed")).text


def test_what_one_may_not_read_is_not_listed(client, settled):
    other = contract_of(key="other", name="Other").recipient
    client.force_login(with_role("ada", Role.REVIEWER, recipient=other))
    assert f"/operations/{settled.number}/handover" not in client.get(reverse("owed")).text
    assert client.get(reverse("handover", args=[settled.number])).status_code == 404


def test_a_settled_result_stands_there_with_its_age_and_no_owner(client, settled):
    client.force_login(viewer())
    text = client.get(reverse("owed")).text
    assert "It happened." in text
    assert "1 h 00 min ago" in text
    assert "nobody" in text
    assert facts(client, settled) == {"Produced": "yes", "Kept": "yes", "Delivered": "no", "Consumed": "not known"}


def test_what_was_given_out_is_not_shown_as_delivered(client, settled):
    delivering.collect(settled.row, call="", run="", by="key unr_a", now=T0)
    client.force_login(viewer())
    assert facts(client, settled)["Delivered"] == "given out, not acknowledged"


def test_delivered_and_consumed_are_two_facts(client, settled):
    given = delivering.collect(settled.row, call="", run="", by="key unr_a", now=T0)
    client.force_login(viewer())
    for step, consumed in ((delivering.Step.ACKNOWLEDGED, "not known"), (delivering.Step.ANSWERED, "yes")):
        told = delivering.Told(event=step.value, step=step, links=given.links, call="call_1")
        delivering.tell(settled.id, told, by="key unr_a", now=T0)
        found = facts(client, settled)
        assert (found["Delivered"], found["Consumed"]) == ("yes", consumed)
    assert "Nothing is owed" in client.get(reverse("owed")).text


@pytest.mark.parametrize(
    "output",
    [
        None,
        '{"ticket": "T-1"}',
        "It is done.",
        json.dumps({"operation": "another", "evidence": "applied"}),
        json.dumps({"operation": None, "evidence": "applied"}),
    ],
)
def test_no_other_output_evidences_that_the_result_arrived(settled, output):
    bound(settled, output)
    assert not models.Delivery.objects.exists()
    assert len(results_owed(among=None, limit=9)) == 1


@pytest.mark.parametrize(("evidence", "finality"), [("unknown", "possible"), ("not_applied", "excluded")])
def test_an_answer_from_before_it_was_settled_evidences_nothing(settled, evidence, finality):
    bound(settled, answer(settled, evidence=evidence, finality=finality))
    assert not models.Delivery.objects.exists()


def test_an_answer_that_no_request_is_known_to_have_carried_evidences_nothing(settled):
    bound(settled, answer(settled), then=False)
    assert not models.Delivery.objects.exists()


def test_the_desks_own_answer_in_what_the_model_read_evidences_both(client, settled):
    bound(settled, answer(settled))
    client.force_login(viewer())
    found = facts(client, settled)
    assert (found["Delivered"], found["Consumed"]) == ("yes", "yes")
    text = client.get(reverse("handover", args=[settled.number])).text
    assert "record brought by mira" in text
    assert "/messages/1 of state.json" in text
    assert results_owed(among=None, limit=9) == []


def test_a_later_record_of_the_run_evidences_it_too(settled):
    call = bound(settled, None, then=False)
    assert not models.Delivery.objects.exists()
    brought(chat(("call_1", "{}", answer(settled)), ("call_2", "{}", None)), run=call.run)
    assert models.Delivery.objects.get().step == "answered"


def test_the_same_evidence_again_is_one_row(settled):
    call = bound(settled, answer(settled))
    brought(chat(("call_1", "{}", answer(settled)), ("call_2", "{}", None), ("call_3", "{}", None)), run=call.run)
    assert models.Delivery.objects.count() == 1


def test_an_import_changes_nothing_that_is_known_of_the_operation(settled):
    before = models.Operation.objects.filter(pk=settled.id).values().get()
    bound(settled, answer(settled))
    assert models.Operation.objects.filter(pk=settled.id).values().get() == before


def test_a_run_that_one_may_not_read_is_not_told_of(client, settled):
    bound(settled, answer(settled))
    client.force_login(with_role("ada", Role.REVIEWER, recipient=settled.row.recipient))
    assert "call_1</bdi></code></a>" not in client.get(reverse("handover", args=[settled.number])).text

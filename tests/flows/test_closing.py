"""A lost reply, a decision, the agent's closing request and its answer, through the agents' door, the desk counting tickets."""

from datetime import timedelta

import pytest

from escalation.policy import Role
from operations import models
from operations.core.standing import Situation
from operations.keys import create_key
from tests.escalation.closings import CLOSING, decided, may_close, now
from tests.escalation.people import with_role
from tests.operations.api.calls import Program, in_base64
from tests.operations.dispatching import KEY, lost

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, whose closing request is documented."""
    may_close(collection_desk, monkeypatch)
    return collection_desk


def program(*recipients):
    made = create_key("an agent", scopes=("transport",), recipients=recipients, now=now(), lasts=timedelta(days=1))
    return Program(made)


@pytest.fixture
def agent(desk):
    """A program that owns its sockets at both."""
    return program("collection-desk", CLOSING)


def told(agent, made):
    (only,) = agent.get(f"/operations/{made}/standing").body["decisions"]
    return only


def begun(agent, new):
    grant = agent.get(f"/operations/{new['operation']}/grant").body
    begin = {"id": "c1", "sends": "one", "scope": "account one", "grant": grant["grant"], "digest": grant["digest"]}
    return agent.post(f"/operations/{new['operation']}/attempts", begin)


def reported(agent, new, reply, event="c1"):
    said = {
        "event": event,
        "attempt": "c1",
        "status": reply.status,
        "headers": [[name, value] for name, value in reply.headers.items()],
        "body": in_base64(reply.body),
    }
    return agent.post(f"/operations/{new['operation']}/replies", said)


def situation(made):
    return models.Operation.objects.get(id=made).situation


def test_an_agent_of_the_original_alone_is_given_no_grant_for_what_closes_it(desk):
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR), executor="agent")
    only_original = program("collection-desk")
    new = told(only_original, made)["closed_by"]
    assert only_original.get(f"/operations/{new['operation']}/grant").status == 404


def test_without_its_grant_nothing_is_begun(desk, agent):
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR), executor="agent")
    new = told(agent, made)["closed_by"]
    found = agent.post(f"/operations/{new['operation']}/attempts", {"id": "c1", "sends": "one", "scope": "account one"})
    assert (found.status, found.rule) == (409, "grant_needed")
    assert agent.get(f"/operations/{made}/grant").status == 404


def test_the_agent_closes_what_was_lost_and_no_ticket_is_ever_issued(desk, agent):
    desk.control.tell(request="lost")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR), executor="agent")
    said = told(agent, made)
    assert (said["says"], said["agent"], said["superseded_by"]) == ("closing_authorised", "do_not_resend", None)
    new = said["closed_by"]
    assert (new["request"]["method"], new["request"]["target"]) == ("POST", f"/operations/{KEY}/close")
    assert begun(agent, new).status == 201
    reply = desk.public.close(KEY).reply
    for _ in range(2):  # told twice, stored once
        assert reported(agent, new, reply).status in (200, 201)
    assert situation(made) == Situation.CLOSED
    assert models.Observation.objects.filter(operation_id=made, channel="closing_reply").count() == 1
    desk.control.copy("p1")  # the lost request arrives after all
    assert desk.control.tickets(KEY) == []


def test_a_refusal_that_the_agent_reports_settles_nothing(desk, agent):
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR), executor="agent")
    new = told(agent, made)["closed_by"]
    begun(agent, new)
    desk.control.tell(door="close", handling="turn_away", status=409)
    reported(agent, new, desk.public.close(KEY).reply)
    assert situation(made) == Situation.OPEN


def test_nobodys_name_is_told_to_the_agent(desk, agent):
    made = lost()
    decided(made, with_role("mira", Role.OPERATOR), executor="agent")
    assert "mira" not in str(told(agent, made))

"""A result is owed until it is evidenced that it arrived; that it was given out evidences nothing. Refusals first."""

from uuid import UUID, uuid4

import pytest

from operations import models, recording
from operations.core.actions import Action
from operations.reading.owed import Why, deliveries, results_owed
from tests.operations.api.calls import program, reply
from tests.operations.api.test_decisions import leave
from tests.operations.rows import claimed, later, observed, report

pytestmark = pytest.mark.django_db
BY_AGENT = "key unr_agent"


@pytest.fixture
def collector():
    """Whoever fetches results."""
    return program("collect")


def owed(**more) -> list[tuple[str, list[Why]]]:
    found = results_owed(among=None, limit=10, **more)
    return [(str(one.operation.id), list(one.why)) for one in found]


def acknowledged(caller, operation: str, links: int, *, event: str = "d1", **more):
    told = {"event": event, "step": "acknowledged", "links": links, **more}
    return caller.post(f"/operations/{operation}/deliveries", told)


def fetched(caller, operation: str, **more):
    return caller.post(f"/operations/{operation}/result", more)


def test_nothing_is_owed_while_nothing_is_settled_or_decided(collector, operation):
    observed(UUID(operation), "pending")
    got = fetched(collector, operation).body
    assert (got["owed"], got["owed_since"], owed()) == (False, None, [])
    assert not models.Delivery.objects.exists()


def test_what_the_agents_side_reported_itself_is_not_owed_to_it(wire, collector, operation):
    recording.observe(
        UUID(operation), report("r", channel="record"), claimed=claimed("applied"), now=later(60), source=BY_AGENT
    )
    observed(UUID(operation), "applied", event="poll", at=90)
    assert owed() == []


def test_a_result_that_nobody_was_given_is_not_acknowledged(collector, operation):
    observed(UUID(operation), "applied")
    found = acknowledged(collector, operation, 3)
    assert (found.status, found.rule, len(owed())) == (409, "not_collected", 1)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"step": "collected"}, "/step"),
        ({"links": 0}, "/links"),
        ({"links": True}, "/links"),
        ({"event": ""}, "/event"),
    ],
)
def test_a_step_that_is_none_is_refused(collector, operation, wrong, field):
    observed(UUID(operation), "applied")
    links = fetched(collector, operation).body["links"]
    told = {"event": "d1", "step": "acknowledged", "links": links, **wrong}
    found = collector.post(f"/operations/{operation}/deliveries", told)
    assert (found.status, [one for one, _ in found.wrong]) == (422, [field])
    assert len(owed()) == 1


def test_that_it_was_given_out_is_no_evidence_that_it_arrived(collector, operation):
    observed(UUID(operation), "applied")
    assert fetched(collector, operation).body["owed"] is True
    [one] = results_owed(among=None, limit=9)
    assert (one.why, one.collected_at is not None) == ((Why.SETTLED,), True)


def test_fetching_again_records_nothing_more(collector, operation):
    observed(UUID(operation), "applied")
    first, again = fetched(collector, operation), fetched(collector, operation)
    assert first.body["links"] == again.body["links"]
    assert models.Delivery.objects.count() == 1


def test_an_acknowledged_result_is_owed_no_more(collector, operation):
    observed(UUID(operation), "applied")
    links = fetched(collector, operation, call="call_1", run="run 7").body["links"]
    found = acknowledged(collector, operation, links, call="call_1")
    assert (found.status, found.body["created"], found.body["owed"], owed()) == (201, True, False, [])
    assert [(row.step, row.call) for row in deliveries(UUID(operation))] == [
        ("collected", "call_1"),
        ("acknowledged", "call_1"),
    ]


def test_the_same_event_again_changes_nothing_and_another_step_under_it_is_refused(collector, operation):
    observed(UUID(operation), "applied")
    links = fetched(collector, operation).body["links"]
    assert acknowledged(collector, operation, links).status == 201
    again = acknowledged(collector, operation, links)
    assert (again.status, again.body["created"]) == (200, False)
    other = acknowledged(collector, operation, links, step="answered")
    assert (other.status, other.rule) == (409, "event_differs")
    assert models.Delivery.objects.count() == 2


def test_what_is_decided_later_is_owed_anew(collector, operation):
    observed(UUID(operation), "applied")
    acknowledged(collector, operation, fetched(collector, operation).body["links"])
    with recording.writing(UUID(operation), now=later(120)) as pen:
        recording.decide(
            pen,
            Action.RECORD,
            door="repair_record",
            once=uuid4(),
            revision=pen.operation.revision,
            content={},
            by="mira",
        )
        pen.finish()
    assert owed() == [(operation, [Why.DECIDED])]
    assert results_owed(among=None, limit=9)[0].since == later(120)


def test_a_second_reading_of_what_the_agent_was_told_is_no_news(collector, operation):
    observed(UUID(operation), "applied")
    acknowledged(collector, operation, fetched(collector, operation).body["links"])
    observed(UUID(operation), "applied", event="again", at=200)
    assert owed() == []


def test_an_acknowledgement_of_an_older_result_leaves_the_newer_one_owed(collector, operation):
    leave(operation, until=3600)
    old = fetched(collector, operation).body["links"]
    observed(UUID(operation), "applied", at=200)
    acknowledged(collector, operation, old)
    assert owed() == [(operation, [Why.SETTLED])]


def test_no_effect_for_good_is_owed_too(collector, operation):
    observed(UUID(operation), "closed")
    assert owed() == [(operation, [Why.SETTLED])]
    acknowledged(collector, operation, fetched(collector, operation).body["links"])
    assert owed() == []


def test_a_decision_to_leave_it_is_owed_while_nothing_is_settled(operation):
    leave(operation, until=3600)
    assert owed() == [(operation, [Why.DECIDED])]


def test_a_risk_that_nobody_accepted_yet_is_no_result(operation):
    leave(operation, until=3600, door="business_exception")
    assert owed() == []


def test_what_is_owed_is_narrowed_to_recipients_age_and_one_operation(operation):
    leave(operation, until=3600)
    recipient = models.Recipient.objects.get().pk
    since = results_owed(among=[recipient], limit=1)[0].since
    assert results_owed(among=[recipient + 1], limit=9) == []
    assert results_owed(among=None, limit=9, since_before=since) == []
    assert owed(operation=UUID(operation)) == [(operation, [Why.DECIDED])]
    assert owed(operation=uuid4()) == []


def test_an_agent_that_reads_the_desks_own_word_learns_it_with_the_result(wire, collector, operation):
    wire.post(f"/operations/{operation}/replies", reply())
    got = fetched(collector, operation).body
    assert got["standing"]["operation"] == operation
    assert set(got) >= {"identity", "number", "effect", "links", "owed"}


def test_a_batch_tells_of_a_hand_over_as_the_single_call_does(wire, operation):
    observed(UUID(operation), "applied")
    links = fetched(wire, operation).body["links"]
    told = {"kind": "deliver", "operation": operation, "event": "d1", "step": "answered", "links": links}
    for status in (201, 200):
        [found] = wire.post("/batch", {"items": [told]}).body["results"]
        assert (found["status"], found["body"]["owed"]) == (status, False)
    [refused] = wire.post("/batch", {"items": [{**told, "event": "d2", "links": links + 9}]}).body["results"]
    assert (refused["status"], refused["body"]["type"]) == (409, "urn:unresolved:not_collected")

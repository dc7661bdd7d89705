"""An agent asks for a person: words that call somebody, are kept once, settle nothing, and are bounded."""

import pytest

from operations import models
from operations.needing import MOST
from operations.reading.needing import NEEDS_PERSON, needing
from tests.operations.api.calls import reply, rows

pytestmark = pytest.mark.django_db
ASKING = {"event": "p1", "words": "The customer stands at the counter: somebody please look.", "attempt": "a1"}


def path(operation) -> str:
    return f"/operations/{operation}/person"


def test_only_a_key_of_scope_agent_asks(wire, operation):
    before = rows()
    found = wire.post(path(operation), ASKING)
    assert (found.status, rows()) == (403, before)


def test_without_words_nothing_is_written(agent, operation):
    before = rows()
    found = agent.post(path(operation), {"event": "p1"})
    assert (found.status, found.wrong, rows()) == (422, [("/words", "missing")], before)


def test_once_the_outcome_is_established_nobody_is_called(wire, agent, operation):
    assert wire.post(f"/operations/{operation}/replies", reply()).status == 201
    before = rows()
    found = agent.post(path(operation), ASKING)
    assert (found.status, found.rule, rows()) == (409, "nothing_open", before)


def test_what_was_asked_before_it_was_settled_may_be_told_again(wire, agent, operation):
    agent.post(path(operation), ASKING)
    wire.post(f"/operations/{operation}/replies", reply())
    found = agent.post(path(operation), ASKING)
    assert (found.status, found.body["created"]) == (200, False)


def test_the_same_event_with_other_words_is_refused(agent, operation):
    agent.post(path(operation), ASKING)
    found = agent.post(path(operation), {**ASKING, "words": "Something else."})
    assert (found.status, found.rule) == (409, "event_differs")


def test_asking_on_and_on_is_refused_until_an_hour_has_passed(agent, operation, clock):
    for turn in range(MOST):
        assert agent.post(path(operation), {**ASKING, "event": f"p{turn}"}).status == 201
    before = rows()
    found = agent.post(path(operation), {**ASKING, "event": "more"})
    assert (found.status, found.rule, rows()) == (429, "asked_too_often", before)
    assert 0 < int(found.headers["Retry-After"]) <= 3_600
    clock.shift(3_601)
    assert agent.post(path(operation), {**ASKING, "event": "more"}).status == 201


def test_it_is_kept_once_as_words_and_settles_nothing(agent, operation):
    first, second = agent.post(path(operation), ASKING), agent.post(path(operation), ASKING)
    assert (first.status, second.status, first.body["observation"]) == (201, 200, second.body["observation"])
    kept = models.Observation.objects.get()
    assert (kept.words, kept.fact, kept.authentic) == (ASKING["words"], NEEDS_PERSON, False)
    assert first.body["standing"]["evidence"] == "unknown"
    assert needing([kept.operation_id]) == {kept.operation_id}


def test_words_that_ask_for_nobody_call_nobody(agent, operation):
    agent.post(f"/operations/{operation}/words", ASKING)
    assert needing([models.Operation.objects.get().id]) == frozenset()

"""A call on the wire is a call of the model by a person's word alone; refusals first."""

import json

import pytest

from operations import models, runs
from operations.reading import runs as reading
from operations.recording import links
from tests.operations.runs.bringing import BY, brought, chat, later

pytestmark = pytest.mark.django_db


def wire(*ids: int, parcel: str = "Cedar") -> bytes:
    """A log of calls without answers."""
    asked = {"name": "issue_ticket", "arguments": {"parcel": parcel}}
    messages = [{"jsonrpc": "2.0", "id": one, "method": "tools/call", "params": asked} for one in ids]
    return b"\n".join([json.dumps({"t": 1.0, "dir": "client->server", "msg": one}).encode() for one in messages])


@pytest.fixture
def both() -> tuple[models.Run, models.Call, models.Call]:
    row = brought(chat(("call_1", '{"parcel": "Cedar"}', None), ("call_2", '{"parcel": "Oak"}', None))).transcript.run
    brought(wire(4), run=row, at=1)
    return row, row.calls.get(call_id="c4"), row.calls.get(call_id="call_1")


def test_what_nothing_makes_probable_is_not_linked(both):
    run, on_the_wire, _ = both
    with pytest.raises(runs.NotProbable):
        runs.confirm(run, on_the_wire, run.calls.get(call_id="call_2").pk, by=BY, now=later(2))
    assert not models.CallLink.objects.exists()


def test_two_calls_of_one_side_are_two():
    run = brought(chat(("a", "{}", None), ("b", "{}", None))).transcript.run
    assert runs.probable(run, run.calls.get(call_id="a")) == []


def test_a_call_that_is_the_same_as_one_is_not_the_same_as_another(both):
    run, on_the_wire, of_the_model = both
    runs.confirm(run, on_the_wire, of_the_model.pk, by=BY, now=later(2))
    brought(wire(5), run=run, at=3)
    with pytest.raises(links.AlreadyLinked):
        runs.confirm(run, run.calls.get(call_id="c5"), of_the_model.pk, by=BY, now=later(4))


@pytest.mark.parametrize("from_the_wire", [True, False])
def test_it_is_probable_from_either_side_and_said_once(both, from_the_wire):
    run, on_the_wire, of_the_model = both
    here, there = (on_the_wire, of_the_model) if from_the_wire else (of_the_model, on_the_wire)
    assert [one.row for one in runs.probable(run, here)] == [there]
    first = runs.confirm(run, here, there.pk, by=BY, now=later(2))
    again = runs.confirm(run, there, here.pk, by=BY, now=later(3))
    assert (first.wire, first.model, again.pk) == (on_the_wire, of_the_model, first.pk)


def test_it_changes_no_fact_and_no_list(both):
    run, on_the_wire, of_the_model = both
    before = [call.shown() for call in runs.calls_of(run)]
    runs.confirm(run, on_the_wire, of_the_model.pk, by=BY, now=later(2))
    assert [call.shown() for call in runs.calls_of(run)] == before
    assert reading.is_listed(on_the_wire)


def test_a_link_that_is_ended_stays_on_record(both):
    run, on_the_wire, of_the_model = both
    runs.confirm(run, on_the_wire, of_the_model.pk, by=BY, now=later(2))
    assert links.unlink(of_the_model, by=BY, now=later(3))
    assert not links.unlink(on_the_wire, by=BY, now=later(4))
    assert [one.ended_by for one in reading.links_of(on_the_wire)] == [BY]

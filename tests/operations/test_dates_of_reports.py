"""What a recipient dates to the second is not taken for word of an attempt that nobody has on record."""

import json

import pytest

from operations import models, reading
from operations.contracts.loading import library_text
from operations.core.standing import Evidence
from operations.recording import Report, register
from operations.recording.publishing import publish
from operations.reporting import report
from operations.rereading import reread
from tests.operations.api.calls import issued
from tests.operations.rows import BY, binding, intent, later

pytestmark = pytest.mark.django_db

HALF = 0.4  # seconds after NOW, which is a whole one
AN_HOUR = library_text("collection-desk").replace("guaranteed_for: {is: 86400,", "guaranteed_for: {is: 3600,")


def read_as_of_the_whole_second():
    """Report that the record shows it under way, as of the second in which the attempt went out; return its id."""
    made = register(binding(), intent=intent(at=HALF), now=later(HALF), by=BY).operation_id
    body = json.loads(issued()) | {
        "state": "pending",
        "ticket": None,
        "tickets": [],
        "as_of": "2026-05-04T09:00:00Z",
    }
    told = Report(
        event="e1",
        channel="record",
        received_at=later(2),
        asked_at=later(1),
        authentic=True,
        status=200,
        headers=(("content-type", "application/json"),),
        payload=json.dumps(body).encode(),
    )
    report(made, told, now=later(2), source="x")
    return made


def test_a_report_dated_to_the_second_is_of_the_attempt_that_went_out_in_it():
    made = read_as_of_the_whole_second()
    assert models.Reading.objects.get().as_of == later(HALF)
    standing = reading.operation(made).standing(now=later(3))
    assert standing.evidence is Evidence.PENDING


def test_a_corrected_contract_dates_it_no_differently():
    read_as_of_the_whole_second()
    publish("desk", name="desk", text=AN_HOUR, now=later(4))
    assert reread(now=later(5)).read == 1
    assert [row.as_of for row in models.Reading.objects.all()] == [later(HALF), later(HALF)]

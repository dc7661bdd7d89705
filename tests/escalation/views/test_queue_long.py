"""A row of the queue costs the same however much was learnt of its operation, and says what its whole record says."""

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse

from escalation.policy import EVERY_RECIPIENT, Role
from escalation.queue import Question, page
from operations.reading import restated
from operations.recording import calling
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.people import with_role
from tests.escalation.views.test_operation_long import learnt_again

pytestmark = pytest.mark.django_db
NOW = T0 + 2 * HOUR


@pytest.fixture
def rows(client):
    """Operations of which much, and of which little, was learnt; looked at two hours later."""
    for parcel in ("Cedar", "Birch", "Maple"):
        made = operation(parcel, parcel=parcel)
        made.timed_out(now=T0)
        made.recorded("queued", now=T0 + timedelta(seconds=2))
        if parcel != "Maple":
            learnt_again(made, 150)
            made.failed(now=T0 + HOUR)
        if parcel == "Birch":
            made.recorded("queued", now=T0 + HOUR + timedelta(seconds=4))
            learnt_again(made, 20)
    client.force_login(with_role("lena", Role.REVIEWER))
    with time_machine.travel(NOW, tick=False):
        calling.call(now=NOW, most=500)
        yield client


def readings():
    found = page(Question(now=NOW, reads=EVERY_RECIPIENT), after=None)
    return sorted([len(one.readings.all()) for one in found.operations])


def test_the_rows_are_those_of_the_whole_records_and_are_read_by_what_decides(rows, monkeypatch):
    fewer, page_of_fewer = readings(), rows.get(reverse("queue")).context["sections"]
    monkeypatch.setattr(restated, "FEW", 10_000)
    whole, page_of_all = readings(), rows.get(reverse("queue")).context["sections"]
    assert (fewer, whole) == ([2, 4, 4], [2, 153, 174])
    assert page_of_fewer == page_of_all
    assert sum(len(one.rows) for one in page_of_all) == 3

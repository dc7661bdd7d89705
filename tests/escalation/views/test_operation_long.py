"""An operation of which very much was learnt: its page shows the newest of it, and reads no more than it shows."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from operations import models
from operations.models.identifiers import uuid7
from operations.reading import restated
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


def learnt_again(made: Made, times: int) -> None:
    """Copy the newest observation and its reading, a second later each."""
    seen = made.row.observations.latest("position")
    read = seen.readings.get()
    of, by = [], []
    for number in range(1, times + 1):
        at = seen.received_at + timedelta(seconds=number)
        more = {"position": seen.position + 2 * number, "received_at": at, "asked_at": at, "recorded_at": at}
        of.append(models.Observation(**{**_values(seen), **more, "id": uuid7(at), "event": f"copy-{more['position']}"}))
        again = {"position": read.position + 2 * number, "as_of": at, "read_at": at, "observation_id": of[-1].id}
        by.append(models.Reading(**{**_values(read), **again, "id": uuid7(at)}))
    models.Observation.objects.bulk_create(of)
    models.Reading.objects.bulk_create(by)
    models.Operation.objects.filter(id=made.id).update(links=F("links") + 2 * times, revision=F("revision") + 2 * times)


def _values(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def times_read(client, made: Made, query: str = ""):
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(reverse("operation", args=[made.number]) + query)
    assert answer.status_code == 200
    return answer, len(asked)


@pytest.fixture
def pending(client) -> Iterator[Made]:
    """An operation that was under way as the desk asked, and somebody who looks at it two hours later."""
    client.force_login(viewer())
    made = operation()
    made.timed_out(now=T0)
    made.recorded("queued", now=T0 + timedelta(seconds=2))
    with time_machine.travel(T0 + 2 * HOUR, tick=False):
        yield made


def numbers(answer) -> list[int]:
    return [one.number for one in answer.context["observed"].seen]


def test_it_takes_one_statement_more_than_one_of_which_little_was_learnt(client, pending):
    times_read(client, pending)  # what is read once in a process
    _, few = times_read(client, pending)
    learnt_again(pending, 200)
    answer, many = times_read(client, pending)
    assert many == few + 1  # which of them it is read by
    assert "202 observations" in answer.text
    assert numbers(answer) == list(range(202, 152, -1))
    assert len(answer.context["panels"][0].rests_on) <= 10


def test_older_ones_are_reached_a_page_at_a_time_and_none_is_left_out(client, pending):
    learnt_again(pending, 110)
    answer, found = times_read(client, pending)[0], []
    while True:
        found += numbers(answer)
        older = answer.context["observed"].older
        if older is None:
            break
        assert f"?before={older}#seen" in answer.text
        answer, _ = times_read(client, pending, f"?before={older}")
    assert found == list(range(112, 0, -1))
    assert "Older ones" not in answer.text
    assert ">The newest</a>" in answer.text


def test_what_settles_it_stands_on_the_first_page_however_old_it_is(client, pending):
    pending.issued("T-1", now=T0 + timedelta(seconds=3))
    pending.recorded("queued", now=T0 + timedelta(seconds=4))
    learnt_again(pending, 60)
    answer, _ = times_read(client, pending)
    assert numbers(answer)[-1] == 3
    assert "T-1" in answer.context["observed"].seen[-1].payload
    assert answer.context["observed"].settling == 1


@pytest.mark.parametrize("before", ["x", "-1", "99999999999", "²"])
def test_a_place_that_is_none_is_the_first_page(client, pending, before):
    assert numbers(times_read(client, pending, f"?before={before}")[0]) == [2, 1]


@pytest.mark.parametrize("query", ["", "?before=150", "?before=51", "?before=0", "?before=9999"])
def test_its_page_is_byte_for_byte_the_one_that_is_made_of_its_whole_record(client, pending, monkeypatch, query):
    pending.learns("note", now=T0 + timedelta(seconds=3), words="The counter was closed.")
    pending.recorded("queued", now=T0 + timedelta(seconds=4))
    learnt_again(pending, 120)
    pending.failed(now=T0 + HOUR)
    pending.recorded("queued", now=T0 + HOUR + timedelta(seconds=4))
    learnt_again(pending, 60)
    fewer = times_read(client, pending, query)[0]
    assert fewer.context["sight"].read.left_out > 50
    monkeypatch.setattr(restated, "FEW", 10_000)
    whole = times_read(client, pending, query)[0]
    assert whole.context["sight"].read.left_out == 0
    assert _same_but_for_the_form(fewer.text) == _same_but_for_the_form(whole.text)


def _same_but_for_the_form(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"|"X-CSRFToken": "[^"]*"', "", page)

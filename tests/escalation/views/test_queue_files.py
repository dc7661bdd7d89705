"""The queue as files: what is narrowed to and no more, nothing a spreadsheet would run."""

import csv
import json

import pytest
import time_machine
from django.urls import reverse

from operations.recording import calling
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR


@pytest.fixture
def reader(client):
    client.force_login(viewer())
    with time_machine.travel(NOW, tick=False):
        yield client


def file(client, name, **query):
    answer = client.get(reverse(name), query)
    assert answer.streaming
    return b"".join(answer.streaming_content).decode()


def test_what_begins_a_formula_is_written_as_text(reader):
    made = operation("=1+1", effect='=HYPERLINK("http://example.test")', deadline=NOW + HOUR / 2)
    calling.call(now=NOW, most=10)
    [row] = csv.DictReader(file(reader, "queue_csv").splitlines())
    assert row["effect"] == '\'=HYPERLINK("http://example.test")'
    assert (row["number"], row["request_number"], row["group"]) == (str(made.number), "'=1+1", "within_the_hour")


def test_a_file_holds_what_the_page_is_narrowed_to_in_its_order(reader):
    late, soon = operation("o-1", parcel="A"), operation("o-2", parcel="B", deadline=NOW + HOUR / 2)
    ended = operation("o-3", parcel="C")
    ended.issued("T-1", now=T0)
    calling.call(now=NOW, most=10)
    rows = [json.loads(line) for line in file(reader, "queue_json_lines").splitlines()]
    assert [row["number"] for row in rows] == [soon.number, ended.number, late.number]
    assert rows[0]["act_before"] == (NOW + HOUR / 2).isoformat()
    found = file(reader, "queue_json_lines", situation="happened").splitlines()
    assert [json.loads(line)["did_it_happen"] for line in found] == ["happened"]

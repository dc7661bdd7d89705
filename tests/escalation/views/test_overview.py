"""The overview: refusals first, then what it says, as a picture, as a table and as a file."""

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from escalation.models import User
from escalation.models.business_exception import Excuses, Loss
from escalation.overview import counting
from escalation.policy import Role
from escalation.screens.bars import WIDTH, Line, picture
from escalation.screens.overview import NOW, THEN, Figures
from escalation.screens.overview_sheet import Sheet
from operations import models
from operations.recording.tallying import Ended, tally
from tests.escalation.building import contract_of
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.overview.stages import DAY, HOUR, MINUTE, T0, asked, lost
from tests.escalation.overview.test_ended import left
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
AT = T0 + 5 * HOUR
EVERY = [*NOW, *THEN]


@pytest.fixture(autouse=True)
def five_hours_later():
    with time_machine.travel(AT, tick=False):
        yield


@pytest.fixture
def reader(client: Client) -> Client:
    client.force_login(viewer())
    return client


def page(client: Client, **query: str):
    return client.get(reverse("overview"), query)


def file(client: Client, figure: str, **query: str) -> list[list[str]]:
    answer = client.get(reverse("overview_csv", args=[figure]), query)
    assert answer.status_code == 200
    return list(csv.reader(io.StringIO(answer.getvalue().decode())))


def both(answer: Any) -> dict[str, Sheet]:
    """The figures of a page by their keys."""
    return {sheet.key: sheet for sheet in (*answer.context["current"], *answer.context["past"])}


def life() -> None:
    """Something of every kind, at two recipients."""
    lost("one").issued("T-1", now=T0 + HOUR)
    lost("two", deadline=AT + 30 * MINUTE)
    left(lost("three"), now=T0 + HOUR)
    other = lost("four", key="other-desk")
    accepted(
        other, with_role("first", Role.REVIEWER), owner(), now=T0 + HOUR, excuses=Excuses.STOPPING, loss=Loss.MISSING
    )
    recipient = other.row.recipient_id
    tally([Ended(recipient_id=recipient, at=T0 - 30 * DAY)])
    tally([Ended(recipient_id=recipient, at=T0, answered=True, settled=True), Ended(recipient_id=recipient, at=T0)])


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"from": "yesterday"}, ["from"]),
        ({"from": "2026-13-01"}, ["from"]),
        ({"from": "0000-00-00"}, ["from"]),
        ({"from": "-7d"}, ["from"]),
        ({"from": "\0"}, ["from"]),
        ({"from": "\u0661\u0662\u0663"}, ["from"]),
        ({"from": "0001-01-01T00:00+14:00"}, ["from"]),
        ({"from": "<script>alert(1)</script>"}, ["from"]),
        ({"from": "9" * 10_000}, ["from"]),
        ({"from": "2026-11-30T16:00", "to": "2026-11-30T15:00"}, ["from"]),
        ({"from": "2026-11-30T16:00", "to": "2026-11-30T16:00"}, ["from"]),
        ({"from": "2024-01-01"}, ["from"]),
        ({"from": "0001-01-01"}, ["from"]),
        ({"from": "2026-12-01"}, ["from"]),
        ({"to": "2026-12-01"}, ["to"]),
        ({"to": "9999-12-31"}, ["to"]),
        ({"to": "2026-11-30T17:00:01"}, ["to"]),
        ({"to": "9999-12-31T23:59:59-14:00"}, ["to"]),
        ({"to": "now"}, ["to"]),
        ({"recipient": "nowhere"}, ["recipient"]),
        ({"recipient": "' OR 1=1 --"}, ["recipient"]),
        ({"recipient": "\0"}, ["recipient"]),
        ({"from": "x", "to": "x", "recipient": "x"}, ["from", "to", "recipient"]),
    ],
)
def test_what_is_no_time_and_no_recipient_is_refused_field_by_field(reader, query, fields):
    answer = page(reader, **query)
    assert answer.status_code == 422
    assert [field for field in ("from", "to", "recipient") if f'id="{field}-error"' in answer.text] == fields
    assert '<svg class="bars"' not in answer.text
    assert "<script>alert" not in answer.text
    refused = reader.get(reverse("overview_csv", args=["took"]), query)
    assert (refused.status_code, refused["Content-Type"]) == (422, "text/plain; charset=utf-8")
    assert [field for field in ("from", "to", "recipient") if f"{field}: " in refused.text] == fields


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        ({}, AT - 7 * DAY, AT),
        ({"from": "24h"}, AT - DAY, AT),
        ({"from": "90d", "to": "2026-11-29"}, T0 - 12 * HOUR - 90 * DAY, T0 - 12 * HOUR),
        ({"from": "2026-11-28", "to": "2026-11-28"}, T0 - 60 * HOUR, T0 - 36 * HOUR),
        ({"from": "2026-11-30"}, T0 - 12 * HOUR, AT),
        ({"from": "2026-11-30", "to": "2026-11-30"}, T0 - 12 * HOUR, AT),
        ({"from": "2026-11-30T14:00Z", "to": "2026-11-30T17:00:00+02:00"}, T0 + 2 * HOUR, T0 + 3 * HOUR),
    ],
)
def test_a_time_is_a_preset_a_day_or_a_time(reader, query, since, until):
    answer = page(reader, **query)
    assert answer.status_code == 200
    shown = answer.context["span"]
    assert (shown.since, shown.until) == (since, until)


@pytest.mark.parametrize("figure", ["nothing", "queue.", "now", "unresolved"])
def test_a_figure_that_is_none_is_not_there(reader, figure):
    assert reader.get(f"/overview/{figure}.csv").status_code == 404


def test_a_time_with_nothing_in_it_says_so(reader):
    answer = page(reader)
    for key, sheet in both(answer).items():
        assert sheet.picture is None, key
        assert f"<p>{sheet.empty}</p>" in answer.text.replace("&#x27;", "'"), key


def test_what_is_not_known_is_said_to_be_unknown_and_is_never_none(reader, monkeypatch):
    lost("one").issued("T-1", now=T0 + HOUR)
    monkeypatch.setattr(counting, "MOST_COUNTED", 0)
    sheets = both(page(reader))
    for key in ("took", "ended", "proved"):
        assert "not summed yet" in f"{sheets[key].empty} {sheets[key].notes}", key
    for key in ("took", "ended"):
        assert {cell for row in sheets[key].rows[:2] for cell in row[1:]} == {"unknown"}, key


def test_asks_before_they_were_counted_are_unknown(reader):
    tally([Ended(recipient_id=contract_of().recipient_id, at=T0)])
    assert "how many there were before is unknown" in page(reader).text
    assert "unknown how many there were" in page(reader, to="2026-11-29").text


def test_every_line_of_a_picture_is_a_row_of_its_table_with_the_same_numbers():
    life()
    figures = Figures(asked(AT - DAY, AT, now=AT))
    for sheet in (*figures.now(), *figures.then()):
        assert sheet.lines, sheet.key
        rows = [[cell for cell in row if isinstance(cell, int)] for row in sheet.rows]
        for line in sheet.lines:
            drawn = [number for _, number in line.pieces]
            if sheet.key == "asks":  # what settled nothing is the rest of all
                drawn = [drawn[0], sum(drawn)]
            assert any(all(number in row for number in drawn) for row in rows), (sheet.key, line)
        wanted = sum(row[-1] if sheet.key == "lapsing" else row[0] for row in rows)
        if sheet.key in ("queue", "lapsing", "age", "recipient", "team", "fact", "took", "ended"):
            assert sum(line.number for line in sheet.lines) == wanted, sheet.key


def test_every_picture_is_well_formed_and_drawn_to_scale(reader):
    life()
    answer = page(reader)
    drawn = re.findall(r'<svg class="bars" viewBox.*?</svg>', answer.text, re.DOTALL)
    sheets = [one for one in (*answer.context["current"], *answer.context["past"]) if one.picture]
    assert len(drawn) == len(sheets) == len(EVERY)
    assert "style=" not in answer.text
    for svg, sheet in zip(drawn, sheets, strict=True):
        bars = ElementTree.fromstring(svg).findall("g")  # noqa: S314  # our own page
        most = max(line.number for line in sheet.lines)
        for bar, line in zip(bars, sheet.lines, strict=True):
            width = sum(float(one.get("width", "0")) for one in bar.findall("rect") if one.get("class") != "track")
            assert width == pytest.approx(WIDTH * line.number / most, abs=1.1)
            assert line.says in [text.text for text in bar.findall("text")]


def test_a_picture_says_in_words_what_it_shows_and_cuts_no_line_but_in_the_drawing():
    lines = [Line(label="W" * 100, says="3", pieces=(("one", 3),)), Line(label="b", says="0", pieces=(("one", 0),))]
    drawn = picture("Heading", lines)
    assert drawn is not None
    assert drawn.said == f"Heading. {'W' * 100}: 3; b: 0."
    assert len(drawn.bars[0].label) < 60
    assert drawn.bars[1].pieces == ()
    assert picture("Heading", lines[1:]) is None


def test_a_file_is_the_table_that_the_page_shows(reader):
    life()
    answer = page(reader)
    for key, sheet in both(answer).items():
        assert file(reader, key) == [list(sheet.columns), *[[str(cell) for cell in row] for row in sheet.rows]]
        for row in sheet.rows:
            cells = "".join([f"<td>{cell}</td>" for cell in row[1:]])
            assert f"<bdi>{row[0]}</bdi></th>{cells}</tr>".replace("'", "&#x27;") in answer.text


def test_no_recipient_is_taken_for_a_formula(reader):
    recipient = models.Recipient.objects.filter(pk=lost().row.recipient_id)
    for name in ("=cmd|'/c calc'!A1", "+1", "-1", "@SUM(A1)", "\t=1", "\uff1d1"):
        recipient.update(name=name)
        assert file(reader, "recipient")[1][0] == f"'{name}"


def test_a_hostile_name_is_seen_and_does_nothing(reader):
    models.Recipient.objects.filter(pk=lost().row.recipient_id).update(name="</svg><script>\u202e")
    text = page(reader).text
    assert "</svg><script>" not in text
    assert "&lt;/svg&gt;&lt;script&gt;[U+202E]" in text


def test_only_what_may_be_read_is_counted_and_one_recipient_may_be_chosen(client):
    life()
    there = contract_of(key="other-desk").recipient
    client.force_login(with_role("mira", Role.VIEWER, recipient=there))
    answer = page(client)
    assert both(answer)["recipient"].rows == (("Other desk", 1),)
    assert "Collection desk" not in answer.text
    assert page(client, recipient="collection-desk").status_code == 422
    client.force_login(User.objects.create_superuser("root"))
    for key, name in (("collection-desk", "Collection desk"), ("other-desk", "Other desk")):
        assert {row[0] for row in both(page(client, recipient=key))["recipient"].rows} == {name}


def statements(client: Client) -> int:
    page(client)  # what is read once in a process is read by now
    with CaptureQueriesContext(connection) as found:
        assert page(client).status_code == 200
    return len(found)


def test_the_page_asks_as_much_of_the_database_for_many_as_for_one(reader):
    lost("one")
    of_one = statements(reader)
    for number in range(5):
        lost(f"more-{number}", key=f"desk-{number}")
    assert statements(reader) == of_one <= 32

"""Stopping here, outcome unknown, on the screen."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from escalation.models import LeftUnresolved
from escalation.policy import Role
from operations import models
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
MINUTE = timedelta(minutes=1)
TOMORROW = "2026-12-01T10:00"


@pytest.fixture(autouse=True)
def clock():
    """Everything is looked at an hour after the request was sent, until a test moves on."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def mira(client):
    """A reviewer at the screen."""
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


@pytest.fixture
def lost():
    """An operation whose reply was lost."""
    made = operation(deadline=T0 + 9 * HOUR)
    made.timed_out(now=T0 + MINUTE)
    return made


def address(made: Made) -> str:
    return reverse("leave_unresolved", args=[made.number])


def typed(made: Made, **other: object) -> dict[str, object]:
    words = {"fact": "whether_it_happened", "told": "Ada <ada@desk.example>", "look_again_at": TOMORROW}
    return {**words, "revision": made.row.revision, "once": uuid4(), "remark": "called at noon", **other}


def page(client: Client, made: Made) -> str:
    return str(client.get(reverse("operation", args=[made.number])).text)


def queue(client: Client, query: str = "") -> Any:
    """The page now; the sweep that finds what time alone brought about has come by."""
    calling.call(now=datetime.now(UTC), most=100)
    return client.get(reverse("queue") + query)


def groups(answer: Any) -> dict[str, list[int]]:
    """The numbers under each heading of the queue."""
    parts = re.split(r'scope="colgroup">([^<]*)</th>', answer.text)[1:]
    rows = [[int(number) for number in re.findall(r'id="row-(\d+)"', part)] for part in parts[1::2]]
    return dict(zip([heading.rpartition(" · ")[0] for heading in parts[::2]], rows, strict=True))


LEFT = "Left unresolved or put off until a time that was set, outcome unknown"
REST = "Everything else, soonest first"


def test_somebody_who_may_only_read_finds_a_sentence_in_place_of_the_button(client, lost):
    client.force_login(viewer())
    text = client.get(address(lost)).text
    assert "an administrator of this desk can give it" in text
    assert '<button class="primary">' not in text


def test_somebody_who_may_only_read_can_not_post(client, lost):
    client.force_login(viewer())
    answer = client.post(address(lost), typed(lost))
    assert (answer.status_code, LeftUnresolved.objects.count()) == (403, 0)


def test_what_is_established_is_locked_with_the_reason(mira, lost):
    lost.issued("T-1", now=T0 + 2 * MINUTE)
    text = mira.get(address(lost)).text
    assert "The outcome is established; there is no open question" in text
    assert "<h2>Locked</h2>" in text


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("fact", "", "Choose what is missing."),
        ("fact", "which_statement_holds", "This is not missing any more; choose again."),
        ("told", "  ", "Say who was told: a name or an address."),
        ("look_again_at", "", "Set a time to look again."),
        ("look_again_at", "soon", "Write the time to look again as 2026-12-31 16:00, in UTC."),
        ("look_again_at", "2026-11-30T13:00", "The time to look again must be to come."),
        ("look_again_at", "2028-01-01T10:00", "Look again within 366 days; it can be left again then."),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(mira, lost, name, value, sentence):
    answer = mira.post(address(lost), typed(lost, **{name: value}))
    assert (answer.status_code, sentence in answer.text) == (422, True)
    assert ">called at noon</textarea>" in answer.text
    assert not LeftUnresolved.objects.exists()


def test_a_stale_page_is_answered_with_what_was_typed(mira, lost):
    words = typed(lost)
    lost.failed(now=T0 + 2 * MINUTE)
    answer = mira.post(address(lost), words)
    assert (answer.status_code, LeftUnresolved.objects.count()) == (409, 0)
    assert "changed while you were reading" in answer.text
    assert 'value="Ada &lt;ada@desk.example&gt;"' in answer.text
    assert f'value="{TOMORROW}"' in answer.text
    assert 'value="whether_it_happened" checked' in answer.text


def test_what_was_established_meanwhile_is_not_left(mira, lost):
    words = typed(lost)
    lost.issued("T-1", now=T0 + 2 * MINUTE)
    answer = mira.post(address(lost), words)
    assert (answer.status_code, LeftUnresolved.objects.count()) == (409, 0)
    assert "called at noon" in answer.text


def test_no_fact_is_chosen_before_somebody_chooses(mira, lost):
    text = mira.get(address(lost)).text
    assert text.count('name="fact"') >= 2
    assert "checked" not in text


def test_the_page_says_what_is_sent_and_what_ends_before(mira, lost):
    text = mira.get(address(lost)).text
    assert "<b>Sends nothing.</b>" in text
    assert "An answer is due" in text
    assert "A single send acts at most once." in text


def test_a_form_that_is_sent_twice_decides_once_and_leads_to_the_operation(mira, lost):
    words = typed(lost)
    for _ in range(2):
        answer = mira.post(address(lost), words)
        assert (answer.status_code, answer.url) == (302, reverse("operation", args=[lost.number]))
    assert LeftUnresolved.objects.count() == models.Decision.objects.count() == 1


def test_the_operation_says_by_whom_and_until_when_and_never_that_it_is_closed(mira, lost):
    mira.post(address(lost), typed(lost))
    text = page(mira, lost)
    assert "Left unresolved by mira until tomorrow 10:00." in text
    assert "The investigation was completed, and its outcome is unresolved." in text
    assert "Nobody knows yet whether this happened." in text
    assert "Told: <bdi>Ada &lt;ada@desk.example&gt;</bdi>" in text
    assert "called at noon" in text
    assert "Start with" not in text
    assert not re.search(r"\b(closed|success|resolved)\b", text.split('id="banner"')[1].split("</div>")[0])


def test_it_stands_apart_in_the_queue_and_needs_nobody(mira, lost):
    other = operation("order-2002", parcel="Birch", sealed=False)
    assert groups(queue(mira)) == {REST: [lost.number, other.number]}
    mira.post(address(lost), typed(lost))
    answer = queue(mira)
    assert groups(answer) == {REST: [other.number], LEFT: [lost.number]}
    assert "1 operation needs a person" in answer.text
    assert "Left unresolved by mira until tomorrow 10:00" in answer.text
    assert "look again" in answer.text


def test_what_is_due_within_the_hour_is_left_like_anything_else(mira, lost, clock):
    mira.post(address(lost), typed(lost))
    clock.move_to(T0 + 8 * HOUR + MINUTE)
    assert groups(queue(mira)) == {LEFT: [lost.number]}


def test_the_time_to_look_again_wakes_it(mira, lost, clock):
    mira.post(address(lost), typed(lost, look_again_at="2026-11-30T20:30"))
    clock.move_to(T0 + 8 * HOUR + 30 * MINUTE)
    answer = queue(mira)
    assert groups(answer) == {"Act within the hour": [lost.number]}
    assert "Time to look again: left unresolved by mira until today 20:30" in answer.text
    assert "Time to look again" in page(mira, lost)


def test_evidence_that_counts_brings_it_back_at_once(mira, lost):
    mira.post(address(lost), typed(lost))
    lost.issued("T-1", now=NOW)
    answer = queue(mira)
    assert list(groups(answer).values()) == [[lost.number]]
    assert LEFT not in groups(answer)
    assert "Changed since mira left it unresolved, today 13:00" in answer.text
    assert "What is known of whether it happened changed since." in page(mira, lost)


def test_what_settles_nothing_leaves_it_apart(mira, lost):
    mira.post(address(lost), typed(lost))
    lost.failed(now=NOW)
    assert groups(queue(mira)) == {LEFT: [lost.number]}


def test_a_contradiction_that_was_left_comes_back_when_it_is_another(mira):
    made = operation()
    made.recorded("pending", now=T0 + MINUTE)
    mira.post(address(made), typed(made))
    made.issued("T-1", now=NOW - MINUTE)
    made.recorded("closed", now=NOW)
    assert groups(queue(mira)) == {"Answers that contradict each other": [made.number]}


def test_leaving_again_sets_another_time(mira, lost, clock):
    mira.post(address(lost), typed(lost))
    mira.post(address(lost), typed(lost, look_again_at="2026-11-30T14:00"))
    assert groups(queue(mira)) == {LEFT: [lost.number]}
    assert "until today 14:00" in queue(mira).text
    clock.move_to(T0 + 2 * HOUR)
    assert LEFT not in groups(queue(mira))
    assert "It was left again since, until another time." in page(mira, lost)


def test_what_was_left_while_it_was_on_its_way_wakes_too(mira, clock):
    clock.move_to(T0 + MINUTE / 2)
    made = operation()
    mira.post(address(made), typed(made, look_again_at="2026-11-30T12:01"))
    assert groups(queue(mira)) == {LEFT: [made.number]}
    made.recorded("pending", now=T0 + MINUTE / 2)
    assert groups(queue(mira)) == {REST: [made.number]}


def test_those_that_were_left_stand_by_the_time_to_look_again(mira):
    made = [operation(f"o-{hour}", parcel=f"P{hour}", sealed=False) for hour in (16, 14, 15)]
    for one, hour in zip(made, (16, 14, 15), strict=True):
        mira.post(address(one), typed(one, look_again_at=f"2026-11-30T{hour}:00"))
    assert groups(queue(mira)) == {LEFT: [made[1].number, made[2].number, made[0].number]}


def test_pages_go_on_through_those_that_were_left(mira):
    made = [operation(f"o-{index}", parcel=f"P{index}", sealed=False) for index in range(52)]
    for one in made[:3]:
        mira.post(address(one), typed(one))
    first = queue(mira)
    following = re.search(r'href="/(\?[^"]*after=[^"]*)"', first.text)
    assert following is not None
    second = queue(mira, following[1].replace("&amp;", "&"))
    found = [number for answer in (first, second) for numbers in groups(answer).values() for number in numbers]
    assert found == [one.number for one in (*made[3:], *made[:3])]
    assert groups(second)[LEFT] == [made[1].number, made[2].number]


def test_many_that_were_left_take_no_more_queries_than_one(mira, django_assert_num_queries):
    made = operation("o-0", parcel="P0")
    mira.post(address(made), typed(made))
    queue(mira)  # what is kept in the process is asked for once
    with CaptureQueriesContext(connection) as alone:
        queue(mira)
    asked = len(alone)  # before the next request clears what was kept
    for number in range(1, 9):
        made = operation(f"o-{number}", parcel=f"P{number}")
        mira.post(address(made), typed(made))
    with django_assert_num_queries(asked):
        assert len(groups(queue(mira))[LEFT]) == 9


def test_hostile_words_are_shown_and_never_run(mira, lost):
    mira.post(address(lost), typed(lost, told="<script>alert(1)</script>\u202e", remark="<img src=x>"))
    text = page(mira, lost)
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in text
    assert "<img src=x>" not in text

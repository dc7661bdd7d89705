"""What waits for a person, as the screen lists it."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from operations import recording
from operations.core.facts import Sends
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
HALF = MINUTE / 2  # within the minute that the contract expects an effect to take


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent, unless a test says otherwise."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def reader(client):
    """Somebody signed in."""
    client.force_login(viewer("mira"))
    return client


def queue(client: Client, query: str = "", *, at: datetime = T0 + HOUR) -> Any:
    """The page at a moment; the sweep that finds what time alone brought about has come by."""
    calling.call(now=at, most=100)
    with time_machine.travel(at, tick=False):
        return client.get(reverse("queue") + query)


def listed(answer: Any) -> list[int]:
    return [int(number) for number in re.findall(r'data-row id="row-\d+" href="/operations/(\d+)"', answer.text)]


def headings(answer: Any) -> list[str]:
    return re.findall(r'scope="colgroup">([^<]*)</th>', answer.text)


def test_what_is_on_its_way_is_left_alone(reader):
    operation(now=T0)
    assert listed(queue(reader, at=T0 + HALF)) == []


def test_what_is_under_way_inside_its_expected_time_is_left_alone(reader):
    operation(now=T0).recorded("pending", now=T0 + HALF)
    assert listed(queue(reader, at=T0 + HALF)) == []


def test_what_is_recorded_no_longer_waits(reader):
    made = operation()
    made.issued("T-1001", now=T0 + MINUTE)
    receipt = made.row.observations.get().id
    with recording.writing(made.id, now=T0 + 2 * MINUTE) as pen:
        recording.complete(pen, receipt=receipt, by="mira")
        pen.finish()
    assert listed(queue(reader)) == []


def test_what_was_recorded_and_then_contradicted_waits_again(reader):
    made = operation()
    made.issued("T-1001", now=T0 + MINUTE)
    with recording.writing(made.id, now=T0 + 2 * MINUTE) as pen:
        recording.complete(pen, receipt=made.row.observations.get().id, by="mira")
        pen.finish()
    made.recorded("closed", now=T0 + 3 * MINUTE)
    assert listed(queue(reader)) == [made.number]


def test_what_is_past_its_expected_time_waits(reader):
    made = operation(now=T0)
    assert listed(queue(reader, at=T0 + 10 * MINUTE)) == [made.number]


def test_what_is_due_within_the_hour_waits_at_once(reader):
    made = operation(now=T0, deadline=T0 + 30 * MINUTE)
    assert listed(queue(reader, at=T0 + HALF)) == [made.number]


def test_an_answer_that_settles_nothing_waits_at_once(reader):
    made = operation(now=T0)
    made.failed(now=T0 + HALF)
    assert listed(queue(reader, at=T0 + HALF)) == [made.number]


def test_groups_stand_in_their_order_with_the_rows_they_count(reader):
    later, rest = operation("o-1", parcel="A", deadline=T0 + 9 * HOUR), operation("o-2", parcel="B", sealed=False)
    finished, soon = operation("o-3", parcel="C"), operation("o-4", parcel="D", deadline=T0 + HOUR + MINUTE)
    torn = operation("o-5", parcel="E")
    finished.issued("T-1", now=T0 + MINUTE)
    torn.issued("T-2", now=T0 + MINUTE)
    torn.recorded("closed", now=T0 + 2 * MINUTE)
    answer = queue(reader)
    assert listed(answer) == [one.number for one in (soon, torn, finished, later, rest)]
    assert [heading.rpartition(" · ")[2] for heading in headings(answer)] == ["1", "1", "1", "2"]


def test_what_ran_out_is_no_longer_a_time_to_act_before(reader):
    made = operation(now=T0 - 30 * HOUR)
    answer = queue(reader)
    assert listed(answer) == [made.number]
    assert headings(answer) == ["Everything else, soonest first · 1"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?text=key-one", "one"),
        ("?text=PARCEL%20ONE", "one"),
        ("?text=argument-two", "two"),
        ("?text=%C3%A9t%C3%A9%5C%5Cx", "two"),
        ("?text=T-2", "two"),
        ("?situation=happened", "two"),
        ("?situation=unknown", "one"),
        ("?recipient=other", "two"),
        ("?text=%25", None),
        ("?text=%00", "both"),
        ("?situation=nonsense", "both"),
        ("?after=nonsense", "both"),
        ("?recipient=nobody", None),
        ("?text=99999999999999999999999", None),
    ],
)
def test_the_address_narrows(reader, query, found):
    one = operation("key-one", parcel="parcel one")
    words = '{"a": "argument-two été\\\\x"}'.encode()
    two = operation("key-2", parcel="Two", arguments=words, contract=contract_of(key="other", name="Other"))
    two.issued("T-2", now=T0 + MINUTE)
    expected = {"one": [one], "two": [two], "both": [two, one], None: []}[found]
    assert listed(queue(reader, query)) == [made.number for made in expected]


def test_a_number_finds_its_operation(reader):
    made = [operation(f"o-{index}", parcel=f"P{index}x") for index in range(3)]
    assert made[1].number in listed(queue(reader, f"?text={made[1].number}"))


def test_an_empty_search_is_not_told_as_an_empty_desk(reader):
    operation()
    text = queue(reader, "?text=nowhere").text
    assert "Nothing that waits fits what you narrowed to." in text
    assert "Nothing waits for a person." not in text


def test_pages_follow_each_other_and_leave_nothing_out(reader):
    made = [operation(f"o-{index}", parcel=f"P{index}", sealed=index % 2 == 0) for index in range(53)]
    first = queue(reader)
    following = re.search(r'href="/(\?[^"]*after=[^"]*)"', first.text)
    assert following is not None
    second = queue(reader, following[1].replace("&amp;", "&"))
    assert len(listed(first)) == 50
    assert sorted(listed(first) + listed(second)) == [one.number for one in made]


def test_the_next_step_of_what_can_be_finished_is_its_page(reader):
    made = operation()
    made.issued("T-1", now=T0 + MINUTE)
    assert f'href="{reverse("repair_record", args=[made.number])}">Repair our record</a>' in queue(reader).text


def test_the_rows_alone_are_byte_for_byte_those_of_the_page(reader):
    operation(sends=Sends.MANY)
    with time_machine.travel(T0 + HOUR, tick=False):
        whole, alone = reader.get(reverse("queue")).content, reader.get(reverse("queue_rows")).content
    assert b"Cedar" in alone
    assert whole.count(alone) == 1


def test_nothing_is_sent_again_while_nothing_changed(reader):
    made = operation(sealed=False)
    address = reverse("queue_revision")
    with time_machine.travel(T0 + HOUR, tick=False):
        first = reader.get(address)
        seen = re.search(r"seen=([^\"&]+)", first.text)
        assert seen is not None
        assert reader.get(address, {"seen": seen[1]}).status_code == 204
        made.failed(now=T0 + HOUR)
        changed = reader.get(address, {"seen": seen[1]})
    assert (changed.status_code, changed.headers["HX-Trigger"]) == (200, "revised")


def test_hostile_words_are_shown_and_never_run(reader):
    operation(effect="<script>alert(1)</script> \u202efdp", parcel="<img src=x>")
    text = queue(reader).text
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; [U+202E]fdp" in text


def test_a_contradiction_is_never_said_to_be_safe_to_send_again(reader):
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    made.recorded("closed", now=T0 + timedelta(minutes=2))
    text = queue(reader).text
    assert "Not in a contradiction" in text
    assert "Yes, until" not in text

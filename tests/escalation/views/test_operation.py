"""One operation on the screen."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.models import User
from escalation.views.operation import PARTS
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at an hour after the request was sent, unless a test says otherwise."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def reader(client):
    """Somebody who may read and nothing else."""
    client.force_login(viewer("mira"))
    return client


def page(client: Client, made: Made, *, at: datetime = T0 + HOUR) -> Any:
    with time_machine.travel(at, tick=False):
        return client.get(reverse("operation", args=[made.number]))


def test_an_operation_that_is_not_there_is_said_to_be_not_there(reader):
    answer = reader.get(reverse("operation", args=[987_654]))
    assert (answer.status_code, "There is no operation 987654." in answer.text) == (404, True)


def test_a_number_beyond_the_database_is_not_there_either(reader):
    assert reader.get(f"/operations/{10**30}").status_code == 404


def test_a_part_that_the_page_does_not_have_is_not_there(reader):
    made = operation()
    assert reader.get(reverse("operation_part", args=[made.number, "page"])).status_code == 404


def test_a_lost_reply_is_shown_as_not_known(reader):
    made = operation()
    made.timed_out(now=T0 + timedelta(seconds=30))
    text = page(reader, made).text
    assert "Nobody knows yet whether this happened." in text
    assert "Issue one collection ticket for parcel Cedar at desk East" in text


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_byte_for_byte_what_the_page_has(reader, part):
    made = operation(deadline=T0 + 3 * HOUR)
    made.timed_out(now=T0 + timedelta(seconds=30))
    calling.call(now=T0 + HOUR, most=10)
    with time_machine.travel(T0 + HOUR, tick=False):
        whole = reader.get(reverse("operation", args=[made.number])).content
        alone = reader.get(reverse("operation_part", args=[made.number, part])).content
    assert len(alone) > 100
    assert whole.count(alone) == 1


def test_hostile_words_are_shown_and_never_run(reader):
    made = operation(effect="<script>alert(1)</script>", parcel="<img src=x>", arguments=b'{"a": "</pre><script>"}')
    made.learns("reply", now=T0, attempt="a1", status=502, body=b"<script>alert(2)</script>\xff")
    made.learns("words", now=T0, words="<script>alert(3)</script>", by="<b>agent</b>")
    text = page(reader, made).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(2)&lt;/script&gt;\\xff" in text
    assert "&lt;b&gt;agent&lt;/b&gt;" in text


def test_each_observation_says_how_far_it_reaches(reader):
    made = operation()
    made.timed_out(now=T0 + timedelta(minutes=1))
    made.issued("T-1", now=T0 + timedelta(minutes=2))
    found = re.findall(r"<dt>Reaches</dt><dd>([^<]+)</dd>", page(reader, made).text)
    assert found == ["the effect itself", "the wire: anything on the way could have written it"]


def test_words_stand_apart_and_settle_nothing(reader):
    made = operation()
    made.learns("words", now=T0, words="It surely failed.", by="agent front-counter")
    text = page(reader, made).text
    assert text.index("Notes · not evidence") < text.index("It surely failed.")
    assert "0 observations, none settles it" in text


def test_a_locked_door_says_why_and_the_way_out(reader):
    text = page(reader, operation()).text
    door = text[text.index('id="door-propose_new"') :]
    door = door[: door.index("</li>")]
    assert 'class="door locked"' in door
    assert "a new operation would act beside it" in door
    assert "The way out:" in door


def leads_to(client, made) -> dict[str, tuple[str, str]]:
    """Where each door's button leads, and what it says, by the name of the action."""
    found = re.findall(r'id="go-(\w+)" href="([^"]+)">([^<]+)<', page(client, made).text)
    return {action: (href, label) for action, href, label in found}


def test_a_door_that_has_a_page_has_a_button(client):
    client.force_login(User.objects.create_superuser("keeper"))
    made = operation()
    ask = (reverse("observe", args=[made.number]), "See what can be asked")
    repair = reverse("repair_record", args=[made.number])
    found = leads_to(client, made)
    assert found["observe"] == ask
    assert found["record"] == (repair, "Find a receipt by its ticket number")
    assert found["leave_unresolved"] == (reverse("leave_unresolved", args=[made.number]), "Say what is missing")
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    assert leads_to(client, made) == {"record": (repair, "Compare and confirm"), "observe": ask}


def test_a_contradiction_is_not_answered_by_finding_one_more_receipt(client):
    client.force_login(User.objects.create_superuser("keeper"))
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    made.recorded("closed", now=T0 + timedelta(minutes=2))
    found = leads_to(client, made)
    assert found["conflict"] == (reverse("conflict", args=[made.number]), "See both statements")
    assert {"observe", "leave_unresolved"} <= set(found)
    assert not {"record", "repeat", "propose_new"} & set(found)


def test_somebody_who_may_only_read_finds_sentences_in_place_of_the_links(reader):
    text = page(reader, operation()).text
    assert 'class="go"' not in text
    assert "You may read, but not have the desk ask this recipient" in text


def test_who_may_not_repair_reads_why_where_the_button_would_be(reader):
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    text = page(reader, made).text
    assert 'class="go"' not in text
    assert "an administrator of this desk can give it" in text


def test_a_value_names_the_observation_and_the_clause_it_rests_on(reader):
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    panel = page(reader, made).text.split('id="panels"')[1].split("</section>")[0]
    assert f'<a href="/operations/{made.number}#o1">observation 1</a>' in panel
    assert "Collection desk, contract version 1:" in panel


def test_the_picture_says_in_words_what_it_shows(reader):
    made = operation(deadline=T0 + 3 * HOUR)
    made.timed_out(now=T0 + timedelta(minutes=1))
    text = page(reader, made).text
    assert 'aria-label="today 12:00 attempt 1; today 12:01 timeout; today 13:00 now; today 15:00 due;' in text
    assert "tomorrow 11:59 safe until." in text


def test_many_observations_leave_the_picture_readable(reader):
    made = operation()
    for minute in range(1, 41):
        made.failed(now=T0 + timedelta(minutes=minute))
    assert "30 more" in page(reader, made).text


def test_a_contradiction_is_told_on_top_and_locks_what_sends(reader):
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    made.recorded("closed", now=T0 + timedelta(minutes=2))
    text = page(reader, made).text
    assert "The recipient contradicts itself." in text
    assert text.count('class="door locked"') == 4  # the closing too


def test_nothing_is_sent_again_while_nothing_changed(reader):
    made = operation()
    address = reverse("operation_revision", args=[made.number])
    seen = f"{made.row.revision}-{int((T0 + HOUR).timestamp()) // 60}"
    assert reader.get(address, {"seen": seen}).status_code == 204
    later = reader.get(address, {"seen": f"{made.row.revision}-1"})
    assert (later.status_code, later.headers["HX-Trigger"]) == (200, "told")
    made.failed(now=T0 + HOUR)
    changed = reader.get(address, {"seen": seen})
    assert (changed.status_code, changed.headers["HX-Trigger"]) == (200, "revised")


def test_a_revision_of_nothing_is_not_there(reader):
    assert reader.get(reverse("operation_revision", args=[987_654])).status_code == 404


def test_two_effects_are_told_as_two(reader):
    made = operation()
    made.issued("T-1", now=T0 + timedelta(minutes=1))
    made.recorded("issued", now=T0 + timedelta(minutes=2), ticket="T-2")
    assert "Yes, 2 times" in page(reader, made).text


def test_where_nothing_was_sent_a_repeat_is_called_a_first_send(reader):
    made = operation()
    made.learns("wire", now=T0 + timedelta(seconds=1), attempt="a1", fact="not_sent")
    text = page(reader, made).text
    assert "Send: nothing was sent" in text
    assert "Sends the request</span>" in text


def test_what_was_closed_is_ruled_out_and_needs_no_repeat(reader):
    made = operation()
    made.recorded("closed", now=T0 + timedelta(minutes=1))
    text = page(reader, made).text
    assert "No, ruled out" in text
    assert "Not needed" in text


def test_what_was_not_there_says_when_and_what_was_searched(reader):
    made = operation()
    body = {"type": "urn:collection-desk:no-such-record", "state": "absent", "key": made.identity}
    body |= {"as_of": "2026-11-30T12:20:00.000Z"}
    asked = T0 + timedelta(minutes=20)
    made.learns("record", now=asked, asked_at=asked, status=404, body=body)
    text = page(reader, made).text
    assert "It was not there when the record was read, today 12:20. What was searched:" in text
    assert "That does not say that it cannot come." in text

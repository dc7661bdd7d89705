"""A recipient as a whole while much of it waits, and what waits by cause."""

import pytest
import time_machine
from django.urls import reverse

from escalation.models import CaseAct
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
KEY = "collection-desk"


@pytest.fixture(autouse=True)
def waiting_there():
    """Two outcomes that nobody knows, the second with a deadline, one that is known, and one at another recipient."""
    for number, deadline in enumerate((None, NOW + 5 * HOUR)):
        operation(f"o-{number}", parcel=f"P{number}", deadline=deadline).timed_out(now=T0)
    operation("o-2", parcel="C").issued("T-1", now=T0)
    operation("other", parcel="D", contract=contract_of(key="other", name="Other")).timed_out(now=T0)
    calling.call(now=NOW, most=10)
    with time_machine.travel(NOW, tick=False):
        yield


def test_who_may_only_read_writes_no_note(client):
    client.force_login(viewer())
    answer = client.post(reverse("recipient", args=[KEY]), {"act": "note", "note": "All hands."})
    assert answer.status_code == 403
    assert not CaseAct.objects.exclude(note="").exists()


def test_the_page_of_a_recipient_says_what_waits_there_and_what_ends_first(client):
    client.force_login(viewer())
    shown = client.get(reverse("recipient", args=[KEY])).context["incident"]
    assert (shown.total, shown.more, shown.first_at) == (3, False, NOW + 5 * HOUR)
    assert {part.word: part.count for part in shown.groups} == {"Can be finished now": 1, "Everything else": 2}
    assert {part.word: part.count for part in shown.owners} == {"I do": 0, "Nobody": 2}


def test_one_note_stands_in_every_open_case_there_and_in_no_other(client):
    client.force_login(with_role("mira", Role.REVIEWER))
    page = reverse("recipient", args=[KEY])
    assert client.post(page, {"act": "note", "note": " "}).status_code == 422
    text = client.post(page, {"act": "note", "note": "Their line is down."}, follow=True).text
    assert "Your note stands in 2 of 2 open cases." in text
    told = CaseAct.objects.filter(note="Their line is down.").values_list("case__recipient__key", flat=True)
    assert list(told) == [KEY, KEY]


def test_what_waits_is_grouped_by_recipient_and_cause(client):
    client.force_login(viewer())
    lines = client.get(reverse("queue_grouped")).context["lines"]
    assert [(line.key, line.whole.count) for line in lines] == [(KEY, 3), ("other", 1)]
    assert [(part.word, part.count) for part in lines[0].causes] == [
        ("Whether it happened", 2),
        ("Nothing that can be named", 1),
    ]
    for part in lines[0].causes:
        shown = client.get(reverse("queue") + part.address).context["sections"]
        assert sum(len(section.rows) for section in shown) == part.count
    assert lines[1].causes[0].address == "?recipient=other&missing=whether_it_happened"

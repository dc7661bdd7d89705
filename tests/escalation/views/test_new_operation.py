"""The page on which a new operation is authorised: refusals first, then compare, authorise, and both pages' links."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.models import NewOperation, User
from escalation.policy import Role
from operations import models, recording
from operations.core.facts import Sends
from tests.escalation.building import HOUR, Made, operation
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.people import with_role
from tests.escalation.successors import closed, typed

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def lena():
    """Somebody who authorises."""
    return with_role("lena", Role.AUTHORISER)


@pytest.fixture
def made():
    """An original that was closed for good, an hour ago."""
    return closed(now=datetime.now(UTC) - HOUR)


def at(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def door(made: Made) -> str:
    return reverse("new_operation", args=[made.number])


def test_where_the_original_may_act_the_page_is_locked_with_the_reason(lena):
    made = operation(now=datetime.now(UTC) - HOUR)
    made.timed_out(now=datetime.now(UTC) - 50 * MINUTE)
    text = at(lena).get(door(made)).text
    assert "a new operation would act beside it" in text
    assert "Authorise the new request" not in text
    answer = at(lena).post(door(made), typed(made))
    assert (answer.status_code, NewOperation.objects.count()) == (409, 0)


def test_who_may_not_is_told_so(made):
    reader = with_role("reader", Role.REVIEWER)
    assert "but not authorise new operations" in at(reader).get(door(made)).text
    assert at(reader).post(door(made), typed(made)).status_code == 403
    assert not NewOperation.objects.exists()


WRONG = {
    "nothing was checked": ({"what_1": "", "by_1": "", "checked_1": ""}, "at least one condition"),
    "the mark is missing": ({"checked_1": ""}, "Condition 1 needs its words"),
    "nobody checked it": ({"by_1": ""}, "Condition 1 needs its words"),
    "nobody allowed it": ({"authority": ""}, "Say who allowed it"),
    "it was not compared": ({"compared": ""}, "Compare first"),
    "something else was compared": ({"compared": "0" * 64}, "Compare first"),
    "no request number": ({"identity": "", "compared": "0" * 64}, "own request number"),
    "the originals number": ({"identity": "order-1001", "compared": "0" * 64}, "needs another one"),
    "another target": ({"target": "/elsewhere", "compared": "0" * 64}, "contract is not about this request: target"),
    "a name twice": ({"body": '{"parcel": "A", "parcel": "B"}', "compared": "0" * 64}, "no strict JSON"),
}


@pytest.mark.parametrize(("other", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said_on_the_form_with_what_was_typed(made, lena, other, said):
    answer = at(lena).post(door(made), typed(made, **other))
    assert answer.status_code == 422
    assert said in answer.text
    assert "The customer still waits" in answer.text
    assert not NewOperation.objects.exists()


def test_a_number_that_is_held_already_is_a_clear_refusal(made, lena):
    operation("order-2002", parcel="Elm", now=datetime.now(UTC) - HOUR)
    answer = at(lena).post(door(made), typed(made))
    assert answer.status_code == 409
    assert "belongs to another operation already" in answer.text
    assert not NewOperation.objects.exists()


def test_comparing_shows_what_differs_and_decides_nothing(made, lena):
    words = typed(made, compare="1", body='{"parcel": "Elm"}')
    answer = at(lena).post(door(made), words)
    assert answer.status_code == 200
    for said in ("order-1001", "order-2002", "&quot;Cedar&quot;", "&quot;Elm&quot;", words["compared"]):
        assert said in answer.text
    assert "The customer still waits" in answer.text
    assert not NewOperation.objects.exists()


def test_what_cannot_be_compared_is_said(made, lena):
    answer = at(lena).post(door(made), typed(made, compare="1", body="{", compared=""))
    assert answer.status_code == 200
    assert "no strict JSON" in answer.text
    assert "Compare the new request with the original first." in answer.text


def test_the_page_leads_to_a_second_operation_and_both_lead_to_each_other(made, lena):
    answer = at(lena).post(door(made), typed(made))
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("operation", args=[made.number]))
    row = NewOperation.objects.get()
    new = reverse("operation", args=[row.successor.number])
    text = at(lena).get(answer.headers["Location"]).text
    assert f'href="{new}"' in text
    assert "The recipient says that the original ended without effect, for good." in text
    assert "Ada Brandt, counter lead" in text
    assert "and it is still open" in text
    assert "Nobody has decided anything." not in text
    there = at(lena).get(new).text
    assert f'href="{reverse("operation", args=[made.number])}"' in there
    assert "Nothing was sent of it yet." in there
    assert "It did not happen" not in there
    assert "Start with “Send: nothing was sent”." in there
    assert "Nothing was ever sent." in there


def test_the_original_names_the_way_out_of_what_a_successor_that_was_never_sent_shuts(made, lena):
    client = at(lena)
    client.post(door(made), typed(made))
    new = NewOperation.objects.get().successor
    with time_machine.travel(datetime.now(UTC) + HOUR):  # the agent never fetched its leave, which has ended
        client.force_login(lena)
        own, shut = client.get(reverse("operation", args=[made.number])).text, client.get(door(made)).text
        assert f"operation {new.number}, of which nothing was sent. It does not end by itself" in own
        assert "on its own page an operator has it sent" in own
        assert "still open" in shut
        noor = at(with_role("noor", Role.OPERATOR, Role.AUTHORISER))
        there = noor.get(reverse("operation", args=[new.number])).text
        assert reverse("protected_repeat", args=[new.number]) in there
        assert reverse("new_operation", args=[new.number]) in there
        assert client.get(reverse("new_operation", args=[new.number])).text.count('name="authority"') == 1


def test_a_successor_that_was_sent_has_to_end_first(made, lena):
    client = at(lena)
    client.post(door(made), typed(made))
    grant = models.Grant.objects.get()
    intent = recording.Intent(attempt="n1", sends=Sends.ONE, scope=grant.scope, begun_at=datetime.now(UTC))
    recording.begin(grant.operation_id, intent, now=datetime.now(UTC), by="key:agent", grant=grant.id)
    text = client.get(reverse("operation", args=[made.number])).text
    assert f"operation {grant.operation.number} ends without effect, for good." in text


def test_a_form_that_is_sent_twice_authorises_once(made, lena):
    words, client = typed(made), at(lena)
    assert [client.post(door(made), words).status_code for _ in range(2)] == [302, 302]
    assert NewOperation.objects.count() == 1


def test_bytes_that_nobody_changed_stay_as_they_are(made, lena):
    body = bytes(made.row.body or b"").decode()
    at(lena).post(door(made), typed(made, body=body))
    assert bytes(NewOperation.objects.get().successor.body or b"") == bytes(made.row.body or b"")


def test_an_accepted_risk_opens_the_page_and_is_used_up(lena):
    now = datetime.now(UTC)
    made = operation(now=now - HOUR)
    made.timed_out(now=now - 50 * MINUTE)
    risk = accepted(made, with_role("mira", Role.REVIEWER), owner(), now=now - MINUTE)
    assert f"risk {risk.pk}" in at(lena).get(door(made)).text
    assert door(made) in at(lena).get(reverse("operation", args=[made.number])).text
    words, client = typed(made), at(lena)
    assert [client.post(door(made), words).status_code for _ in range(2)] == [302, 302]
    risk.refresh_from_db()
    assert risk.successor == NewOperation.objects.get().successor


def test_what_was_authorised_and_never_sent_is_nothing_that_can_be_finished(made, lena):
    at(lena).post(door(made), typed(made))
    new = NewOperation.objects.get().successor
    parts = re.split(r'scope="colgroup">([^<]*)</th>', at(lena).get(reverse("queue")).text)[1:]
    groups = {head.rpartition(" · ")[0]: rows for head, rows in zip(parts[::2], parts[1::2], strict=True)}
    assert [head for head, rows in groups.items() if f'id="row-{new.number}"' in rows] == [
        "Everything else, soonest first"
    ]

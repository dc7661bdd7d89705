"""The decision record of one operation, on a page and as JSON."""

import base64
import json
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.record_repair import repair_record
from escalation.decisions.taking import Taker
from escalation.models import User
from escalation.policy import Role
from operations import models
from operations.core.missing import Fact
from operations.models.chain import link
from operations.recording.pen import row_of
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer, with_role

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
SEVEN = [
    "original_operation",
    "effect_evidence",
    "finality",
    "duplicate_protection",
    "permitted_action",
    "new_proposal",
    "unresolved_reason",
]


@pytest.fixture(autouse=True)
def an_hour_later():
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def reader(client):
    client.force_login(viewer())
    return client


@pytest.fixture
def lost():
    made = operation(sealed=False)
    made.timed_out(now=T0 + MINUTE)
    return made


def taker(made: Made, person: User, *, now=T0 + 30 * MINUTE) -> Taker:
    return Taker(person=person, revision=made.row.revision, once=uuid4(), now=now)


@pytest.fixture
def repaired():
    made = operation()
    made.issued("T-1001", now=T0 + MINUTE)
    person = with_role("mira", Role.REVIEWER)
    repair_record(made.id, taker(made, person), receipt=made.row.observations.get().id, remark="Read it aloud.")
    return made


def told(reader: Client, made: Made):
    answer = reader.get(reverse("record_json", args=[made.number]))
    assert answer.status_code == 200
    return json.loads(answer.content)


@pytest.mark.parametrize("name", ["record", "record_json"])
def test_there_is_no_record_of_an_operation_that_is_none(reader, name):
    assert reader.get(reverse(name, args=[999_999])).status_code == 404


@pytest.mark.parametrize("name", ["record", "record_json"])
def test_nothing_is_decided_here(reader, lost, name):
    assert reader.post(reverse(name, args=[lost.number])).status_code == 405


def test_the_record_has_the_seven_parts_then_what_they_rest_on_then_the_chain(reader, lost):
    keys = list(told(reader, lost))
    assert keys == ["report", "format", "as_of", *SEVEN, "rests_on", "chain"]


def test_the_same_moment_gives_the_same_bytes(reader, repaired):
    address = reverse("record_json", args=[repaired.number])
    assert reader.get(address).content == reader.get(address).content


def test_what_is_unresolved_says_why_and_what_is_missing(reader, lost):
    why = told(reader, lost)["unresolved_reason"]
    assert why["unresolved"] is True
    assert why["why"] == "Nothing that was learnt says whether it happened, and what was sent may still act."
    assert Fact.WHETHER_IT_HAPPENED.sentence in [gap["fact"] for gap in why["missing"]]


def test_what_was_left_is_unresolved_and_names_who_left_it(reader, lost):
    person = with_role("mira", Role.REVIEWER)
    leave_unresolved(
        lost.id,
        taker(lost, person),
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada Brandt",
        look_again_at=T0 + 24 * HOUR,
        remark="",
    )
    found = told(reader, lost)["unresolved_reason"]
    assert found["unresolved"] is True
    assert (found["left"]["by"], found["left"]["told"], found["left"]["stands"]) == ("mira", "Ada Brandt", True)


def test_a_contradiction_is_unresolved_and_says_so(reader):
    made = operation()
    made.issued("T-1", now=T0 + MINUTE)
    made.recorded("closed", now=T0 + 2 * MINUTE)
    found = told(reader, made)
    assert found["effect_evidence"]["conflict"] == "applied_and_closed"
    assert found["unresolved_reason"]["why"].startswith("The recipient contradicts itself.")


def test_what_happened_is_resolved_and_rests_on_its_receipt(reader, repaired):
    found = told(reader, repaired)
    assert found["unresolved_reason"] == {"unresolved": False, "why": None, "missing": [], "left": None}
    assert found["effect_evidence"]["evidence"] == "applied"
    assert found["effect_evidence"]["rests_on"] == [str(repaired.row.observations.get().id)]


def test_each_refused_action_says_why(reader, lost):
    found = told(reader, lost)
    assert found["permitted_action"]["permitted"] == ["except", "leave_unresolved", "observe"]
    assert set(found["permitted_action"]["refused"]) == {"record", "repeat", "propose_new"}
    assert found["new_proposal"]["permitted"] is False
    assert found["new_proposal"]["refusal"] == found["permitted_action"]["refused"]["propose_new"]


def test_a_decision_stands_with_the_standing_that_it_stood_on(reader, repaired):
    (one,) = told(reader, repaired)["rests_on"]["decisions"]
    row = models.Decision.objects.get()
    assert (one["door"], one["by"], one["decided"]["remark"]) == ("repair_record", "mira", "Read it aloud.")
    assert one["standing"] == row.standing


def test_the_payload_is_there_byte_by_byte(reader, repaired):
    (one,) = told(reader, repaired)["rests_on"]["observations"]
    assert base64.b64decode(one["payload"]["base64"]) == bytes(repaired.row.observations.get().payload)
    assert [said["says"] for said in one["readings"]] == ["applied"]


def test_the_chain_is_whole_and_in_order(reader, repaired):
    chain = told(reader, repaired)["chain"]
    rows = chain["chained"]
    assert [row["position"] for row in rows] == list(range(chain["links"]))
    assert rows[-1]["digest"] == chain["head"]
    kinds = ["operation", "attempt", "seal", "observation", "reading", "decision", "completion"]
    assert [row["kind"] for row in rows] == kinds
    assert all(row["at"] and row["by"] for row in rows[1:])


def test_the_first_link_is_what_the_second_follows_from(reader, repaired):
    first = told(reader, repaired)["chain"]["chained"][0]
    attempt = repaired.row.attempts.get()
    assert bytes(attempt.digest) == link(bytes.fromhex(first["digest"]), row_of(attempt))


def test_the_page_says_plainly_what_is_unresolved(reader, lost):
    page = reader.get(reverse("record", args=[lost.number])).content.decode()
    assert "<b>Unresolved.</b> Nothing that was learnt says whether it happened" in page


def test_the_page_shows_who_decided_on_what(reader, repaired):
    page = reader.get(reverse("record", args=[repaired.number])).content.decode()
    assert "Resolved: a receipt says that it happened." in page
    assert "Did it happen? Yes · Could it still happen? Done" in page
    assert bytes(repaired.row.head).hex() in page


def test_hostile_words_are_shown_and_not_run(reader, lost):
    lost.learns("words", now=T0 + 2 * MINUTE, words="<script>alert(1)</script>\u202e", by="agent")
    page = reader.get(reverse("record", args=[lost.number])).content.decode()
    assert "<script>alert" not in page
    assert "[U+202E]" in page

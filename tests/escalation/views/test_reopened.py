"""Whatever comes after a record was completed is stored and judged; what contradicts it brings the operation back."""

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.models import User
from operations import models, recording
from tests.escalation.building import HOUR, T0, Made, operation

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
CONTRADICTIONS = "Answers that contradict each other"
FINISHED = "Can be finished now: the outcome is known, our books don&#x27;t show it"


@pytest.fixture
def keeper(client):
    """An administrator at the screen."""
    client.force_login(User.objects.create_superuser("keeper"))
    return client


def completed(made: Made, receipt: UUID | None, *, now: datetime = T0 + 10 * MINUTE) -> None:
    """Our record is completed, on a receipt or on the standing alone."""
    with recording.writing(made.id, now=now) as pen:
        recording.complete(pen, receipt=receipt, by="keeper")
        pen.finish()


def newest(made: Made) -> UUID:
    return models.Observation.objects.filter(operation=made.id).latest("position").id


@pytest.fixture
def happened():
    """An operation that happened, and our record says so."""
    made = operation()
    made.issued("T-1", now=T0 + MINUTE)
    completed(made, newest(made))
    return made


@pytest.fixture
def never_left():
    """An operation of which no byte was written, and our record says that nothing came of it."""
    made = operation()
    made.learns("wire", now=T0 + timedelta(seconds=1), attempt="a1", fact="not_sent")
    completed(made, None, now=T0 + timedelta(seconds=2))
    return made


def waits(client: Client, *, at: datetime = T0 + HOUR) -> dict[str, list[int]]:
    """The numbers under each heading of the queue."""
    with time_machine.travel(at, tick=False):
        text = client.get(reverse("queue")).text
    parts = re.split(r'scope="colgroup">([^<]*)</th>', text)[1:]
    rows = [[int(number) for number in re.findall(r'id="row-(\d+)"', part)] for part in parts[1::2]]
    return dict(zip([heading.rpartition(" · ")[0] for heading in parts[::2]], rows, strict=True))


def banner(client: Client, made: Made) -> str:
    with time_machine.travel(T0 + HOUR, tick=False):
        found: Any = client.get(reverse("operation_part", args=[made.number, "banner"]))
    return str(found.text)


def test_what_only_confirms_brings_nothing_back(keeper, happened):
    happened.recorded("issued", now=T0 + 20 * MINUTE, ticket="T-1")
    happened.failed(now=T0 + 21 * MINUTE)
    assert waits(keeper) == {}
    assert "Nothing is left to do here." in banner(keeper, happened)


def test_a_closing_after_our_record_says_that_it_happened_is_a_contradiction(keeper, happened):
    happened.recorded("closed", now=T0 + 20 * MINUTE)
    assert waits(keeper) == {CONTRADICTIONS: [happened.number]}
    text = banner(keeper, happened)
    assert "Our record says: It happened (T-1). Since then the recipient contradicts itself." in text
    assert "See both statements" in text


def test_a_receipt_after_our_record_says_that_it_was_closed_is_a_contradiction(keeper):
    made = operation()
    made.recorded("closed", now=T0 + MINUTE)
    completed(made, newest(made))
    assert waits(keeper) == {}
    made.issued("T-1", now=T0 + 20 * MINUTE)
    assert waits(keeper) == {CONTRADICTIONS: [made.number]}
    assert "Our record says: It did not happen" in banner(keeper, made)


def test_what_never_left_by_our_record_and_happened_all_the_same_can_be_finished_anew(keeper, never_left):
    assert waits(keeper) == {}
    never_left.issued("T-1", now=T0 + 20 * MINUTE)
    assert waits(keeper) == {FINISHED: [never_left.number]}
    assert "can no longer act. Since then the recipient says that it happened." in banner(keeper, never_left)


def test_the_row_says_what_our_record_says(keeper, never_left):
    never_left.issued("T-1", now=T0 + 20 * MINUTE)
    with time_machine.travel(T0 + HOUR, tick=False):
        text = keeper.get(reverse("queue")).text
    assert "our record says that it did not happen; since then the recipient says that it happened" in text


def test_an_attempt_that_nobody_recorded_makes_our_record_doubtful_at_once(keeper, never_left):
    at = T0 + timedelta(seconds=30)  # inside the time that the effect usually takes
    body = never_left.says("pending", at=at)
    never_left.learns("reply", now=at, attempt="a9", status=202, body=body)
    assert [*waits(keeper, at=at).values()] == [[never_left.number]]
    assert "Since then what it rests on settles nothing any more" in banner(keeper, never_left)


def test_a_second_effect_after_our_record_says_that_it_happened_comes_back(keeper, happened):
    happened.recorded("issued", now=T0 + 20 * MINUTE, ticket="T-2")
    assert happened.row.duplicate_effect
    assert waits(keeper) == {FINISHED: [happened.number]}
    assert "Since then the recipient names 2 effects: T-1, T-2." in banner(keeper, happened)


def test_a_second_effect_that_our_record_knows_of_waits_no_longer(keeper, happened):
    happened.recorded("issued", now=T0 + 20 * MINUTE, ticket="T-2")
    completed(happened, newest(happened), now=T0 + 30 * MINUTE)
    assert waits(keeper) == {}
    happened.recorded("issued", now=T0 + 40 * MINUTE, ticket="T-2")
    assert waits(keeper) == {}


def test_a_record_that_is_contradicted_can_be_repaired_through_its_door(keeper, never_left):
    never_left.issued("T-1", now=T0 + 20 * MINUTE)
    seen = {"revision": never_left.row.revision, "once": uuid4(), "receipt": newest(never_left), "compared": "on"}
    with time_machine.travel(T0 + HOUR, tick=False):
        assert keeper.post(reverse("repair_record", args=[never_left.number]), seen).status_code == 302
    outcomes = models.Completion.objects.order_by("position").values_list("outcome", flat=True)
    assert list(outcomes) == ["no_effect", "applied"]
    assert waits(keeper) == {}


def test_a_contradiction_of_our_record_is_not_repaired_while_it_lasts(keeper, happened):
    happened.recorded("closed", now=T0 + 20 * MINUTE)
    seen = {"revision": happened.row.revision, "once": uuid4(), "receipt": newest(happened), "compared": "on"}
    with time_machine.travel(T0 + HOUR, tick=False):
        assert keeper.post(reverse("repair_record", args=[happened.number]), seen).status_code == 409
    assert models.Completion.objects.count() == 1

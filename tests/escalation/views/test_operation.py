"""One operation on the screen."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.models import User
from escalation.views.operation import PARTS
from tests.escalation.building import HOUR, T0, Made, operation

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client):
    """Somebody who may read and nothing else."""
    client.force_login(User.objects.create_user("mira"))
    return client


def page(client: Client, made: Made, *, at: datetime = T0 + HOUR) -> Any:
    with time_machine.travel(at, tick=False):
        return client.get(reverse("operation", args=[made.number]))


def test_an_operation_that_is_not_there_is_said_to_be_not_there(reader):
    assert reader.get(reverse("operation", args=[9])).status_code == 404


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
    with time_machine.travel(T0 + HOUR, tick=False):
        whole = reader.get(reverse("operation", args=[made.number])).content
        alone = reader.get(reverse("operation_part", args=[made.number, part])).content
    assert len(alone) > 100
    assert whole.count(alone) == 1

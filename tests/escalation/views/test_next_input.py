"""The check of a run's next input, on its page; refusals first."""

import pytest
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from operations import models
from tests.escalation.people import with_role
from tests.operations.imports.records import log, run
from tests.operations.runs.bringing import brought, chat
from tests.operations.runs.test_checking import AFTER, FIXED, STATE, a_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira(client: Client) -> Client:
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


def page(row: models.Run) -> str:
    return reverse("next_input", args=[row.pk])


def test_a_run_that_can_not_be_checked_says_what_is_missing(mira):
    got = mira.get(page(brought(chat(("a", "{}", None))).transcript.run))
    assert (got.status_code, "No record of this run is a state" in got.text) == (200, True)


@pytest.mark.parametrize("number", ["9", "2"])
def test_a_record_that_is_no_state_is_refused(mira, number):
    got = mira.get(page(a_run(run(STATE), log(AFTER))), {"state": number})
    assert (got.status_code, f"Record {number} of this run is not a state" in got.text) == (422, True)


def test_an_output_that_no_request_carries_is_named(mira):
    got = mira.get(page(a_run(run(STATE), log(AFTER))))
    assert "call_Sm32" in got.text
    assert "It is owed an output, and no request carries one." in got.text


def test_a_resume_with_every_output_passes(mira):
    got = mira.get(page(a_run(run(STATE), log(AFTER), log(FIXED))), {"state": "1", "request": "3"})
    assert "Every call that is owed an output has exactly one." in got.text


def test_a_run_names_its_check_only_where_it_can_be_made(mira):
    assert page(found := a_run(run(STATE), log(AFTER))) in mira.get(reverse("run", args=[found.pk])).text
    alone = brought(chat(("a", "{}", None))).transcript.run
    assert page(alone) not in mira.get(reverse("run", args=[alone.pk])).text

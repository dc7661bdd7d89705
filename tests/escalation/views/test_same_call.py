"""Which call of the other side is probable stands on a call's page, and a person says which it is; refusals first."""

import pytest
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from operations import models
from tests.escalation.people import viewer, with_role
from tests.operations.runs.bringing import brought, chat
from tests.operations.runs.test_linking import wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira(client: Client) -> Client:
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


@pytest.fixture
def calls() -> dict[str, models.Call]:
    run = brought(chat(("call_1", '{"parcel": "Cedar"}', None))).transcript.run
    brought(wire(4), run=run, at=1)
    brought(wire(5, parcel="Oak"), run=run, at=2)
    return {row.call_id: row for row in run.calls.all()}


def page(row: models.Call) -> str:
    return reverse("run_call", args=[row.run_id, row.pk])


def same(client: Client, row: models.Call, other: object):
    return client.post(page(row), {"act": "same", "other": str(other)})


def test_who_may_only_read_says_nothing(client, calls):
    client.force_login(viewer())
    assert same(client, calls["c4"], calls["call_1"].pk).status_code == 403
    assert "Probably the same call" in client.get(page(calls["c4"])).text


@pytest.mark.parametrize("other", ["", "x", "0", "c5"])
def test_a_call_that_is_not_probable_is_refused(mira, calls, other):
    got = same(mira, calls["call_1"], calls[other].pk if other == "c5" else other)
    assert (got.status_code, models.CallLink.objects.count()) == (422, 0)


def test_a_call_without_a_counterpart_shows_none(mira, calls):
    assert 'id="same"' not in mira.get(page(calls["c5"])).text


def test_a_probable_link_is_shown_as_probable_with_what_makes_it_so(mira, calls):
    shown = mira.get(page(calls["c4"])).text
    assert '<span class="chip">probable</span>' in shown
    assert "the same tool and arguments, no time on record" in shown


def test_a_person_says_it_and_it_is_ended_on_the_other_page(mira, calls):
    assert same(mira, calls["c4"], calls["call_1"].pk).status_code == 302
    assert "by the word of <bdi>mira</bdi>" in mira.get(page(calls["call_1"])).text
    mira.post(page(calls["call_1"]), {"act": "other"})
    assert "it was taken for the same as" in mira.get(page(calls["c4"])).text


def test_a_second_word_is_refused(mira, calls):
    same(mira, calls["c4"], calls["call_1"].pk)
    brought(wire(6), run=calls["c4"].run, at=3)
    got = same(mira, models.Call.objects.get(call_id="c6"), calls["call_1"].pk)
    assert got.status_code == 409

"""Rules for outputs are tried before they are written, by whoever may write contracts; refusals first."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from operations import models
from tests.escalation.people import with_role
from tests.operations.runs.bringing import brought, chat

pytestmark = pytest.mark.django_db
PAGE = "/tools/rules"
RULE = {"tool": "", "pattern": "we gave up*", "says": "inconclusive", "number": "", "version": ""}
HOSTILE = '"><script>alert(1)</script>*\u00a0'


@pytest.fixture
def edda(client: Client) -> Client:
    client.force_login(with_role("edda", Role.CONTRACT_EDITOR))
    return client


@pytest.fixture(autouse=True)
def nothing_announced(monkeypatch):
    monkeypatch.setattr("escalation.views.output_rules._announce", lambda: None)


def tried(client: Client, **rule: str) -> dict[str, str]:
    """What the page that tried a rule would send."""
    page = client.post(PAGE, {**RULE, **rule, "act": "try"}).text
    form = page[page.index('id="trial"') :]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</section>")]))


def write(client: Client, **rule: str):
    return client.post(PAGE, tried(client, **rule))


def test_who_writes_no_contracts_writes_no_rule(client):
    client.force_login(with_role("mira", Role.REVIEWER))
    assert (client.post(PAGE, {**RULE, "act": "try"}).status_code, "Write a rule" in client.get(PAGE).text) == (
        403,
        False,
    )


def test_a_rule_that_was_not_tried_is_not_written(edda):
    got = edda.post(PAGE, {**RULE, "act": "write"})
    assert (got.status_code, models.OutputRule.objects.count()) == (422, 0)


def test_what_was_tried_is_what_is_written(edda):
    got = edda.post(PAGE, {**tried(edda), "pattern": "something else*"})
    assert (got.status_code, models.OutputRule.objects.count()) == (422, 0)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"pattern": "*"}, "(too_short)"),
        ({"pattern": "ab**cdef"}, "(stars)"),
        ({"pattern": "x" * 201}, "200 characters"),
        ({"says": "failed"}, "Choose what"),
        ({"says": "envelope"}, "Choose what"),
    ],
)
def test_a_rule_that_may_not_be_is_refused_by_its_rule(edda, wrong, why):
    got = edda.post(PAGE, {**RULE, **wrong, "act": "try"})
    assert (got.status_code, why in got.text) == (422, True)


def test_a_trial_shows_what_would_change_and_writes_nothing(edda):
    brought(chat(("a", "{}", "We gave up."), ("b", "{}", "T-1")))
    page = edda.post(PAGE, {**RULE, "act": "try"}).text
    assert "1 output fits, 1 would be taken for something else." in page
    assert not models.OutputRule.objects.exists()


def test_a_rule_that_was_tried_is_written_and_shown_at_the_call(edda):
    row = brought(chat(("a", "{}", "We gave up."))).transcript.run
    assert write(edda).status_code == 302
    page = edda.get(reverse("run_call", args=[row.pk, row.calls.get().pk])).text
    assert "rule 1, version 1" in page
    assert "matched: " in page


def test_a_change_is_the_next_version_and_the_earlier_one_stays(edda):
    write(edda)
    assert 'value="we gave up*"' in edda.get(PAGE, {"change": "1"}).text
    write(edda, pattern="we gave up at*", number="1", version="1")
    assert list(models.OutputRule.objects.order_by("version").values_list("version", "ended_by")) == [
        (1, "edda"),
        (2, ""),
    ]
    assert "1 earlier version" in edda.get(PAGE).text


def test_a_change_of_what_somebody_changed_since_is_refused(edda):
    write(edda)
    write(edda, number="1", version="1")
    assert write(edda, number="1", version="1").status_code == 409


def test_a_rule_is_ended_once(edda):
    write(edda)
    end = {"act": "end", "number": "1", "version": "1"}
    assert [edda.post(PAGE, end).status_code for _ in range(2)] == [302, 409]


def test_a_hostile_pattern_is_text(edda):
    write(edda, pattern=HOSTILE.strip())
    assert "<script>alert" not in edda.get(PAGE).text

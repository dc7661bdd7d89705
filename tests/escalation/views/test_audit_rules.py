"""The rules of two people and the limits of who accepts risks stand in the list of who did what, set and ended."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from escalation.models import FourEyesRule, RiskLimit, User
from escalation.policy import EVERY_RECIPIENT, Reads
from escalation.screens.audit import Filters, page
from escalation.screens.audit_export import exported
from operations import models
from tests.escalation.building import HOUR, T0, contract_of

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def ruled():
    """A rule for every recipient that was ended, and a limit at one of two recipients."""
    ada, ben = (User.objects.create_superuser(name) for name in ("ada", "ben"))
    contract_of(key="elsewhere", name="Elsewhere")
    here = models.Recipient.objects.get(key="elsewhere")
    FourEyesRule.objects.create(door="repeat", set_at=T0, set_by=ada, ended_at=T0 + HOUR, ended_by=ben)
    RiskLimit.objects.create(role="risk owner", recipient=here, most=500, currency="EUR", set_at=T0, set_by=ben)
    return here


def test_every_rule_and_limit_that_was_set_or_ended_stands_in_the_list(ruled):
    found = {line.act: line for line in page(Filters(), reads=EVERY_RECIPIENT, before=None)[0]}
    assert set(found) == {"rule_set", "rule_ended", "limit_set"}
    ended, most = found["rule_ended"], found["limit_set"]
    assert (ended.by, ended.at, ended.name) == ("ben", T0 + HOUR, "Ended a rule of two people")
    assert ended.result == "It takes two people to have a request repeated, at every recipient: always."
    assert most.result == "Whoever holds the role “risk owner” may accept risks up to EUR 500, at Elsewhere."
    assert exported(most)["result"] == most.result
    assert len({line.key for line in found.values()}) == 3


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"recipient": "elsewhere"}, ["limit_set"]),
        ({"person": "ada"}, ["rule_set"]),
        ({"door": "rule_ended"}, ["rule_ended"]),
        ({"door": "leave_unresolved"}, []),
        ({"since": (T0 + DAY).date().isoformat()}, []),
    ],
)
def test_rules_and_limits_are_narrowed_like_every_line(ruled, filters, wanted):
    found = page(Filters.of(filters), reads=EVERY_RECIPIENT, before=None)[0]
    assert [line.act for line in found] == wanted


def test_who_reads_another_recipient_alone_finds_only_the_rules_for_every_one(ruled):
    found = page(Filters(), reads=Reads(frozenset({ruled.pk + 1})), before=None)[0]
    assert [line.act for line in found] == ["rule_ended", "rule_set"]


def test_rules_and_limits_are_in_the_files(client, ruled):
    client.force_login(User.objects.create_superuser("reader"))
    rows = b"".join(client.get(reverse("audit_json_lines")).streaming_content).decode().splitlines()
    assert [json.loads(row)["act"] for row in rows] == ["rule_ended", "limit_set", "rule_set"]
    text = client.get(reverse("audit")).text
    assert "every rule of two people and every limit set or ended" in text
    assert "Let somebody accept risks" in text

"""The page of rules: read by everyone, set and ended by administrators; refusals first."""

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.models import FourEyesRule, RiskLimit, User
from escalation.policy import Role
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at on one day."""
    with time_machine.travel(T0 + HOUR, tick=False):
        yield


@pytest.fixture
def admin(client):
    """An administrator at the screen."""
    client.force_login(with_role("root", Role.ADMINISTRATOR))
    return client


def posted(client: Client, **typed: str) -> tuple[int, str]:
    answer = client.post(reverse("rules"), typed, follow=True)
    return answer.status_code, answer.text


def test_who_is_no_administrator_reads_and_can_not_post(client):
    client.force_login(with_role("mira", Role.RISK_OWNER))
    text = client.get(reverse("rules")).text
    assert "Accepting a risk takes two people" in text
    assert "<select" not in text
    assert "administrator" in text
    for typed in ({"act": "rule", "door": "repeat", "always": "on"}, {"act": "end", "setting": "rule-1"}):
        assert posted(client, **typed)[0] == 403
    assert not FourEyesRule.objects.exists()


FAULTS = [
    ({"act": "other"}, "no such act"),
    ({"act": "end", "setting": "user-1"}, "no such setting"),
    ({"act": "end", "setting": "rule-9999999999999999999999"}, "no such setting"),
    ({"act": "rule", "always": "on"}, "Choose what it is to take two people for."),
    ({"act": "rule", "door": "approve_exception", "always": "on"}, "Choose one of these."),
    ({"act": "rule", "door": "repeat"}, "one of the two"),
    ({"act": "rule", "door": "repeat", "always": "on", "amount": "5", "currency": "EUR"}, "one of the two"),
    ({"act": "rule", "door": "repeat", "amount": "5"}, "An amount needs its currency"),
    ({"act": "rule", "door": "repeat", "always": "on", "recipient": "nowhere"}, "no recipient with this key"),
    ({"act": "limit", "in_words": "on"}, "Name a role or a person"),
    ({"act": "limit", "role": "viewer", "in_words": "on"}, "This role accepts no risks."),
    ({"act": "limit", "role": "risk owner"}, "Say the most"),
    ({"act": "limit", "role": "risk owner", "in_words": "on", "amount": "5", "currency": "EUR"}, "Say the most"),
    ({"act": "limit", "person": "nobody", "in_words": "on"}, "nobody with this user name"),
]


@pytest.mark.parametrize(("typed", "said"), FAULTS, ids=str)
def test_what_is_missing_or_wrong_is_said_and_nothing_is_set(admin, typed, said):
    status, text = posted(admin, **typed)
    assert (status, said in text) == (422, True)
    assert not FourEyesRule.objects.exists()
    assert not RiskLimit.objects.exists()


def test_an_administrator_does_not_set_their_own_limit(admin):
    status, text = posted(admin, act="limit", person="root", in_words="on")
    assert (status, RiskLimit.objects.count()) == (409, 0)
    assert "another administrator does" in text


def test_what_is_in_force_already_is_not_set_again(admin):
    typed = {"act": "rule", "door": "repeat", "always": "on"}
    assert [posted(admin, **typed)[0] for _ in range(2)] == [200, 409]
    assert FourEyesRule.objects.count() == 1


def test_a_rule_is_read_as_a_sentence_and_stays_on_record_when_it_is_ended(admin):
    contract_of()
    typed = {"act": "rule", "door": "repeat", "recipient": "collection-desk", "amount": "100", "currency": "eur"}
    sentence = "It takes two people to have a request repeated, at Collection desk: from EUR 100 on."
    assert sentence in posted(admin, **typed)[1].partition("What held before")[0]
    row = FourEyesRule.objects.get()
    before, _, after = posted(admin, act="end", setting=f"rule-{row.pk}")[1].partition("What held before")
    assert (sentence in before, sentence in after) == (False, True)
    assert "ended by <bdi>root</bdi>" in after
    assert posted(admin, act="end", setting=f"rule-{row.pk}")[0] == 409


def test_limits_of_roles_and_people_are_read_as_sentences(admin):
    User.objects.create_user("ida")
    posted(admin, act="limit", role="risk owner", amount="1000", currency="EUR")
    text = posted(admin, act="limit", person="ida", in_words="on")[1]
    assert "Whoever holds the role “risk owner” may accept risks up to EUR 1,000, at every recipient." in text
    assert "ida may accept risks that are stated in words, at every recipient." in text


def test_a_rule_is_said_at_the_door_where_one_proposes_by_it(admin):
    made = operation()
    made.issued("T-1", now=T0)
    posted(admin, act="rule", door="repair_record", always="on")
    keeper = Client()
    keeper.force_login(with_role("keeper", Role.REVIEWER))
    text = keeper.get(reverse("repair_record", args=[made.number])).text
    assert "By a rule of this desk it takes two people to repair our record." in text
    assert "Propose: Repair our record" in text
    assert '<button class="primary">' not in text


def test_a_limit_that_holds_for_the_reader_has_a_sentence_in_place_of_its_button(admin):
    root, lena = User.objects.get(username="root"), with_role("lena", Role.RISK_OWNER)
    for person, by in ((root, lena), (lena, root)):
        RiskLimit.objects.create(person=person, set_at=T0, set_by=by)
    text = admin.get(reverse("rules")).text
    assert (text.count("This limit holds for you"), text.count(">End it</button>")) == (1, 1)
    mine = RiskLimit.objects.get(person=root)
    status, text = posted(admin, act="end", setting=f"limit-{mine.pk}")
    assert (status, RiskLimit.objects.get(person=root).ended_at) == (409, None)
    assert "Nothing was written. This limit holds for you" in text

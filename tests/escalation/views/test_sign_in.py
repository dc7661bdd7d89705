"""Ways in, through HTTP."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from escalation.models import User
from escalation.sign_in_link import make_sign_in_link
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db


@pytest.fixture
def link() -> str:
    person = viewer("mira")
    return reverse("sign_in_by_link", args=[make_sign_in_link(person, now=datetime.now(tz=UTC))])


def test_a_stranger_is_sent_to_the_sign_in_page(client):
    answer = client.get(reverse("queue"))
    assert (answer.status_code, answer.url) == (302, f"{reverse('sign_in')}?next=/")


def test_a_wrong_password_signs_nobody_in(client):
    User.objects.create_user("mira", password="a long enough phrase")
    answer = client.post(reverse("sign_in"), {"login": "mira", "password": "another long phrase"})
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text
    assert client.get(reverse("queue")).status_code == 302


def test_an_ended_link_is_gone_and_signs_nobody_in(client, link):
    Client().post(link)
    assert client.get(link).status_code == client.post(link).status_code == 410
    assert client.get(reverse("queue")).status_code == 302


def test_looking_at_a_link_signs_nobody_in(client, link):
    answer = client.get(link)
    assert (answer.status_code, "Sign in as mira" in answer.text) == (200, True)
    assert client.get(reverse("queue")).status_code == 302


def test_a_link_posted_from_another_site_signs_nobody_in(link):
    client = Client(enforce_csrf_checks=True)
    assert client.post(link).status_code == 403
    assert client.get(reverse("queue")).status_code == 302


def test_pressing_the_button_of_a_link_signs_in_and_leads_to_a_first_password(client, link):
    answer = client.post(link, follow=True)
    assert answer.redirect_chain == [(reverse("account_set_password"), 302)]
    assert "Set a password" in answer.text


def test_a_link_leads_who_has_a_password_to_the_queue(client, link):
    person = User.objects.get(username="mira")
    person.set_password("a long enough phrase")
    person.save()
    assert client.post(link).url == reverse("queue")


def test_a_password_signs_in_and_goes_where_one_wanted_to_go(client):
    User.objects.create_superuser("mira", password="a long enough phrase")
    words = {"login": "mira", "password": "a long enough phrase", "next": "/?page=2"}
    assert client.post(reverse("sign_in"), words).url == "/?page=2"
    assert client.get(reverse("queue")).status_code == 200


def test_signing_out_ends_the_session(client, link):
    client.post(link)
    assert client.post(reverse("sign_out")).url == reverse("sign_in")
    assert client.get(reverse("queue")).status_code == 302


@pytest.mark.parametrize("name", ["sign_in", "queue", "healthz"])
def test_every_answer_forbids_what_it_does_not_need(client, name):
    policy = client.get(reverse(name)).headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == "'none'"
    assert "unsafe" not in policy

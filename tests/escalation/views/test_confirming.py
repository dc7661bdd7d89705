"""The page of the link by which a mail address is confirmed; refusals first."""

from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from django.urls import reverse

from escalation.access.confirming import LASTS, link_token
from escalation.models import AddressConfirmation, NoticeAddress, Telling
from escalation.models.notice import Kind
from escalation.policy import Role
from tests.escalation.notify.chains import address, ann, team
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
SHARED, OWN = "/notices/addresses", "/account/notices"


def text(client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


def confirms(client, here: NoticeAddress) -> None:
    """The link is looked at, which does nothing, and pressed."""
    link = reverse("confirm_address", args=[link_token(here, now=datetime.now(UTC))])
    assert here.to in text(client, link)
    assert not AddressConfirmation.objects.filter(address=here).exists()
    assert client.post(link).status_code == 302
    assert AddressConfirmation.objects.filter(address=here).exists()
    assert [client.get(link).status_code, client.post(link).status_code] == [409, 409]


def test_a_link_leads_a_stranger_to_sign_in_and_back(client):
    link = reverse("confirm_address", args=[link_token(address(ann(), confirmed=False), now=datetime.now(UTC))])
    assert client.post(link)["Location"] == f"{reverse('sign_in')}?next={quote(link)}"


def test_a_link_of_somebody_else_or_out_of_date_confirms_nothing(client):
    here = address(ann(), confirmed=False)
    late = link_token(here, now=datetime.now(UTC) - LASTS)
    theirs = link_token(here, now=datetime.now(UTC))
    client.force_login(here.person)
    assert client.post(reverse("confirm_address", args=[late])).status_code == 410
    client.force_login(with_role("ben", Role.OPERATOR))
    answer = client.post(reverse("confirm_address", args=[theirs]))
    assert (answer.status_code, "ann@desk.example" in answer.content.decode()) == (403, False)
    assert not AddressConfirmation.objects.exists()


def test_another_link_is_sent_when_asked_for_and_not_at_once_again(client):
    admin = with_role("root", Role.ADMINISTRATOR)
    room, own = address(team("Cedar"), "room@desk.example", confirmed=False), address(ann(), confirmed=False)
    for person, page, here in ((admin, SHARED, room), (own.person, OWN, own)):
        client.force_login(person)
        asked = [client.post(page, {"act": "ask", "address": here.pk}).status_code for _ in range(2)]
        assert asked == [302, 409]
    assert Telling.objects.filter(kind=Kind.CONFIRM).count() == 2


def test_the_address_of_a_team_is_confirmed_by_somebody_in_it_who_is_led_to_its_page(client):
    member = ann()
    cedar = team("Cedar", member)
    here = address(cedar, "room@desk.example", confirmed=False)
    client.force_login(member)
    page = reverse("team", args=[cedar.pk])
    assert "Not confirmed, so that nothing is sent there: an address of the team Cedar." in text(client, page)
    confirms(client, here)
    assert "Not confirmed" not in text(client, page)


def test_your_own_address_is_told_once_you_pressed_its_link(client):
    here = address(ann(), confirmed=False)
    client.force_login(here.person)
    assert "not confirmed: nothing is sent there but the link" in text(client, OWN)
    confirms(client, here)
    assert "by <bdi>ann</bdi>" in text(client, OWN)


def test_an_address_from_before_links_were_sent_is_in_use_and_says_that_nobody_confirmed_it(client):
    here = address(ann(), confirmed=False)
    AddressConfirmation.objects.create(address=here, at=here.made_at)
    client.force_login(here.person)
    assert "confirmed by nobody, in use since before links were sent" in text(client, OWN)

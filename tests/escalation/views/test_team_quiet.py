"""The quiet hours of a team on its page; refusals first."""

import pytest
from django.urls import reverse

from escalation.models import QuietHours, Team
from escalation.policy import Role
from tests.escalation.notify.chains import ann, quiet, team
from tests.escalation.people import with_role

pytestmark = pytest.mark.django_db
HOURS = {"act": "quiet", "begins": "22:00", "ends": "07:00", "zone": "Europe/Berlin"}


@pytest.fixture
def cedar() -> Team:
    return team("Cedar", ann())


def page(client, cedar: Team) -> str:
    answer = client.get(reverse("team", args=[cedar.pk]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_who_is_no_administrator_reads_them_and_sets_none(client, cedar):
    quiet(cedar)
    client.force_login(cedar.members.get().person)
    for act in ("quiet", "no_quiet"):
        assert client.post(reverse("team", args=[cedar.pk]), {**HOURS, "act": act}).status_code == 403
    shown = page(client, cedar)
    assert "From 22:00 to 07:00, Europe/Berlin" in shown
    assert "Set quiet hours" not in shown
    assert QuietHours.objects.get().ended_at is None


def test_hours_that_are_none_are_not_set_and_are_shown_as_typed(client, cedar):
    client.force_login(with_role("root", Role.ADMINISTRATOR))
    answer = client.post(reverse("team", args=[cedar.pk]), {**HOURS, "zone": "Mars/Olympus"})
    assert answer.status_code == 422
    assert 'value="Mars/Olympus"' in answer.content.decode()
    assert not QuietHours.objects.exists()


def test_an_administrator_sets_and_ends_them(client, cedar):
    client.force_login(with_role("root", Role.ADMINISTRATOR))
    assert "None: the team is told at its own addresses at any hour." in page(client, cedar)
    assert client.post(reverse("team", args=[cedar.pk]), HOURS).status_code == 302
    shown = page(client, cedar)
    assert "From 22:00 to 07:00, Europe/Berlin" in shown
    assert "It is quiet there from 22:00 to 07:00 Europe/Berlin." in shown
    assert client.post(reverse("team", args=[cedar.pk]), {"act": "no_quiet"}).status_code == 302
    assert client.post(reverse("team", args=[cedar.pk]), {"act": "no_quiet"}).status_code == 409
    assert "None: the team is told" in page(client, cedar)


def test_how_long_it_takes_to_act_is_said_and_that_it_differs_where_it_does(client, cedar, settings):
    client.force_login(cedar.members.get().person)
    assert "could act (4 minutes), is sent anyway" in page(client, cedar)
    settings.NOTICES = {**settings.NOTICES, "ahead_for": {"collection-desk": settings.NOTICES["ahead"]}}
    assert "could act (4 minutes, or what is set for the recipient), is sent" in page(client, cedar)

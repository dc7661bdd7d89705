"""The log of notices, the addresses of teams, and each person's own page; refusals first."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse

from escalation.access.confirming import confirm, link_token
from escalation.models import NoticeAddress, QuietHours, Telling
from escalation.models.notice import End, Kind
from escalation.models.notice_address import Way
from escalation.notify.outcome import Outcome
from escalation.policy import Role
from tests.escalation.building import HOUR, contract_of
from tests.escalation.notify.chains import CALLED, TAKEN, Post, address, ann, called_for, calls, quiet, team, told
from tests.escalation.people import viewer, with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
LOG, SHARED, OWN = "/notices", "/notices/addresses", "/account/notices"


@pytest.fixture
def admin():
    return with_role("root", Role.ADMINISTRATOR)


def text(client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.parametrize("act", ["add", "remove", "test", "", "quiet"])
def test_who_is_no_administrator_changes_no_address_of_a_team(client, act):
    here = address(team("Cedar"), "CEDAR_ROOM", way=Way.SLACK)
    client.force_login(ann())
    answer = client.post(SHARED, {"act": act, "address": here.pk, "way": "slack", "to": "X", "team": "Cedar"})
    assert answer.status_code == 403
    assert (NoticeAddress.objects.count(), Telling.objects.count()) == (1, 0)
    here.refresh_from_db()
    assert here.ended_at is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"way": "slack", "to": "https://hooks.example/T0"}, "Write the webhook"),
        ({"way": "slack", "to": "X_FILE"}, "Write the webhook"),
        ({"way": "mail", "to": "ops@desk.example"}, "Mail goes to a team"),
        ({"way": "mail", "to": "ops@", "team": "Cedar"}, "Write a mail address"),
        ({"way": "mail", "to": "öps@desk.example", "team": "Cedar"}, "Write a mail address"),
        ({"way": "pigeon", "to": "X"}, "pigeon"),
        ({"way": "slack", "to": "X", "team": "Fir"}, "There is no team of that name."),
        ({"way": "slack", "to": ""}, "Write where."),
    ],
)
def test_what_is_no_address_is_not_added_and_is_shown_as_it_was_typed(client, admin, typed, said):
    team("Cedar")
    client.force_login(admin)
    answer = client.post(SHARED, {"act": "add", **typed})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert NoticeAddress.objects.count() == 0


def test_an_address_is_added_once(client, admin):
    team("Cedar")
    client.force_login(admin)
    typed = {"act": "add", "way": "slack", "to": "CEDAR_ROOM", "team": "Cedar"}
    assert [client.post(SHARED, typed).status_code for _ in range(2)] == [302, 409]
    made = NoticeAddress.objects.get()
    assert (str(made.team), made.way, made.to, made.made_by) == ("Cedar", "slack", "CEDAR_ROOM", admin)


def test_an_address_that_is_removed_stays_on_record(client, admin):
    here = address(team("Cedar"), "CEDAR_ROOM", way=Way.SLACK)
    client.force_login(admin)
    assert client.post(SHARED, {"act": "remove", "address": here.pk}).status_code == 302
    assert client.post(SHARED, {"act": "remove", "address": here.pk}).status_code == 409
    here.refresh_from_db()
    assert here.ended_by == admin
    assert "CEDAR_ROOM" not in text(client, SHARED)


def test_an_administrator_can_not_add_or_remove_a_persons_own_address(client, admin):
    here = address(ann())
    client.force_login(admin)
    assert client.post(SHARED, {"act": "remove", "address": here.pk}).status_code == 409
    assert client.post(SHARED, {"act": "test", "address": here.pk}).status_code == 409
    assert "ann@desk.example" not in text(client, SHARED)


@pytest.mark.parametrize("act", ["remove", "test", "", "x"])
def test_nobody_touches_the_address_of_somebody_else(client, act):
    here = address(ann())
    client.force_login(with_role("ben", Role.OPERATOR))
    assert client.post(OWN, {"act": act, "address": here.pk}).status_code == 409
    here.refresh_from_db()
    assert (here.ended_at, Telling.objects.count()) == (None, 0)


def test_an_unwatched_browser_adds_no_address(client):
    person = ann()
    client.force_login(person)
    proved_ago(client, minutes=16)
    answer = client.post(OWN, {"act": "add", "way": "mail", "to": "thief@evil.example"})
    assert (answer.status_code, NoticeAddress.objects.count()) in [(302, 0), (403, 0)]


def test_your_own_address_is_added_tested_and_removed(client):
    person = ann()
    client.force_login(person)
    assert client.post(OWN, {"act": "add", "way": "mail", "to": "ann@desk.example"}).status_code == 302
    here = NoticeAddress.objects.get(person=person)
    assert client.post(OWN, {"act": "test", "address": here.pk}).status_code == 409
    assert "not confirmed: nothing is sent there but the link" in text(client, OWN)
    confirm(link_token(here, now=datetime.now(UTC)), person=person, now=datetime.now(UTC))
    assert [client.post(OWN, {"act": "test", "address": here.pk}).status_code for _ in range(2)] == [302, 302]
    test = Telling.objects.get(kind=Kind.TEST)
    told(Post(), at=test.made_at)
    assert "taken. Taken." in text(client, OWN)
    assert client.post(OWN, {"act": "remove", "address": here.pk}).status_code == 302
    assert "ann@desk.example" not in text(client, OWN)


def test_nobody_has_more_than_ten_addresses(client):
    client.force_login(ann())
    answers = [
        client.post(OWN, {"act": "add", "way": "mail", "to": f"ann{number}@desk.example"}).status_code
        for number in range(11)
    ]
    assert answers == [302] * 10 + [409]


@pytest.mark.parametrize(
    ("begins", "ends", "zone"),
    [
        ("22:00", "22:00", "Europe/Berlin"),
        ("25:00", "07:00", "Europe/Berlin"),
        ("22:00", "07:00", "Mars/Olympus"),
        ("22:00", "07:00", "../../etc/passwd"),
        ("", "", ""),
    ],
)
def test_hours_that_are_none_are_not_set(client, begins, ends, zone):
    client.force_login(ann())
    assert client.post(OWN, {"act": "quiet", "begins": begins, "ends": ends, "zone": zone}).status_code == 422
    assert QuietHours.objects.count() == 0


def test_quiet_hours_are_set_anew_and_ended_and_what_they_held_back_is_told(client):
    person = ann()
    address(person)
    client.force_login(person)
    for begins in ("11:00", "12:00"):
        typed = {"act": "quiet", "begins": begins, "ends": "20:00", "zone": "Europe/Berlin"}
        assert client.post(OWN, typed).status_code == 302
    assert [hours.ended_at is None for hours in QuietHours.objects.order_by("pk")] == [False, True]
    assert "From 12:00 to 20:00, Europe/Berlin" in text(client, OWN)
    calls(called_for(), person)
    assert told(Post()) == 0
    assert client.post(OWN, {"act": "no_quiet"}).status_code == 302
    assert QuietHours.objects.filter(ended_at=None).count() == 0


def test_the_log_says_what_went_to_whom_how_it_ended_and_when_it_is_tried_again(client):
    one, two = ann(), ann("ben")
    address(one)
    address(two)
    calls(called_for("order-1"), one)
    calls(called_for("order-2"), two)
    away = Outcome(end=End.NOT_SENT, detail="The mail server can't be reached.")
    told(Post([TAKEN, away]))
    client.force_login(one)
    shown = text(client, LOG)
    assert "Act before 1 Dec 11:59 UTC: Issue one collection ticket for parcel Cedar at desk East" in shown
    assert "ann, Mail to ann@desk.example" in shown
    assert "ben@desk.example" not in shown
    assert "ben, Mail" in shown
    assert "The mail server can&#x27;t be reached." in shown
    assert "the next try" in shown


@time_machine.travel(CALLED + HOUR, tick=False)
def test_the_log_shows_whom_nobody_could_tell(client):
    case = called_for()
    calls(case, "OPS_ROOM")
    told(Post())
    client.force_login(ann())
    shown = text(client, LOG)
    assert f"Operation {case.operation.number}</a>: <bdi>the webhook OPS_ROOM</bdi>" in shown
    assert "No address is known" in shown


@time_machine.travel(CALLED + HOUR, tick=False)
def test_the_log_shows_at_which_address_somebody_was_not_told(client):
    person = ann()
    address(person, confirmed=False)
    calls(called_for(), person)
    told(Post())
    for who, whole in ((person, "ann, Mail to ann@desk.example"), (ann("ben"), "ann, Mail</bdi>")):
        client.force_login(who)
        shown = text(client, LOG)
        assert f"<bdi>ann: {whole}" in shown
        assert "The address is not confirmed" in shown


@time_machine.travel(CALLED + HOUR, tick=False)
def test_what_was_not_told_again_and_again_is_one_line(client):
    case, person = called_for(), ann()
    for nth in range(1, 4):
        calls(case, person, nth=nth)
        calls(case, "OPS_ROOM", nth=nth, step=2)
    told(Post())
    client.force_login(person)
    shown = text(client, LOG)
    assert shown.count("3 calls, the last") == 2
    assert (shown.count("<bdi>ann</bdi>"), shown.count("<bdi>the webhook OPS_ROOM</bdi>")) == (1, 1)


def test_the_log_is_a_page_of_the_top_of_every_page(client):
    client.force_login(ann())
    assert f'<a href="{LOG}">Notices</a>' in text(client, reverse("queue"))
    for path in (LOG, SHARED):
        assert f'<a href="{LOG}" aria-current="page">Notices</a>' in text(client, path)


def test_the_log_shows_nothing_of_a_recipient_that_one_may_not_read(client):
    person = ann()
    address(person)
    calls(called_for(), person)
    told(Post())
    other = contract_of(key="other", name="Other").recipient
    client.force_login(with_role("ben", Role.OPERATOR, recipient=other))
    assert "Cedar" not in text(client, LOG)


def test_a_test_is_its_readers_to_see_and_the_administrators(client, admin):
    person = ann()
    here = address(person)
    client.force_login(person)
    client.post(OWN, {"act": "test", "address": here.pk})
    told(Post(), at=Telling.objects.get().made_at)
    for who, sees in ((person, True), (admin, True), (viewer(), False)):
        client.force_login(who)
        assert ("Can this desk reach you?" in text(client, LOG)) is sees


def test_the_log_goes_on_page_by_page(client, monkeypatch):
    from escalation.screens import notices as screen

    monkeypatch.setattr(screen, "PAGE", 2)
    person = ann()
    address(person)
    case = called_for()
    for nth in range(1, 6):
        calls(case, person, nth=nth)
        told(Post(), at=CALLED + nth * timedelta(minutes=5))
    client.force_login(person)
    seen, path = 0, LOG
    for _ in range(4):
        answer = client.get(path)
        seen += len(answer.context["lines"])
        if not answer.context["next"]:
            break
        path = LOG + answer.context["next"]
    assert seen == 5


@pytest.mark.parametrize(
    "after", ["x", "_", "2026-11-30_x", "2026-11-30T00:00:00_00000000-0000-0000-0000-000000000000"]
)
def test_a_place_in_the_log_that_is_none_is_its_beginning(client, after):
    client.force_login(viewer())
    assert client.get(LOG, {"after": after}).status_code == 200


def test_quiet_hours_are_nobody_elses_to_see(client):
    quiet(ann())
    client.force_login(with_role("ben", Role.OPERATOR))
    assert "Europe/Berlin," not in text(client, reverse("reached"))

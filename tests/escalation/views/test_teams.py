"""The pages of teams and rotas: who may not, what is wrong with a form, and what is read; refusals first."""

from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from escalation.models import Chain, ChainStep, Rota, RotaCover, RotaShift, Team, TeamChange, TeamMember, TeamOwns, User
from escalation.policy import Role
from tests.escalation.building import HOUR, T0, contract_of
from tests.escalation.people import with_role
from tests.escalation.teams.made import chain, cover, rota, team, weekly
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
HOSTILE = "<b>x\u202e"


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at at one moment."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def admin(client: Client) -> Client:
    """An administrator at the screen."""
    client.force_login(with_role("root", Role.ADMINISTRATOR))
    return client


@pytest.fixture
def ada() -> User:
    return with_role("ada", Role.REVIEWER)


def at(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page(row: Team | Rota) -> str:
    return reverse("team" if isinstance(row, Team) else "rota", args=[row.pk])


def posted(client: Client, path: str, act: str, **typed: Any) -> Any:
    return client.post(path, {"act": act, **typed}, follow=True)


def steps(*rows: tuple[str, str, str, str]) -> dict[str, str]:
    """The rows of a chain's form: place, what it calls, its name, its wait."""
    return {
        f"{at}-{name}": value
        for at, row in enumerate(rows)
        for name, value in zip(("place", "kind", "name", "wait"), row, strict=True)
    }


def test_who_is_no_administrator_reads_and_changes_nothing(ada):
    desk, nights = team("Desk", ada, owns=""), rota("Nights")
    chain(desk, (nights, 5))
    reader = at(ada)
    for path, act in ((reverse("teams"), "team"), (page(desk), "member"), (page(desk), "end"), (page(nights), "shift")):
        text = reader.get(path).text.partition("<main")[2].partition("</main>")[0]
        assert 'method="post"' not in text
        answer = posted(reader, path, act, name="New", person="ada")
        assert (answer.status_code, "It takes the role “administrator”" in answer.text) == (403, True)
    assert (Team.objects.count(), Rota.objects.count(), TeamMember.objects.count()) == (1, 1, 1)


def test_a_team_that_is_not_there_or_not_theirs_is_no_page(admin, ada):
    row = team("Other", owns=contract_of().recipient)
    here = with_role("eva", Role.REVIEWER, recipient=contract_of(key="here", name="Here").recipient)
    for client, path in ((at(here), page(row)), (admin, reverse("team", args=[9_999])), (at(here), page(rota("N")))):
        assert (client.get(path).status_code, client.post(path, {"act": "end"}).status_code) == (404, 404)
    assert "Other" not in at(here).get(reverse("teams")).text


@pytest.mark.parametrize("act", ["", "nonsense", "remove", "disown"])
def test_what_is_no_act_changes_nothing(admin, ada, act):
    row = team("Desk", ada, owns="")
    answer = posted(admin, page(row), act, member="x" * 40, owned="-1")
    assert (answer.status_code, "no such act" in answer.text) == (422, True)
    assert (TeamMember.objects.filter(ended_at=None).count(), TeamChange.objects.count()) == (1, 0)


FAULTS = [
    ("member", {}, "Type a user name."),
    ("member", {"person": "nobody"}, "There is no active person named"),
    ("owns", {}, "Say what it is to own."),
    ("owns", {"what": "recipient"}, "recipient&#x27;s key."),
    ("owns", {"what": "recipient", "recipient": "nowhere"}, "There is no recipient with this key."),
    ("owns", {"what": "recipient", "recipient": "collection-desk", "effect": "x"}, "Something else is chosen above"),
    ("owns", {"what": "effect"}, "Type what contracts call the effect."),
    ("owns", {"what": "effect", "effect": "unheard-of"}, "No contract in force calls its effect"),
    ("chain", {}, "A chain has a step at least."),
    ("chain", steps(("1", "person", "", "5")), "Row 1: Say its name, or empty the whole row."),
    ("chain", steps(("", "", "", ""), ("1", "", "ada", "")), "Row 2: Say what it calls and how long it waits"),
    ("chain", steps(("1", "person", "nobody", "5")), "Row 1: There is no active person named"),
    ("chain", steps(("1", "team", "Nowhere", "5")), "Row 1: There is no team named"),
    ("chain", steps(("1", "rota", "Nowhere", "5")), "Row 1: There is no rota named"),
    ("chain", steps(("1", "webhook", "http://evil", "5")), "Row 1: A webhook&#x27;s name has letters"),
    ("chain", steps(("1", "person", "ada", "0")), "Row 1: A step waits for a minute at least."),
    ("chain", steps(("1", "person", "ada", "10081")), "Row 1: A step waits for a week at most."),
    ("chain", steps(("1", "person", "ada", "soon")), "Row 1: Write the wait in whole minutes."),
]


@pytest.mark.parametrize(("act", "typed", "said"), FAULTS)
def test_what_is_wrong_is_said_and_nothing_is_written(admin, ada, act, typed, said):
    contract_of()
    answer = posted(admin, page(team("Desk")), act, **typed)
    assert (answer.status_code in (409, 422), said in answer.text) == (True, True)
    assert (TeamMember.objects.count(), TeamOwns.objects.count(), ChainStep.objects.count()) == (0, 0, 0)


SHIFT = {
    "name": "Week",
    "days": ["0", "6"],
    "begins": "09:00",
    "ends": "09:00",
    "first_day": "2026-11-30",
    "weeks": "1",
    "people": "ada",
}
ROTA_FAULTS = [
    ("shift", {**SHIFT, "days": []}, "Choose a day at least."),
    ("shift", {**SHIFT, "days": ["7"]}, "Select a valid choice"),
    ("shift", {**SHIFT, "begins": "25:00"}, "Write the time as 09:00."),
    ("shift", {**SHIFT, "weeks": "0"}, "greater than or equal to 1"),
    ("shift", {**SHIFT, "people": "ada\nnobody"}, "There is no active person named “nobody”."),
    ("shift", {**SHIFT, "people": "ada " * 51}, "At most 50 take turns"),
    ("shift", {**SHIFT, "name": "a\u202eb"}, "no control characters"),
    ("cover", {"since": "2026-12-01T10:00", "until": "2026-12-01T12:00"}, "Name who is on call"),
    ("cover", {"person": "ada", "since": "2026-12-01T10:00", "until": "2026-12-01T10:00"}, "It ends after it begins."),
    ("cover", {"person": "ada", "since": "tomorrow", "until": "2026-12-01T10:00"}, "in UTC."),
]


@pytest.mark.parametrize(("act", "typed", "said"), ROTA_FAULTS)
def test_what_is_wrong_with_a_rota_is_said_and_nothing_is_written(admin, ada, act, typed, said):
    answer = posted(admin, page(rota("Nights")), act, **typed)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert (RotaShift.objects.count(), RotaCover.objects.count()) == (0, 0)


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "Europe/berlin "])
def test_a_zone_that_is_none_makes_no_rota(admin, zone):
    assert posted(admin, reverse("teams"), "rota", name="Nights", zone=zone).status_code == 422
    assert Rota.objects.count() == 0


def test_who_proved_nothing_lately_is_led_there_and_finds_what_was_typed(admin):
    root = User.objects.get(username="root")
    root.set_password("correct horse battery")
    root.save()
    admin.force_login(root)
    row = team("Desk")
    proved_ago(admin, minutes=30)
    answer = admin.post(page(row), {"act": "chain", **steps(("1", "webhook", "pager", "5"))})
    assert (answer.status_code, Chain.objects.count()) == (302, 0)
    assert 'value="pager"' in admin.get(page(row)).text


def test_a_team_is_set_up_by_its_forms(admin, ada):
    recipient = contract_of().recipient
    posted(admin, reverse("teams"), "team", name="Desk")
    row = Team.objects.get()
    posted(admin, page(row), "member", person="ada")
    posted(admin, page(row), "owns", what="recipient", recipient=recipient.key)
    answer = posted(
        admin, page(row), "chain", **steps(("2", "team", "Desk", "90"), ("1", "person", "ada", "5"), ("", "", "", ""))
    )
    assert answer.status_code == 200
    assert [str(one.person or one.team) for one in ChainStep.objects.order_by("position")] == ["ada", "Desk"]
    assert "1 h 30 min" in answer.text
    posted(admin, page(row), "disown", owned=TeamOwns.objects.get().pk)
    posted(admin, page(row), "remove", member=TeamMember.objects.get().pk)
    assert "This team" not in posted(admin, page(row), "end").text
    assert Team.objects.get().ended_at == NOW
    told = admin.get(reverse("audit")).text
    assert "Set a team&#x27;s chain" in told
    assert "1. person ada, 5 min; 2. team Desk, 90 min." in told


def test_an_effect_is_owned_by_the_word_of_a_contract(admin):
    contract_of()
    answer = posted(admin, page(team("Desk")), "owns", what="effect", effect="collection ticket")
    assert (answer.status_code, TeamOwns.objects.get().effect) == (200, "collection ticket")
    assert "(<bdi>Collection desk</bdi>)" in answer.text


def test_a_rota_is_set_up_by_its_forms(admin, ada):
    posted(admin, reverse("teams"), "rota", name="Nights", zone="Europe/Berlin")
    row = Rota.objects.get()
    assert "Nobody is on call now" in admin.get(page(row)).text
    answer = posted(admin, page(row), "shift", **{**SHIFT, "days": [str(day) for day in range(7)]})
    assert "ada</bdi> is on call now" in answer.text
    typed = {"nobody": "on", "since": "2026-11-30T12:00", "until": "2026-11-30T18:00", "why": HOSTILE}
    answer = posted(admin, page(row), "cover", **typed)
    assert "Nobody is on call now" in answer.text
    assert "&lt;b&gt;x[U+202E]" in answer.text
    posted(admin, page(row), "uncover", cover=RotaCover.objects.get().pk)
    posted(admin, page(row), "unshift", shift=RotaShift.objects.get().pk)
    posted(admin, page(row), "end")
    assert Rota.objects.get().ended_at == NOW


def test_what_keeps_somebody_from_being_called_stands_on_the_list(admin, ada):
    assert "No team owns what no other team owns" in admin.get(reverse("teams")).text
    row = team("Desk", owns="")
    assert "Desk owns what no other team owns, and has no chain" in admin.get(reverse("teams")).text
    chain(row, (ada, 5))
    User.objects.filter(pk=ada.pk).update(is_active=False)
    text = admin.get(reverse("teams")).text
    assert ("nobody is called" in text, "nobody active" in text) == (False, True)
    assert "inactive: passed over" in admin.get(page(row)).text


def test_who_is_on_call_and_who_is_next_stands_on_the_list(admin, ada):
    nights, ben = rota("Nights"), with_role("ben", Role.REVIEWER)
    weekly(nights, ada, ben)
    cover(nights, ben, since=NOW + HOUR, until=NOW + 2 * HOUR)
    text = admin.get(reverse("teams")).text
    assert "today 14:00" in text
    assert text.index("<bdi>ada</bdi>") < text.index("<bdi>ben</bdi>")


def test_the_list_asks_no_more_for_more_teams(admin, ada):
    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            assert admin.get(reverse("teams")).status_code == 200
        return len(found.captured_queries)

    chain(team("First", ada, owns=""), (ada, 5))
    few = asked()
    for name in "abcdefgh":
        chain(team(name, ada, owns=f"effect {name}"), (ada, 5), ("pager", 5))
    assert asked() == few

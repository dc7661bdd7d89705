"""The menu by the reasons of cases and by teams: each count is that of the rows it leads to, whatever else is chosen."""

from datetime import timedelta

import pytest
from django.urls import reverse

from escalation.cases import owing
from escalation.models import SavedView, Team
from escalation.policy import EVERY_RECIPIENT, Reads
from escalation.queue import NO_TEAM, Filters, Question, facets, placed
from escalation.screens.menu import address, filters_of
from operations.contracts.loading import library_text
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import viewer
from tests.escalation.teams.made import team

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NOW = T0 + 2 * HOUR


@pytest.fixture
def several():
    """One unknown for too long, one contradicted, one whose result is owed, and one at another recipient."""
    operation("o-1", parcel="A").timed_out(now=T0)
    torn = operation("o-2", parcel="B")
    torn.issued("T-2", now=T0 + MINUTE)
    torn.recorded("closed", now=T0 + 2 * MINUTE)
    operation("o-3", parcel="C").issued("T-3", now=T0)
    operation("o-4", parcel="D", contract=contract_of(key="other", name="Other")).timed_out(now=T0)
    calling.call(now=NOW, most=10)
    owing.call(now=NOW, most=10)


def rows(**filters) -> list[int]:
    question = Question(now=NOW, reads=EVERY_RECIPIENT, filters=Filters(**filters))
    return [one.number for one in placed(question, after=None, size=50)[0]]


def menu(reads: Reads = EVERY_RECIPIENT, **filters):
    return facets(Question(now=NOW, reads=reads, filters=Filters(**filters)))


def counts(choices) -> dict[str, int]:
    return {one.name or one.key: one.rows for one in choices}


@pytest.mark.usefixtures("several")
def test_each_reason_counts_the_rows_it_leads_to():
    found = menu().reasons
    assert counts(found) == {"conflict": 1, "unknown_too_long": 2, "result_owed": 1}
    assert all(len(rows(reason=one.key)) == one.rows for one in found)
    assert counts(menu(recipient="other").reasons) == {"unknown_too_long": 1}


@pytest.mark.usefixtures("several")
def test_without_teams_there_is_no_question_of_teams():
    assert menu().teams == ()


@pytest.mark.usefixtures("several")
def test_each_team_counts_what_it_owns_the_recipient_s_before_the_effect_s_before_the_rest():
    other = contract_of(key="other", name="Other").recipient
    assert counts([*menu(team=NO_TEAM).teams]) == {"none": 4}
    team("Counter", owns="collection ticket")
    assert counts(menu().teams) == {"Counter": 4}
    team("Night", owns=other)
    team("Anybody", owns="")
    found = menu().teams
    assert counts(found) == {"Counter": 3, "Night": 1}
    assert all(len(rows(team=one.key)) == one.rows for one in found)
    assert rows(team=str(Team.objects.get(name="Anybody").pk)) == []


@pytest.mark.usefixtures("several")
def test_what_no_team_owns_by_recipient_or_effect_is_the_fallback_s():
    team("Night", owns=contract_of(key="other", name="Other").recipient)
    assert counts(menu().teams) == {"Night": 1, "none": 3}
    anybody = team("Anybody", owns="")
    assert counts(menu().teams) == {"Anybody": 3, "Night": 1}
    assert counts(menu(reason="conflict").teams) == {"Anybody": 1}
    assert counts(menu(team=str(anybody.pk)).reasons) == {"conflict": 1, "unknown_too_long": 1, "result_owed": 1}


@pytest.mark.usefixtures("several")
def test_another_contract_s_effect_is_another_team_s():
    text = library_text("collection-desk").replace("word: collection ticket", "word: parcel slip")
    operation("o-5", parcel="E", contract=contract_of(text, key="slips", name="Slips")).timed_out(now=T0)
    calling.call(now=NOW, most=10)
    team("Slips", owns="parcel slip")
    assert counts(menu().teams) == {"Slips": 1, "none": 4}


@pytest.mark.usefixtures("several")
def test_what_one_may_not_read_is_counted_for_no_team():
    team("Night", owns=contract_of(key="other", name="Other").recipient)
    here = Reads(frozenset([contract_of().recipient.pk]))
    assert counts(menu(here).teams) == {"none": 3}


@pytest.mark.parametrize("query", ["reason=nonsense", "team=0", "team=x", "team=12345678901234567890"])
def test_a_word_that_is_none_narrows_to_nothing(query):
    name, _, word = query.partition("=")
    assert filters_of({name: word}) == Filters()


@pytest.mark.usefixtures("several")
def test_the_address_is_the_state_and_a_kept_view_holds_both(client):
    anybody = team("Anybody", owns="")
    client.force_login(viewer("mira"))
    query = address(Filters(reason="conflict", team=str(anybody.pk)))
    client.post(reverse("queue_views") + query, {"act": "keep", "name": "ours"})
    kept = SavedView.objects.get().query
    assert kept == f"?reason=conflict&team={anybody.pk}"
    shown = client.get(reverse("queue") + kept)
    assert [len(section.rows) for section in shown.context["sections"]] == [1]
    words = {facet.question: [entry.word for entry in facet.entries if entry.chosen] for facet in shown.context["menu"]}
    assert (words["Why somebody is needed"], words["Team"]) == (["Contradiction"], ["Anybody"])

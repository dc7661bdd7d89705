"""A page of the queue takes a handful of statements, however many rows stand on it and whatever they are."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from escalation.cases import owing
from escalation.models import Case
from escalation.policy import Role
from escalation.queue import PAGE
from operations.recording import calling
from tests.escalation.building import HOUR, T0, contract_of, operation
from tests.escalation.people import with_role
from tests.escalation.teams.made import team

pytestmark = pytest.mark.django_db
NOW = T0 + 2 * HOUR
WHO_ASKS = ("django_session", "escalation_user", "escalation_rolegrant")  # and what they may read


@pytest.fixture
def many():
    """Rows of every kind for more than a page, teams, views and owners."""
    other = contract_of(key="other", name="Other")
    for number in range(PAGE + 5):
        made = operation(f"o-{number}", parcel=f"P{number}", contract=other if number % 2 else None)
        made.timed_out(now=T0)
        for reads in range(number % 3):
            made.recorded("queued", now=T0 + timedelta(seconds=1 + reads))
        if number % 5 == 0:
            made.issued(f"T-{number}", now=T0 + timedelta(minutes=1))
    calling.call(now=NOW, most=500)
    owing.call(now=NOW, most=500)
    team("Counter", owns="collection ticket")
    mira = with_role("mira", Role.REVIEWER)
    Case.objects.filter(pk__in=Case.objects.values("pk")[:7]).update(owner=mira, owned_since=NOW)


def statements(client, query: str) -> list[str]:
    """What a page asks of the database, but for who asks and what they may read."""
    with CaptureQueriesContext(connection) as found:
        answer = client.get(reverse("queue") + query)
    assert answer.status_code == 200
    asked = [one["sql"] for one in found.captured_queries if one["sql"].startswith(("SELECT", "WITH", "("))]
    return [sql for sql in asked if not any(f'FROM "{table}"' in sql.partition("WHERE")[0] for table in WHO_ASKS)]


@pytest.mark.usefixtures("many")
def test_a_page_of_fifty_rows_with_the_whole_menu_is_five_statements(client):
    client.force_login(with_role("lena", Role.REVIEWER))
    with time_machine.travel(NOW, tick=False):
        client.get(reverse("queue"))  # contracts are read once in a process
        for query in ("", "?group=the_rest", "?reason=unknown_too_long&owner=nobody", "?recipient=other"):
            assert len(statements(client, query)) <= 5
        assert (
            len(statements(client, "?text=P1&reason=unknown_too_long&owner=nobody")) <= 6
        )  # who holds it is looked up


@pytest.mark.usefixtures("many")
def test_it_shows_what_the_page_of_each_operation_shows(client):
    client.force_login(with_role("lena", Role.REVIEWER))
    with time_machine.travel(NOW, tick=False):
        shown = client.get(reverse("queue")).context["sections"]
        rows = [row for section in shown for row in section.rows]
        assert len(rows) == PAGE
        for row in [*rows[:3], *rows[-3:]]:
            panels = client.get(reverse("operation", args=[row.operation.number])).context["panels"]
            assert [answer.word for answer in row.answers] == [panel.answer.word for panel in panels]
            assert row.operation.recipient.name in row.below

"""Whoever may not read a recipient finds nothing of it at any address; refusals first, then what is read."""

import re
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, reverse

from escalation.models import RoleGrant, User
from escalation.policy import EVERY_RECIPIENT, Reads, Role, reads
from escalation.queue import Question
from escalation.queue.asking import waiting
from escalation.urls import urlpatterns
from tests.escalation.building import T0, contract_of, operation
from tests.escalation.hidden import NOW, WORD, Hidden, hidden_recipient, told
from tests.escalation.people import viewer, with_role
from tests.escalation.test_urls import FOR_STRANGERS, addresses

pytestmark = pytest.mark.django_db
ADDRESSES = [pattern for pattern in addresses(urlpatterns) if pattern.name not in FOR_STRANGERS]
LISTS = (
    "queue",
    "queue_rows",
    "queue_csv",
    "queue_json_lines",
    "contracts",
    "orphans",
    "runs",
    "tools",
    "owed",
    "exceptions",
    "overview",
    "audit",
    "audit_csv",
    "audit_json_lines",
    "rules",
    "second_signatures",
    "people",
    "teams",
    "subscriptions",
    "keys",
)


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at at one moment, so that the same is answered in the same words."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def hidden() -> Hidden:
    return hidden_recipient()


MISSING = {
    "run": 987654321,
    "call": 987654321,
    "upload": uuid4(),
    "number": 987654321,
    "recipient": "nowhere",
    "key": "nowhere",
    "version": 1,
    "part": "panels",
    "message": uuid4(),
    "inspection": uuid4(),
    "exception": 987654321,
    "person": 987654321,
    "signature": 987654321,
    "team": 987654321,
    "rota": 987654321,
    "subscription": 987654321,
}


@pytest.fixture
def reader(client: Client) -> Client:
    """Somebody who may read another recipient, where something waits, too."""
    contract = contract_of(key="other-desk", name="Other desk")
    operation("other-1", parcel="Fir", contract=contract).timed_out(now=T0)
    client.force_login(with_role("reader", Role.VIEWER, recipient=contract.recipient))
    return client


def address(pattern: URLPattern, words: dict[str, Any]) -> str:
    converters = pattern.pattern.converters
    given = {name: words.get(name, one.to_python("1")) for name, one in converters.items()}
    return reverse(pattern.name, kwargs=given) + ("?from=1&to=1" if pattern.name == "contract_differences" else "")


def answer(client: Client, method: str, path: str, **more: Any) -> tuple[int, str, str]:
    """Status, place and text, without what differs from one asking to the next and the word that was asked for."""
    got = getattr(client, method)(path, **more)
    raw = b"".join(got.streaming_content) if got.streaming else got.content
    text = raw.decode(errors="replace")
    text = re.sub(r'name="(csrfmiddlewaretoken|once)" value="[^"]*"', "", text)
    return (
        got.status_code,
        got.headers.get("Location", ""),
        re.sub(r"<p>(There is no|Nothing was proposed) [^<]*</p>", "", text),
    )


def shown(client: Client, method: str, hidden: Hidden, *, refused: int) -> list[str]:
    """The names of the addresses that tell of the hidden recipient, or tell it from one that isn't there."""
    faults = []
    for pattern in ADDRESSES:
        status, _, text = answer(client, method, address(pattern, hidden.words))
        told = WORD in text.lower() or f"/operations/{hidden.made.number}" in text
        if set(pattern.pattern.converters) & set(MISSING):
            missing, _, other = answer(client, method, address(pattern, MISSING))
            told = told or (status, text) != (missing, other) or status not in (refused, 405)
        faults += [str(pattern.name)] if told else []
    return faults


@pytest.mark.parametrize("method", ["get", "post"])
def test_what_one_may_not_read_is_answered_like_what_is_not_there(hidden, reader, method):
    assert shown(reader, method, hidden, refused=404) == []
    assert len(ADDRESSES) > 30


@pytest.mark.parametrize("method", ["get", "post"])
def test_who_holds_no_role_finds_nothing_at_any_address(hidden, client, method):
    client.force_login(User.objects.create_user("nobody"))
    assert shown(client, method, hidden, refused=403) == []


@pytest.mark.parametrize("name", LISTS)
def test_who_holds_no_role_reads_why_in_place_of_an_empty_list(hidden, client, name):
    client.force_login(User.objects.create_user("nobody"))
    User.objects.create_superuser("root<b>\u202e")
    status, _, text = answer(client, "get", reverse(name))
    assert (status, "You have no role on this desk" in text) == (403, True)
    assert "root&lt;b&gt;[U+202E]" in text


@pytest.mark.parametrize("query", ["text={}", "text={}-1", "recipient={}-desk", "situation=unknown&text={}"])
@pytest.mark.parametrize("name", ["queue", "queue_rows", "queue_revision"])
def test_no_search_finds_what_one_may_not_read(hidden, reader, name, query):
    path = reverse(name)
    there = answer(reader, "get", f"{path}?{query.format(WORD)}")
    other = answer(reader, "get", f"{path}?{query.format('numbat')}")
    assert (there[0], there[2].replace(WORD, "numbat")) == (other[0], other[2])


def test_no_jump_to_a_number_finds_what_one_may_not_read(hidden, reader):
    assert "data-row" not in reader.get(reverse("queue"), {"text": hidden.made.number}).text


@pytest.mark.parametrize("name", ["audit", "audit_csv", "audit_json_lines"])
@pytest.mark.parametrize("query", ["recipient={}-desk", "person=keeper.of.{}s", "door=leave_unresolved"])
def test_no_filter_of_the_audit_finds_what_one_may_not_read(hidden, reader, name, query):
    there = answer(reader, "get", f"{reverse(name)}?{query.format(WORD)}")
    other = answer(reader, "get", f"{reverse(name)}?{query.format('numbat')}")
    assert (there[0], there[2].replace(WORD, "numbat")) == (other[0], other[2])


@pytest.mark.parametrize("query", ["recipient={}-desk&state=all", "state=usable", "score=unknown"])
def test_no_filter_of_the_risks_finds_what_one_may_not_read(hidden, reader, query):
    there = answer(reader, "get", f"{reverse('exceptions')}?{query.format(WORD)}")
    assert "/exceptions/" not in there[2]
    assert "Quokka" not in there[2]


@pytest.mark.parametrize("name", ["overview", "overview_csv"])
def test_no_filter_of_the_overview_finds_what_one_may_not_read(hidden, reader, name):
    path = reverse(name, args=["recipient"] if name == "overview_csv" else [])
    there = answer(reader, "get", f"{path}?recipient={WORD}-desk")
    other = answer(reader, "get", f"{path}?recipient=numbat-desk")
    assert (there[0], there[2].replace(WORD, "numbat")) == (other[0], other[2]) == (422, other[2])


def test_a_message_is_not_given_to_an_operation_that_one_may_not_read(hidden, client):
    other = contract_of(key="other-desk", name="Other desk")
    row = told(other)
    client.force_login(with_role("reviewer", Role.REVIEWER, recipient=other.recipient))
    said = [
        client.post(reverse("orphan", args=[row.id]), {"act": "link", "number": number}).text
        for number in (hidden.made.number, MISSING["number"])
    ]
    assert f"There is no operation {hidden.made.number}." in said[0]
    assert f"There is no operation {MISSING['number']}." in said[1]
    row.refresh_from_db()
    assert row.operation_id is None


def test_who_is_no_administrator_learns_from_no_form_which_recipients_there_are(hidden, reader):
    typed = {"act": "rule", "door": "repeat", "always": "on"}
    there = answer(reader, "post", reverse("rules"), data={**typed, "recipient": f"{WORD}-desk"})
    assert there == answer(reader, "post", reverse("rules"), data={**typed, "recipient": "nowhere"})


def test_a_role_that_is_ended_closes_what_it_opened(hidden, client):
    person = with_role("mira", Role.REVIEWER, recipient=hidden.recipient)
    client.force_login(person)
    page = reverse("operation", args=[hidden.made.number])
    assert client.get(page).status_code == 200
    RoleGrant.objects.filter(person=person).update(ended_at=NOW)
    assert client.get(page).status_code == 403
    with_role("other", Role.VIEWER)
    RoleGrant.objects.create(
        person=person, role=Role.VIEWER, recipient=contract_of(key="other").recipient, given_at=NOW
    )
    assert client.get(page).status_code == 404


@pytest.mark.parametrize("role", Role)
def test_whoever_holds_any_role_for_a_recipient_reads_it_and_no_other(hidden, client, role):
    operation("other-1", parcel="Fir", contract=contract_of(key="other-desk", name="Other desk"))
    client.force_login(with_role("mira", role, recipient=hidden.recipient))
    text = client.get(reverse("queue")).text
    assert ("Quokka Ltd" in text, "Other desk" in text) == (True, False)
    assert client.get(reverse("operation", args=[hidden.made.number])).status_code == 200


@pytest.mark.parametrize(
    "name", [*LISTS[:-1], "operation", "case", "record_json", "conflict", "inspection_attachment", "recipient"]
)
def test_whoever_may_read_it_finds_it_there(hidden, client, name):
    client.force_login(viewer())
    query = "?state=all" if name == "exceptions" else ""
    pattern = next(one for one in ADDRESSES if one.name == name)
    status, _, text = answer(client, "get", address(pattern, hidden.words) + query)
    assert (status, WORD in text.lower()) == (200, True)


def test_what_may_be_read_is_said_by_the_roles_that_are_held(hidden):
    one = hidden.recipient.pk
    assert reads(User.objects.create_user("nobody")) == Reads(frozenset())
    assert reads(with_role("mira", Role.VIEWER, Role.OPERATOR, recipient=hidden.recipient)) == Reads(frozenset([one]))
    assert reads(viewer()) == reads(User.objects.create_superuser("boss")) == EVERY_RECIPIENT
    gone = User.objects.create_superuser("gone", is_active=False)
    assert not reads(gone)
    assert (one in Reads(frozenset([one])), one + 1 in Reads(frozenset([one])), one in EVERY_RECIPIENT) == (
        True,
        False,
        True,
    )


def asked_by(person: User, path: str) -> list[str]:
    client = Client()
    client.force_login(person)
    client.get(path)  # what is read once in a process is read by now
    with CaptureQueriesContext(connection) as found:
        assert client.get(path).status_code == 200
    return [one["sql"] for one in found.captured_queries]


@pytest.mark.parametrize("name", ["queue", "queue_rows", "queue_revision"])
def test_the_queue_asks_one_statement_for_the_rights_however_narrow_they_are(hidden, name):
    whole = asked_by(viewer(), reverse(name))
    some = asked_by(with_role("mira", Role.VIEWER, recipient=hidden.recipient), reverse(name))
    assert len(some) <= len(whole)
    rights = [one for one in some if one.startswith('SELECT "escalation_rolegrant"."recipient_id" AS')]
    assert len(rights) == 1
    assert "JOIN" not in rights[0]


def test_the_queue_is_narrowed_by_row_ids_that_an_index_serves(hidden):
    said = str(waiting(Question(now=NOW, reads=Reads(frozenset([3, 1, 2])))).query)
    assert said.count('"escalation_waiting"."recipient_id" IN (1, 2, 3)') == said.count('FROM "escalation_waiting"')

"""Records are looked at before they are kept; what they show settles nothing. Refusals first."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from escalation.policy import Role
from escalation.views import runs as view
from operations import models
from operations.imports.document import LARGEST
from tests.escalation.building import T0, contract_of, operation
from tests.escalation.people import viewer, with_role
from tests.operations.imports.records import named
from tests.operations.runs.bringing import brought, chat

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\u202e{{ 7 }}"


@pytest.fixture
def mira(client: Client) -> Client:
    client.force_login(with_role("mira", Role.REVIEWER))
    return client


def file(content: bytes, name: str = "state.json") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def bring(client: Client, content: bytes, **more: str):
    """Bring a record and keep it in a new run."""
    shown = client.post(reverse("runs"), {"record": file(content)})
    into = {"into": "new", "name": "Night run", "recipient": "several", **more}
    return client.post(shown.headers["Location"], into)


def call_page(row: models.Call) -> str:
    return reverse("run_call", args=[row.run_id, row.pk])


def a_call(*calls: tuple[str, str, str | None], **more) -> models.Call:
    brought(chat(*(calls or (("call_1", '{"parcel": "Cedar", "place": "East"}', None),)), **more))
    return models.Call.objects.earliest("pk")


def test_who_may_only_read_brings_no_record(client):
    client.force_login(viewer())
    got = client.post(reverse("runs"), {"record": file(chat(("a", "{}", None)))})
    assert (got.status_code, models.Upload.objects.count()) == (403, 0)


@pytest.mark.parametrize(
    ("content", "rule"),
    [(b"{", "syntax"), (b"[" * 999, "too_deep"), (b'{"a": 1}', "format"), (b"[1e999999, NaN]", "not_a_number")],
)
def test_a_record_that_cannot_be_read_is_refused_by_its_rule(mira, content, rule):
    got = mira.post(reverse("runs"), {"record": file(content)})
    assert (got.status_code, f"({rule})" in got.text) == (422, True)


def test_a_body_that_is_too_large_is_not_read(mira):
    got = mira.generic("POST", reverse("runs"), b"x", CONTENT_LENGTH=str(LARGEST + 10**6))
    assert (got.status_code, "too_large" in got.text) == (413, True)


def test_no_token_brings_no_record():
    client = Client(enforce_csrf_checks=True)
    client.force_login(with_role("mira", Role.REVIEWER))
    assert client.post(reverse("runs"), {"record": file(b"{}")}).status_code == 403


def test_what_another_person_brought_is_not_there(mira, client):
    shown = mira.post(reverse("runs"), {"record": file(chat(("a", "{}", None)))})
    other = Client()
    other.force_login(with_role("ada", Role.REVIEWER))
    assert other.get(shown.headers["Location"]).status_code == 404
    assert other.post(shown.headers["Location"], {"act": "forget"}).status_code == 404


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({"into": ""}, "Choose the run"),
        ({"name": ""}, "Name the run"),
        ({"recipient": ""}, "Say to whom"),
        ({"recipient": "nowhere"}, "There is no such recipient."),
        ({"into": "987654"}, "There is no such run."),
        ({"into": "9" * 19}, "There is no such run."),
    ],
)
def test_it_is_kept_nowhere_else_than_where_somebody_says(mira, typed, says):
    got = bring(mira, chat(("a", "{}", None)), **typed)
    assert (got.status_code, says in got.text, models.Run.objects.count()) == (422, True, 0)


def test_who_reads_one_recipient_keeps_no_run_of_several(client):
    desk = contract_of(key="desk", name="Desk").recipient
    client.force_login(with_role("mira", Role.REVIEWER, recipient=desk))
    assert bring(client, chat(("a", "{}", None))).status_code == 422
    assert bring(client, chat(("a", "{}", None)), recipient="desk").status_code == 302
    other = Client()
    other.force_login(with_role("ada", Role.REVIEWER, recipient=contract_of(key="other", name="Other").recipient))
    run = models.Run.objects.get()
    assert other.get(reverse("run", args=[run.pk])).status_code == 404
    assert "Night run" not in other.get(reverse("runs")).text


def test_a_record_is_looked_at_first_and_nothing_of_it_is_text_that_acts(mira):
    content = json.dumps({HOSTILE: 1, "messages": [], "headers": {"authorization": "quokka"}}).encode()
    seen = mira.post(reverse("runs"), {"record": file(content, "x.json")}, follow=True)
    assert "Chat Completions transcript" in seen.text
    assert "the member &#x27;&lt;script&gt;" in seen.text
    assert "/headers/authorization" in seen.text
    assert not models.Transcript.objects.exists()
    assert "quokka" not in seen.text
    assert "<script>alert" not in seen.text


def test_hostile_calls_are_shown_as_text(mira):
    row = a_call((HOSTILE, HOSTILE, HOSTILE), tool=HOSTILE)
    for page in (call_page(row), reverse("run", args=[row.run_id]) + "?all=1", reverse("tools"), reverse("runs")):
        got = mira.get(page)
        assert got.status_code == 200
        assert "<script>alert" not in got.text
        assert "\u202e" not in got.text


def test_a_record_is_forgotten_by_a_persons_word(mira):
    shown = mira.post(reverse("runs"), {"record": file(chat(("a", "{}", None)))})
    assert mira.post(shown.headers["Location"], {"act": "forget"}).status_code == 302
    assert mira.get(shown.headers["Location"]).status_code == 404


def test_a_kept_record_lists_its_unresolved_calls_with_their_reasons(mira):
    kept = bring(mira, named("runstate/09_error_then_new_call_id_duplicate"))
    page = mira.get(kept.headers["Location"])
    assert "output settles nothing" in page.text
    assert "the same again" in page.text
    assert "call_try1" in page.text


def test_the_same_bytes_again_change_nothing_and_it_says_so(mira):
    bring(mira, chat(("a", "{}", None)))
    run = models.Run.objects.get()
    shown = mira.post(reverse("runs"), {"record": file(chat(("a", "{}", None)))}, follow=True)
    assert "These very bytes are kept already" in shown.text
    again = mira.post(shown.redirect_chain[-1][0], {"into": run.pk}, follow=True)
    assert "nothing changed" in again.text
    assert models.Transcript.objects.count() == 1


@pytest.mark.parametrize("number", ["", "x", "0", "-1", "9" * 30])
def test_a_call_is_bound_to_no_number_that_is_none(mira, number):
    row = a_call()
    assert mira.post(call_page(row), {"act": "bind", "number": number}).status_code == 422
    assert not models.CallBinding.objects.exists()


def test_a_call_is_bound_to_no_operation_that_one_may_not_read(client):
    hidden = operation("order-9", parcel="Fir", contract=contract_of(key="hidden", name="Hidden"))
    desk = contract_of(key="desk", name="Desk").recipient
    brought(chat(("a", "{}", None)), recipient_id=desk.pk)
    client.force_login(with_role("mira", Role.REVIEWER, recipient=desk))
    got = client.post(call_page(models.Call.objects.get()), {"act": "bind", "number": hidden.number})
    assert (got.status_code, f"There is no operation {hidden.number}." in got.text) == (422, True)


def test_who_may_only_read_binds_nothing(client):
    row, made = a_call(), operation("order-9", parcel="Fir")
    client.force_login(viewer())
    assert client.post(call_page(row), {"act": "bind", "number": made.number}).status_code == 403
    assert not models.CallBinding.objects.exists()


def test_a_call_belongs_to_one_operation_at_a_time(mira):
    row, one, other = a_call(), operation("order-8", parcel="Fir"), operation("order-9", parcel="Elm")
    assert mira.post(call_page(row), {"act": "bind", "number": one.number}).status_code == 302
    assert mira.post(call_page(row), {"act": "bind", "number": one.number}).status_code == 302
    assert mira.post(call_page(row), {"act": "bind", "number": other.number}).status_code == 409
    assert mira.post(call_page(row), {"act": "unbind"}).status_code == 302
    assert mira.post(call_page(row), {"act": "bind", "number": other.number}).status_code == 302
    assert list(models.CallBinding.objects.order_by("pk").values_list("operation__number", "ended_by")) == [
        (one.number, "mira"),
        (other.number, ""),
    ]


def test_a_call_leaves_the_list_once_its_operation_is_settled_and_no_sooner(mira):
    row, made = a_call(), operation("order-9", parcel="Fir")
    made.timed_out(now=T0)
    page = reverse("run", args=[row.run_id])
    mira.post(call_page(row), {"act": "bind", "number": made.number})
    assert "call_1" in mira.get(page).text
    revision = models.Operation.objects.get(pk=made.id).revision
    made.issued("T-1", now=T0)
    assert "call_1" not in mira.get(page).text
    assert "call_1" in mira.get(page + "?all=1").text
    assert models.Operation.objects.get(pk=made.id).revision > revision


def test_binding_a_call_changes_nothing_that_is_known_of_the_operation(mira):
    row, made = (
        a_call(("call_1", "{}", '{"operation": "x", "evidence": "applied"}')),
        operation("order-9", parcel="Fir"),
    )
    before = models.Operation.objects.filter(pk=made.id).values().get()
    mira.post(call_page(row), {"act": "bind", "number": made.number})
    assert models.Operation.objects.filter(pk=made.id).values().get() == before


def test_a_servers_hint_fills_in_and_decides_nothing(client):
    brought(named("mcp/mcp1_ok_and_timeout"))
    client.force_login(with_role("ed", Role.CONTRACT_EDITOR))
    page = client.get(reverse("tools")).text
    assert page.count('<option value="reads" selected>') == 1
    run = models.Run.objects.get()
    assert not models.Tool.objects.exists()
    assert "issue_ticket" in client.get(reverse("run", args=[run.pk])).text


def test_who_may_not_write_contracts_says_nothing_of_a_tool(mira):
    assert mira.post(reverse("tools"), {"tool": "x", "kind": "reads"}).status_code == 403
    assert not models.Tool.objects.exists()


@pytest.mark.parametrize("typed", [{"tool": "x"}, {"tool": "", "kind": "reads"}, {"tool": "x", "kind": "harmless"}])
def test_nothing_is_said_of_a_tool_that_is_not_one_of_three(client, typed):
    client.force_login(with_role("ed", Role.CONTRACT_EDITOR))
    assert client.post(reverse("tools"), typed).status_code == 422
    assert not models.Tool.objects.exists()


@pytest.mark.parametrize(
    ("kind", "listed"), [("reads", []), ("no_protected_effect", ["open"]), ("protected_effect", ["open", "done"])]
)
def test_what_a_person_says_of_a_tool_takes_its_calls_off_the_list(client, kind, listed):
    brought(chat(("open", "{}", None), ("done", "{}", "read timed out"), ("last", "{}", None), tool="look"))
    client.force_login(with_role("ed", Role.CONTRACT_EDITOR))
    assert client.post(reverse("tools"), {"tool": "look", "kind": kind}).status_code == 302
    page = client.get(reverse("run", args=[models.Run.objects.get().pk])).text
    assert [name for name in ("open", "done") if f"<bdi>{name}</bdi></code></a>" in page] == listed


def opened(client: Client, row: models.Call, **typed: str):
    given = {"act": "open", "recipient": "desk", "target": "/desks/East/tickets", "begun_at": "2026-01-01 09:00"}
    return client.post(call_page(row), {**given, **typed})


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ({"recipient": "nowhere"}, 422),
        ({"target": "/elsewhere"}, 422),
        ({"target": ""}, 422),
        ({"begun_at": ""}, 422),
        ({"begun_at": "2999-01-01 09:00"}, 422),
        ({"identity": "order-7"}, 422),  # stands nowhere in the record
        ({"target": "\n"}, 422),
    ],
)
def test_no_operation_is_opened_for_what_the_record_does_not_show(mira, typed, status):
    row = a_call()
    contract_of(key="desk", name="Desk")
    assert opened(mira, row, **typed).status_code == status
    assert (models.Operation.objects.count(), models.CallBinding.objects.count()) == (0, 0)


def test_an_operation_is_opened_with_its_record_not_complete_and_its_number_unknown(mira):
    row = a_call()
    contract_of(key="desk", name="Desk")
    assert mira.get(call_page(row) + "?recipient=desk").text.count("/desks/East/tickets") == 1
    assert opened(mira, row).status_code == 302
    made = models.Operation.objects.get()
    assert (made.identity_known, made.sealed, made.evidence, made.protection_reason) == (
        False,
        False,
        "unknown",
        "identity_unknown",
    )
    assert made.attempts.get().sends == "many"
    assert models.CallBinding.objects.get().operation_id == made.pk


def test_the_number_is_known_where_the_record_shows_it(mira):
    row = a_call(("call_1", '{"parcel": "Cedar", "place": "East", "order": "order-7"}', None))
    contract_of(key="desk", name="Desk")
    assert opened(mira, row, identity="order-7").status_code == 302
    made = models.Operation.objects.get()
    assert (made.identity, made.identity_known, made.protection_reason) == ("order-7", True, "record_incomplete")


def test_what_is_on_record_already_is_not_opened_beside_it(mira):
    asked = '{"parcel": "Cedar", "place": "East"}'
    brought(chat(("first", asked, None), ("second", asked, None)))
    first, second = models.Call.objects.order_by("place")
    contract_of(key="desk", name="Desk")
    assert opened(mira, first).status_code == 302
    made = models.Operation.objects.get()
    got = opened(mira, second)
    assert (got.status_code, f"Operation {made.number} is on record for this" in got.text) == (409, True)
    assert (models.Operation.objects.count(), models.CallBinding.objects.count()) == (1, 1)


def test_a_run_without_calls_and_a_long_one_are_shown(mira, monkeypatch):
    monkeypatch.setattr("escalation.views.run.CALLS", 2)
    bring(mira, chat())
    empty = models.Run.objects.get()
    assert "hold no call" in mira.get(reverse("run", args=[empty.pk]) + "?all=1").text
    brought(chat(*[(f"c{number}", f'{{"n": {number}}}', None) for number in range(5)]))
    run = models.Run.objects.latest("pk")
    page = mira.get(reverse("run", args=[run.pk]))
    assert "after=1" in page.text
    assert "<bdi>c4</bdi></code></a>" in mira.get(reverse("run", args=[run.pk]) + "?after=3").text


def test_the_limit_is_that_of_a_record():
    assert view.LARGEST_FORM > LARGEST

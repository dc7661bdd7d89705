"""Contracts on the screen: read by everyone, written and published by who may."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from kombu.exceptions import OperationalError

from escalation.models import ContractDraft, RoleGrant, User
from operations import models, reading, tasks
from operations.contracts.loading import library_text
from operations.recording.publishing import publish
from operations.rereading import reread
from tests.contracts.documents import text
from tests.escalation.building import HOUR, T0, Made, operation
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db
DESK = library_text("collection-desk")
AN_HOUR = DESK.replace("guaranteed_for: {is: 86400,", "guaranteed_for: {is: 3600,")
ON_INVENTION = text({"/readings/0/examples/0/evidence": "invented"})
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def three_hours_later():
    with time_machine.travel(T0 + 3 * HOUR, tick=False):
        yield


@pytest.fixture
def reader(client):
    client.force_login(viewer())
    return client


@pytest.fixture
def editor():
    """Somebody who holds the role for every recipient."""
    person = User.objects.create_user("ines")
    RoleGrant.objects.create(person=person, role="contract editor", given_at=T0)
    client = Client()
    client.force_login(person)
    return client


def desk() -> models.Contract:
    return publish("collection-desk", name="Collection desk", text=DESK, now=T0)


def lost() -> Made:
    made = operation(contract=desk())
    made.timed_out(now=T0 + MINUTE)
    return made


def at(name: str, *more: object) -> str:
    return reverse(name, args=["collection-desk", *more])


def begun(editor: Client, text: str = AN_HOUR) -> ContractDraft:
    """A draft of the desk's second version with this text."""
    desk()
    editor.post(at("begin_draft"), {"start": "in_force"})
    editor.post(at("contract_draft_text"), {"revision": 1, "text": text})
    return ContractDraft.objects.get()


def publishing(draft: ContractDraft, **other: object) -> dict[str, object]:
    return {"revision": draft.revision, "looked": "on", **other}


def test_somebody_who_may_only_read_finds_a_sentence_in_place_of_each_button(reader, editor):
    begun(editor)
    pages = [
        "contracts",
        ("new_contract",),
        at("recipient_contracts"),
        at("contract_draft"),
        at("contract_draft_text"),
        at("publish_contract"),
    ]
    for page in pages:
        address = (
            page
            if isinstance(page, str) and page.startswith("/")
            else reverse(page if isinstance(page, str) else page[0])
        )
        text = reader.get(address).text
        assert "It takes the role “contract editor”" in text, address
        assert '<button class="primary">' not in text, address


def test_somebody_who_may_only_read_can_not_write(reader, editor):
    draft = begun(editor)
    before = models.Contract.objects.get(id=draft.contract_id).document
    answers = [
        reader.post(reverse("new_contract"), {"key": "new", "name": "New", "start": "blank"}),
        reader.post(at("contract_draft"), {"revision": draft.revision, "/title": "Mine"}),
        reader.post(at("contract_draft_text"), {"revision": draft.revision, "text": "mine"}),
        reader.post(at("publish_contract"), publishing(draft)),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403, 403]
    assert models.Contract.objects.get(id=draft.contract_id).document == before
    assert models.Contract.objects.count() == 2
    assert reading.contract_in_force(draft.contract.recipient_id).version == 1  # type: ignore[union-attr]


def test_somebody_who_may_only_read_begins_no_draft(reader):
    desk()
    answer = reader.post(at("begin_draft"), {"start": "in_force"}, follow=True)
    assert "It takes the role “contract editor”" in answer.text
    assert models.Contract.objects.count() == 1


@pytest.mark.parametrize(("name", "word"), [("contract_draft", "/title"), ("contract_draft_text", "text")])
def test_a_draft_that_changed_meanwhile_is_not_overwritten_and_what_was_typed_stays(editor, name, word):
    draft = begun(editor)
    editor.post(at("contract_draft_text"), {"revision": draft.revision, "text": f"# theirs\n{AN_HOUR}"})
    answer = editor.post(at(name), {"revision": draft.revision, word: "As I typed it"})
    assert answer.status_code == 409
    assert "This draft changed while you were writing." in answer.text
    assert "As I typed it" in answer.text
    assert f'name="revision" value="{draft.revision + 1}"' in answer.text
    assert models.Contract.objects.get(id=draft.contract_id).document.startswith("# theirs")


def test_a_draft_that_changed_after_one_looked_is_not_published(editor):
    draft = begun(editor)
    editor.post(at("contract_draft_text"), {"revision": draft.revision, "text": f"# theirs\n{AN_HOUR}"})
    answer = editor.post(at("publish_contract"), publishing(draft))
    assert answer.status_code == 409
    assert "Nothing was published" in answer.text
    assert models.Contract.objects.filter(published_at=None).count() == 1


def test_nobody_publishes_without_saying_that_they_looked(editor):
    draft = begun(editor)
    answer = editor.post(at("publish_contract"), {"revision": draft.revision})
    assert answer.status_code == 422
    assert "Say that you looked at what it changes." in answer.text
    assert models.Contract.objects.filter(published_at=None).count() == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [("format: 1\n", "is not answered yet|field required"), (ON_INVENTION, "rests on invented answers alone")],
)
def test_what_can_not_be_used_says_why_and_is_not_published(editor, text, why):
    draft = begun(editor, text)
    page = editor.get(at("publish_contract")).text
    assert "It can&#x27;t be published" in page or "It can't be published" in page
    assert re.search(why, page)
    assert "Publish version" not in page
    answer = editor.post(at("publish_contract"), publishing(draft))
    assert answer.status_code == 409
    assert models.Contract.objects.filter(published_at=None).count() == 1


def test_the_workers_are_told_of_what_is_published_and_of_nothing_else(
    editor, monkeypatch, django_capture_on_commit_callbacks
):
    told: list[str] = []
    monkeypatch.setattr(tasks.reread, "apply_async", lambda **_: told.append("reread"))
    draft = begun(editor)
    with django_capture_on_commit_callbacks(execute=True):
        editor.post(at("publish_contract"), {"revision": draft.revision})
    assert told == []
    with django_capture_on_commit_callbacks(execute=True):
        editor.post(at("publish_contract"), publishing(draft))
    assert told == ["reread"]


def test_a_broker_that_is_away_keeps_nothing_from_being_published(
    editor, monkeypatch, django_capture_on_commit_callbacks
):
    def away(**_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(tasks.reread, "apply_async", away)
    draft = begun(editor)
    with django_capture_on_commit_callbacks(execute=True):
        assert editor.post(at("publish_contract"), publishing(draft)).status_code == 302
    assert models.Contract.objects.filter(published_at=None).count() == 0


def test_what_it_would_change_is_told_before_it_is_published_and_comes_true(editor):
    made = lost()
    draft = begun(editor)
    page = editor.get(at("publish_contract")).text
    assert "1 of 1 open operation would stand otherwise" in page
    assert "Yes, until tomorrow 11:59" in page
    assert "locked:</b> Repeat the same request" in page
    answer = editor.post(at("publish_contract"), publishing(draft), follow=True)
    assert "Version 2 is in force." in answer.text
    assert "1 open operation</b> is still read by an older version" in editor.get(at("recipient_contracts")).text
    reread(now=T0 + 3 * HOUR)
    assert made.row.protection == "unestablished"
    assert "older version" not in editor.get(at("recipient_contracts")).text


def test_who_wrote_and_who_published_a_version_is_kept(editor):
    draft = begun(editor)
    editor.post(at("publish_contract"), publishing(draft))
    row = ContractDraft.objects.get()
    assert (row.begun_by.username, row.edited_by.username, row.begun_from) == ("ines", "ines", "version 1")
    assert (row.published_by.username, row.published_at) == ("ines", T0 + 3 * HOUR)  # type: ignore[union-attr]


def test_a_form_that_can_not_be_written_keeps_what_was_typed(editor):
    draft = begun(editor)
    answer = editor.post(at("contract_draft"), {"revision": draft.revision, "/protection/margin": "soon"})
    assert answer.status_code == 422
    assert 'value="soon"' in answer.text
    assert "Type a number." in answer.text


def test_a_fault_stands_at_its_question_with_its_line(editor):
    draft = begun(editor)
    editor.post(at("contract_draft"), {"revision": draft.revision, "/protection/margin": ""})
    page = editor.get(at("contract_draft")).text
    found = re.search(r'id="f-protection-margin-wrong"><li>([^<]+)<span class="small">line (\d+)<', page)
    assert found is not None
    assert "needs a margin" in found[1]


def test_a_new_recipient_begins_with_nothing_chosen(editor):
    page = editor.get(reverse("new_contract")).text
    assert " checked" not in page
    assert editor.post(reverse("new_contract"), {"key": "new", "name": "New"}).status_code == 422
    answer = editor.post(reverse("new_contract"), {"key": "new", "name": "New", "start": "blank"})
    assert answer.url == reverse("contract_draft", args=["new"])
    page = editor.get(answer.url).text
    chosen = re.findall(r'<option value="[^"]+" selected>', page)
    assert chosen == []


def test_a_recipient_that_is_there_already_is_not_begun_again(editor):
    desk()
    answer = editor.post(reverse("new_contract"), {"key": "collection-desk", "name": "Other", "start": "blank"})
    assert answer.status_code == 422
    assert models.Contract.objects.count() == 1


def test_a_role_for_one_recipient_opens_no_other(client):
    desk()
    other = publish("other", name="Other", text=DESK, now=T0).recipient
    person = User.objects.create_user("mira")
    RoleGrant.objects.create(person=person, role="contract editor", recipient=other, given_at=T0)
    client.force_login(person)
    client.post(at("begin_draft"), {"start": "in_force"})
    client.post(reverse("begin_draft", args=["other"]), {"start": "in_force"})
    assert [draft.contract.recipient for draft in ContractDraft.objects.all()] == [other]


def test_two_versions_are_compared_clause_by_clause(reader):
    desk()
    publish("collection-desk", name="", text=AN_HOUR, now=T0)
    page = reader.get(at("contract_differences") + "?from=1&to=2").text
    assert "1 clause differs" in page
    assert "<del>1 d</del>" in page
    assert "<ins>1 h</ins>" in page


@pytest.mark.parametrize("query", ["", "?from=1", "?from=1&to=x", "?from=1&to=9"])
def test_versions_that_are_not_there_are_not_compared(reader, query):
    desk()
    assert reader.get(at("contract_differences") + query).status_code == 404


def test_the_list_says_what_is_left_open_and_what_it_rests_on(reader):
    desk()
    page = reader.get(reverse("contracts")).text
    assert "every expected status is read" in page
    assert "Sources: 1 documented · 14 verified · 0 inferred" in page


def test_an_empty_desk_says_so(reader):
    assert "There is no recipient yet" in reader.get(reverse("contracts")).text


def test_the_clause_that_governs_is_shown_with_its_version(reader):
    made = lost()
    publish("collection-desk", name="", text=AN_HOUR, now=T0)
    reread(now=T0 + 2 * HOUR)
    page = reader.get(reverse("operation", args=[made.number])).text
    assert "contract version 2" in page

"""The rules of a draft on the screen: in their order, one at a time, written by who may, over nobody else's words."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from escalation.contract_forms.rules import RuleForm
from escalation.models import ContractDraft, RoleGrant, User
from operations import models
from operations.contracts.yaml_text import read
from operations.recording.publishing import publish
from tests.contracts.documents import rule, text
from tests.escalation.building import T0
from tests.escalation.contract_forms.test_rules import NEW, as_sent
from tests.escalation.people import viewer

pytestmark = pytest.mark.django_db
TWO = text(
    {
        "/readings": [
            rule("first"),
            rule(
                "second",
                when={"at": "/status", "equals": 202},
                says="accepted",
                examples=[
                    {"name": "Taken", "evidence": "recorded", "answer": {"status": 202, "body": {"key": "order-1"}}}
                ],
            ),
        ]
    }
)


@pytest.fixture
def reader(client):
    client.force_login(viewer())
    return client


@pytest.fixture
def editor():
    person = User.objects.create_user("ines")
    RoleGrant.objects.create(person=person, role="contract editor", given_at=T0)
    client = Client()
    client.force_login(person)
    return client


def at(name: str, *more: object) -> str:
    return reverse(name, args=["post-office", *more])


@pytest.fixture
def draft(editor) -> ContractDraft:
    publish("post-office", name="Post office", text=text({}), now=T0)
    editor.post(at("begin_draft"), {"start": "in_force"})
    editor.post(at("contract_draft_text"), {"revision": 1, "text": TWO})
    return ContractDraft.objects.get()


def document() -> str:
    return models.Contract.objects.get(published_at=None).document


def rules() -> list[Any]:
    value: Any = read(document()).value
    found: list[Any] = value["readings"]
    return found


def names() -> list[str]:
    return [one["rule"] for one in rules()]


def test_where_nothing_is_being_written_there_are_no_rules_to_write(editor):
    publish("post-office", name="Post office", text=text({}), now=T0)
    for address in (at("contract_draft_rules"), at("contract_draft_rule", 0)):
        assert editor.get(address).url == at("recipient_contracts")


def test_a_rule_that_is_not_there_is_not_found(editor, draft):
    assert editor.get(at("contract_draft_rule", 3)).status_code == 404
    answer = editor.post(at("contract_draft_rules"), {"revision": draft.revision, "do": "up:9"})
    assert (answer.status_code, "no such rule" in answer.text) == (409, True)


def test_somebody_who_may_only_read_changes_nothing(reader, draft):
    page = reader.get(at("contract_draft_rules")).text
    assert "It takes the role “contract editor”" in page
    assert 'name="do"' not in page
    assert "It takes the role “contract editor”" in reader.get(at("contract_draft_rule", 0)).text
    before = document()
    answers = [
        reader.post(at("contract_draft_rules"), {"revision": draft.revision, "do": "gone:0"}),
        reader.post(at("contract_draft_rule", 2), {**NEW, "revision": draft.revision}),
    ]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert document() == before


def test_a_draft_that_changed_meanwhile_is_not_written_over_and_what_was_typed_stays(editor, draft):
    editor.post(at("contract_draft_text"), {"revision": draft.revision, "text": f"# theirs\n{TWO}"})
    typed = {**as_sent(RuleForm(TWO, 0)), "/because": "As I typed it", "revision": draft.revision}
    answer = editor.post(at("contract_draft_rule", 0), typed)
    assert (answer.status_code, "As I typed it" in answer.text) == (409, True)
    moved = editor.post(at("contract_draft_rules"), {"revision": draft.revision, "do": "down:0"})
    assert moved.status_code == 409
    assert document().startswith("# theirs")
    assert names() == ["first", "second"]


def test_what_can_not_be_written_is_marked_and_not_saved(editor, draft):
    typed = {**NEW, "/when#0:value": "", "revision": draft.revision}
    answer = editor.post(at("contract_draft_rule", 2), typed)
    assert answer.status_code == 422
    assert "needs a value" in answer.text
    assert 'value="seen_later"' in answer.text
    assert names() == ["first", "second"]


def test_rules_are_shown_in_their_order_and_moved_by_a_button(editor, draft):
    page = editor.get(at("contract_draft_rules")).text
    assert page.index("first") < page.index("second")
    answer = editor.post(at("contract_draft_rules"), {"revision": draft.revision, "do": "down:0"})
    assert (answer.status_code, names()) == (302, ["second", "first"])
    editor.post(at("contract_draft_rules"), {"revision": draft.revision + 1, "do": "gone:0"})
    assert names() == ["first"]


def test_a_rule_is_added_and_changed_as_a_form(editor, draft):
    assert "Add a rule" in editor.get(at("contract_draft_rules")).text
    editor.post(at("contract_draft_rule", 2), {**NEW, "revision": draft.revision})
    assert names() == ["first", "second", "seen_later"]
    form = RuleForm(document(), 2)
    assert form.form.faults == ()
    typed = {**as_sent(form), "/because": "It was seen.", "revision": draft.revision + 1}
    editor.post(at("contract_draft_rule", 2), typed)
    assert rules()[2]["because"] == "It was seen."


def test_what_the_loader_refuses_stands_beside_its_question(editor, draft):
    editor.post(at("contract_draft_rule", 2), {**NEW, "/source": "nowhere", "revision": draft.revision})
    page = editor.get(at("contract_draft_rules")).text
    assert "1 to mend" in page
    asked = editor.get(at("contract_draft_rule", 2)).text
    assert 'aria-describedby="f-source-wrong"' in asked

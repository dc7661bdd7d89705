"""The pages of people, roles and keys: what is refused, what may be known, and what is shown once."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from escalation.access.people import deactivate, make_person
from escalation.models import AccessChange, RoleGrant, SignInLink, User
from escalation.policy import HOLDS, May, Role
from escalation.screens.people import PAGE, table
from operations.keys import create_key
from operations.models import ApiKey
from tests.escalation.building import HOUR, T0, contract_of
from tests.escalation.people import by, viewer, with_role
from tests.signed_in import proved_ago

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
HOSTILE = "<script>alert(1)</script>\u202egnp.exe"


@pytest.fixture(autouse=True)
def an_hour_later():
    """Everything is looked at on one day."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def root() -> User:
    return with_role("root", Role.ADMINISTRATOR)


@pytest.fixture
def admin(client: Client, root: User) -> Client:
    """An administrator at the screen."""
    client.force_login(root)
    return client


def at(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def page(person: User) -> str:
    return reverse("person", args=[person.pk])


def posted(client: Client, path: str, **typed: str) -> Any:
    return client.post(path, typed, follow=True)


ACTS = [
    {"act": "give", "role": "operator", "where": "every"},
    {"act": "end", "grant": "1"},
    {"act": "link"},
    {"act": "deactivate"},
    {"act": "reactivate"},
    {"act": "end_sessions"},
]


@pytest.mark.parametrize("typed", ACTS, ids=lambda typed: typed["act"])
def test_who_is_no_administrator_reads_and_changes_nobody(root, typed):
    mira = at(viewer("mira"))
    assert "<form method" not in mira.get(page(root)).text.partition("<main")[2].partition("</main>")[0]
    answer = posted(mira, page(root), **typed)
    assert answer.status_code == 403
    assert "It takes the role “administrator”" in answer.text
    assert (RoleGrant.objects.count(), AccessChange.objects.count(), SignInLink.objects.count()) == (2, 0, 0)
    assert User.objects.get(username="root").is_active


def test_who_is_no_administrator_makes_nobody_and_ends_no_key(root):
    contract_of()
    create_key("a caller", scopes=["read"], recipients=["collection-desk"], now=T0, lasts=timedelta(days=9))
    mira = at(viewer("mira"))
    assert "Make this person" not in mira.get(reverse("people")).text
    assert "End it" not in mira.get(reverse("keys")).text
    for name in ("new", "root", ""):
        assert posted(mira, reverse("people"), name=name).status_code == 403
    assert posted(mira, reverse("keys"), key=ApiKey.objects.get().pk).status_code == 403
    assert (User.objects.count(), ApiKey.objects.get().ended_at) == (2, None)


NAMES = [
    ("", "Type a name"),
    ("two words", "no two names look alike"),
    ("m\u0456ra", "no two names look alike"),  # a Cyrillic letter
    ("\u202emira", "no two names look alike"),
    ("<b>", "no two names look alike"),
    ("m" * 151, "at most 150"),
    ("a\0b", "Null characters"),
]


@pytest.mark.parametrize(("name", "said"), NAMES)
def test_a_name_that_could_be_taken_for_another_is_refused(admin, name, said):
    answer = posted(admin, reverse("people"), name=name)
    assert (answer.status_code, said in answer.text, User.objects.count()) == (422, True, 1)


def test_a_name_that_is_taken_is_refused_with_what_was_typed(admin):
    viewer("mira")
    answer = posted(admin, reverse("people"), name="Mira")
    assert (answer.status_code, 'value="Mira"' in answer.text) == (409, True)
    assert "somebody of this name already" in answer.text


FAULTS = [
    ({"act": "give", "where": "every"}, 422, "Choose a role."),
    ({"act": "give", "role": "god", "where": "every"}, 422, "There is no such role."),
    ({"act": "give", "role": "viewer"}, 422, "Say for which recipient, or for every one."),
    ({"act": "give", "role": "viewer", "recipient": "collection-desk"}, 422, "Say for which recipient"),
    ({"act": "give", "role": "viewer", "where": "one"}, 422, "Type the recipient&#x27;s key."),
    ({"act": "give", "role": "viewer", "where": "one", "recipient": "nowhere"}, 422, "no recipient with this key"),
    ({"act": "give", "role": "viewer", "where": "every", "recipient": "collection-desk"}, 422, "one of the two"),
    ({"act": "give", "role": "viewer", "where": "every"}, 409, "holds that role there already"),
    ({"act": "end", "grant": "x"}, 422, "no such act"),
    ({"act": "end", "grant": "9" * 30}, 422, "no such act"),
    ({"act": "end", "grant": "987654321"}, 409, "ended already, or never given"),
    ({"act": "reactivate"}, 409, "active already"),
    ({"act": "delete"}, 422, "no such act"),
    ({}, 422, "no such act"),
]


@pytest.mark.parametrize(("typed", "status", "said"), FAULTS, ids=str)
def test_what_is_missing_or_wrong_is_said_and_nothing_is_changed(admin, typed, status, said):
    contract_of()
    answer = posted(admin, page(viewer("mira")), **typed)
    assert (answer.status_code, said in answer.text) == (status, True)
    assert (RoleGrant.objects.count(), AccessChange.objects.count()) == (2, 0)


@pytest.mark.parametrize("act", ["deactivate", "link"])
def test_the_only_administrator_does_not_shut_themselves_out(admin, root, act):
    text = admin.get(page(root)).text
    assert "Nobody changes their own way in here" in text
    assert f'value="{act}"' not in text
    answer = posted(admin, page(root), act=act)
    assert answer.status_code == 409
    grant = root.roles.get()
    ended = posted(admin, page(root), act="end", grant=str(grant.pk))
    assert (ended.status_code, "You are the only administrator of this desk" in ended.text) == (409, True)
    assert not AccessChange.objects.exists()


def test_who_signed_in_long_ago_proves_who_they_are_first(root):
    root.set_password("a long enough phrase")
    root.save()
    seat, mira = Client(), viewer("mira")
    seat.force_login(root)
    proved_ago(seat, minutes=16)
    for path, typed in (
        (page(mira), {"act": "give", "role": "operator", "where": "every"}),
        (page(mira), {"act": "deactivate"}),
        (reverse("people"), {"name": "new.one"}),
        (reverse("keys"), {"key": "0" * 16}),
    ):
        answer: Any = seat.post(path, typed)
        assert (answer.status_code, answer.url.partition("?")[0]) == (302, reverse("account_reauthenticate"))
    assert (RoleGrant.objects.count(), User.objects.count(), AccessChange.objects.count()) == (2, 2, 0)
    seat.post(page(mira), {"act": "give", "role": "operator", "where": "every"})
    assert '<option value="operator" selected>' in seat.get(page(mira)).text


def test_a_form_of_another_site_changes_nothing(root):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(root)
    assert strict.post(reverse("people"), {"name": "new"}).status_code == 403
    assert strict.post(page(viewer("mira")), {"act": "deactivate"}).status_code == 403
    assert strict.post(reverse("keys"), {"key": "0" * 16}).status_code == 403
    assert User.objects.filter(is_active=True).count() == 2


def test_of_people_a_reader_knows_who_holds_what_they_may_read_and_no_more(root):
    here, there = contract_of(), contract_of(key="there", name="There Ltd")
    with_role("both", Role.OPERATOR, recipient=here.recipient)
    RoleGrant.objects.create(
        person=User.objects.get(username="both"), role="authoriser", recipient=there.recipient, given_at=T0
    )
    hidden = with_role("kim.elsewhere", Role.OPERATOR, recipient=there.recipient)
    idle = User.objects.create_user("lee.nothing")
    reader = at(with_role("reader", Role.VIEWER, recipient=here.recipient))
    text = reader.get(reverse("people")).text
    assert [name in text for name in ("both", "root", "reader", "kim.elsewhere", "lee.nothing")] == [True] * 3 + [
        False
    ] * 2
    one = reader.get(page(User.objects.get(username="both"))).text
    assert ("operator" in one, "There Ltd" in text + one, "authoriser</b>" in one) == (True, False, False)
    for path in (reverse("person", args=[987654321]), page(hidden), page(idle)):
        answer = reader.get(path)
        assert (answer.status_code, "<p>There is no such person.</p>" in answer.text) == (404, True)


def test_when_somebody_was_here_last_is_for_administrators_and_themselves(admin, root):
    User.objects.filter(pk=root.pk).update(last_login=T0)
    assert "Last signed in" in admin.get(reverse("people")).text
    assert "Last signed in" in admin.get(page(root)).text
    mira = viewer("mira")
    for path, seen in ((reverse("people"), False), (page(root), False), (page(mira), True)):
        assert ("Last signed in" in at(mira).get(path).text) == seen


def test_of_keys_a_reader_knows_those_that_are_for_what_they_may_read_alone(root):
    here = contract_of()
    contract_of(key="there", name="There Ltd")
    for name, recipients in (
        ("ours", ["collection-desk"]),
        ("wide", ["collection-desk", "there"]),
        ("theirs", ["there"]),
    ):
        create_key(name, scopes=["read"], recipients=recipients, now=T0, lasts=timedelta(days=9))
    text = at(with_role("reader", Role.VIEWER, recipient=here.recipient)).get(reverse("keys")).text
    assert [name in text for name in (">ours<", ">wide<", ">theirs<", "There Ltd")] == [True, False, False, False]
    whole = at(root).get(reverse("keys")).text
    assert [name in whole for name in (">ours<", ">wide<", ">theirs<", "There Ltd")] == [True] * 4
    for one in ApiKey.objects.all():
        assert one.secret_digest not in whole


def test_without_any_key_the_page_says_so(admin):
    assert "There is no key." in admin.get(reverse("keys")).text


def test_hostile_names_are_written_out(admin):
    person = User.objects.create_user(HOSTILE)
    RoleGrant.objects.create(person=person, role="viewer", given_at=T0)
    contract = contract_of(key="evil", name=HOSTILE)
    RoleGrant.objects.create(person=person, role="operator", recipient=contract.recipient, given_at=T0)
    create_key(HOSTILE, scopes=["read"], recipients=["evil"], now=T0, lasts=timedelta(days=9))
    for path in (reverse("people"), page(person), reverse("keys")):
        text = admin.get(path).text
        assert "<script>alert" not in text
        assert "\u202e" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]gnp.exe" in text
    assert posted(admin, page(person), act="deactivate").status_code == 200


@pytest.mark.parametrize("query", ["?after=%00", "?name=%00%27", "?name=%25", "?after=zzzz", f"?name={'x' * 9000}"])
def test_what_means_nothing_breaks_nothing(admin, query):
    assert admin.get(reverse("people") + query).status_code == 200


def test_a_link_is_shown_once_and_signs_in_once(admin):
    answer = posted(admin, reverse("people"), name="new.one")
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    link = re.search(r'value="(http://testserver/sign-in/[^"]+)"', answer.text)
    assert link is not None
    token = link[1].rpartition("/")[2]
    for path in (reverse("people"), page(User.objects.get(username="new.one")), reverse("audit")):
        assert token not in admin.get(path).text
    assert token not in json.dumps(dict(admin.session))
    seat = Client()
    assert seat.post(link[1]).status_code == 302
    assert Client().post(link[1]).status_code == 410
    assert seat.get(reverse("queue")).status_code == 403


def test_a_role_is_given_read_and_ended_with_who_and_when(admin):
    contract_of()
    mira = viewer("mira")
    text = posted(admin, page(mira), act="give", role="operator", where="one", recipient="collection-desk").text
    assert "mira holds the role “operator” for Collection desk from now on." in text
    assert "given by <bdi>root</bdi>" in text
    grant = mira.roles.get(role="operator")
    held, _, before = posted(admin, page(mira), act="end", grant=str(grant.pk)).text.partition("Held before")
    assert ("operator</b>" in held.partition('id="held"')[2].partition("</section>")[0], "operator</b>" in before) == (
        False,
        True,
    )
    assert "by <bdi>root</bdi>" in before


def test_every_change_stands_in_the_audit_and_its_files(admin, root):
    contract_of()
    create_key("a caller", scopes=["read"], recipients=["collection-desk"], now=T0, lasts=timedelta(days=9))
    posted(admin, reverse("people"), name="new.one")
    one = User.objects.get(username="new.one")
    posted(admin, page(one), act="give", role="operator", where="every")
    posted(admin, page(one), act="end", grant=str(one.roles.get().pk))
    for act in ("link", "end_sessions", "deactivate", "reactivate"):
        assert posted(admin, page(one), act=act).status_code == 200
    posted(admin, reverse("keys"), key=ApiKey.objects.get().pk)
    text = admin.get(reverse("audit")).text
    lines = b"".join(admin.get(reverse("audit_json_lines")).streaming_content).splitlines()
    rows = b"".join(admin.get(reverse("audit_csv")).streaming_content).decode().splitlines()
    said = [json.loads(line) for line in lines]
    theirs = [(one["by"], one["act"]) for one in said if one["by"] == "root"]
    wanted = {
        "person_made",
        "role_given",
        "role_ended",
        "link_made",
        "sessions_ended",
        "person_deactivated",
        "person_reactivated",
        "key_ended",
    }
    assert {act for _, act in theirs} == wanted
    for sentence in ("Made a person inactive", "Made a sign-in link", "Ended a key for a program", "new.one."):
        assert sentence in text
    assert len(rows) == len(said) + 1
    for act in wanted:
        found = b"".join(admin.get(reverse("audit_json_lines"), {"door": act}).streaming_content).splitlines()
        assert {json.loads(line)["act"] for line in found} == {act}


def test_acts_about_keys_are_not_told_to_who_reads_some_recipients(root):
    here = contract_of()
    create_key("a caller", scopes=["read"], recipients=["collection-desk"], now=T0, lasts=timedelta(days=9))
    posted(at(root), reverse("keys"), key=ApiKey.objects.get().pk)
    text = at(with_role("reader", Role.VIEWER, recipient=here.recipient)).get(reverse("audit")).text
    assert "a caller" not in text


def test_somebody_inactive_is_shown_as_such_and_made_active_again(admin, root):
    mira = viewer("mira")
    deactivate(mira.pk, by=by(root, at=NOW))
    assert "<b>inactive</b>: their roles count nothing" in admin.get(reverse("people")).text
    text = admin.get(page(mira)).text
    assert ("Make inactive" in text, "Make active again" in text, "Give this role" in text) == (False, True, False)
    assert "mira is active again" in posted(admin, page(mira), act="reactivate").text


def test_ending_ones_own_sessions_signs_out(admin, root):
    assert admin.post(page(root), {"act": "end_sessions"}).status_code == 302
    assert admin.get(reverse("people")).url.startswith(reverse("sign_in"))


def test_many_people_take_no_more_questions_and_stand_on_pages(admin, django_assert_max_num_queries):
    people = User.objects.bulk_create([User(username=f"p{number:04}") for number in range(3 * PAGE)])
    RoleGrant.objects.bulk_create([RoleGrant(person=one, role="viewer", given_at=T0) for one in people])
    seen: list[str] = []
    query: str | None = ""
    while query is not None:
        with django_assert_max_num_queries(16):
            text = admin.get(reverse("people") + query).text
        seen += re.findall(r"<bdi>(p\d{4})</bdi></a>", text)
        following = re.search(r'href="(\?after=[^"]+)">Next page', text)
        query = following[1] if following else None
    assert seen == [f"p{number:04}" for number in range(3 * PAGE)]
    assert "p0007" in admin.get(reverse("people"), {"name": "P0007"}).text


def test_the_table_says_what_the_policy_holds(admin):
    rows = dict(table())
    assert {what.sentence: [(role.value, what in HOLDS[role]) for role in Role] for what in May}.items() <= rows.items()
    text = admin.get(reverse("people")).text
    for what in May:
        assert f'<th scope="row">{what.sentence.replace(chr(39), "&#x27;")}</th>' in text


def test_an_administrator_of_the_host_is_said_to_be_one(admin):
    host = User.objects.create_superuser("administrator")
    assert "made administrator on the desk's host" in admin.get(reverse("people")).text
    assert "Every role, for every recipient." in admin.get(page(host)).text


def test_a_first_page_shows_who_made_whom(admin, root):
    made, _ = make_person("new.one", by=by(root, at=NOW))
    assert "The person was made" in admin.get(page(made)).text

"""People are made, let in and let in no more, by administrators alone; refusals first."""

from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import call_command
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from escalation.access import By, NotChanged
from escalation.access.keys import end_api_key
from escalation.access.people import ANOTHER, ONLY_ONE, deactivate, end_sessions, make_link, make_person, reactivate
from escalation.access.roles import end_role, give_role
from escalation.decisions import NotAllowed
from escalation.models import AccessChange, RoleGrant, User
from escalation.models.access_change import Change
from escalation.policy import May, Role, administrators, why_not
from escalation.proof import NotFresh
from escalation.sign_in_link import link_holder, make_sign_in_link
from operations.keys import caller_of, create_key
from tests.escalation.building import HOUR, T0, contract_of
from tests.escalation.people import by, proved, viewer, with_role

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
ALL_BUT_ONE = [role for role in Role if role is not Role.ADMINISTRATOR]


@pytest.fixture(autouse=True)
def an_hour_later():
    """Sessions and changes are of the same moment."""
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def root() -> User:
    """The only administrator."""
    return with_role("root", Role.ADMINISTRATOR)


@pytest.fixture
def mira() -> User:
    return with_role("mira", Role.REVIEWER)


def done() -> list[str]:
    return list(AccessChange.objects.order_by("pk").values_list("act", flat=True))


def key() -> str:
    contract_of()
    return create_key("a caller", scopes=["read"], recipients=["collection-desk"], now=T0, lasts=timedelta(days=9))


def test_who_is_no_administrator_for_every_recipient_changes_nothing(mira, root):
    here = contract_of().recipient
    other = with_role("other", *ALL_BUT_ONE)
    RoleGrant.objects.create(person=other, role=Role.ADMINISTRATOR, recipient=here, given_at=T0)
    made = key()
    for act in (
        lambda: make_person("new", by=by(other, at=NOW)),
        lambda: make_link(mira.pk, by=by(other, at=NOW)),
        lambda: deactivate(mira.pk, by=by(other, at=NOW)),
        lambda: reactivate(mira.pk, by=by(other, at=NOW)),
        lambda: end_sessions(mira.pk, by=by(other, at=NOW)),
        lambda: give_role(mira.pk, Role.VIEWER, recipient=None, by=by(other, at=NOW)),
        lambda: end_role(mira.roles.get().pk, person=mira.pk, by=by(other, at=NOW)),
        lambda: end_api_key(made[4:20], by=by(other, at=NOW)),
    ):
        with pytest.raises(NotAllowed, match="administrator"):
            act()
    assert (done(), mira.roles.get().ended_at, User.objects.filter(username="new").exists()) == ([], None, False)
    assert caller_of(made, now=NOW) is not None


def test_without_a_fresh_proof_of_who_they_are_nothing_is_changed(root, mira):
    old = proved(root, at=NOW - HOUR)
    for proof in (None, old, proved(mira, at=NOW)):
        with pytest.raises(NotFresh):
            deactivate(mira.pk, by=By(person=root, now=NOW, proof=proof))
    assert done() == []


def test_what_an_administrator_was_is_not_what_they_are(root, mira):
    """The rows decide, not what was read when the page was opened."""
    RoleGrant.objects.filter(person=root).update(ended_at=NOW)
    with pytest.raises(NotAllowed):
        make_person("new", by=by(root, at=NOW))
    gone = User.objects.create_superuser("gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    with pytest.raises(NotAllowed):
        make_person("new", by=by(gone, at=NOW))


@pytest.mark.parametrize(("others", "sentence"), [(0, ONLY_ONE), (1, ANOTHER)])
def test_nobody_takes_their_own_administration_away(root, others, sentence):
    for number in range(others):
        with_role(f"other{number}", Role.ADMINISTRATOR)
    grant = root.roles.get()
    for act in (
        lambda: deactivate(root.pk, by=by(root, at=NOW)),
        lambda: end_role(grant.pk, person=root.pk, by=by(root, at=NOW)),
    ):
        with pytest.raises(NotChanged, match=sentence):
            act()
    grant.refresh_from_db()
    assert (grant.ended_at, why_not(root, May.ADMINISTER, recipient=None), done()) == (None, None, [])


def test_nobody_gives_themselves_a_role_or_a_link(root):
    with pytest.raises(NotChanged, match="Nobody gives roles to themselves"):
        give_role(root.pk, Role.RISK_OWNER, recipient=None, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="Nobody makes a sign-in link for themselves"):
        make_link(root.pk, by=by(root, at=NOW))
    assert (root.roles.count(), root.sign_in_links.count()) == (1, 0)


def test_a_role_is_not_given_twice_or_to_somebody_inactive_or_to_nobody(root, mira):
    here = contract_of().recipient.pk
    give_role(mira.pk, Role.REVIEWER, recipient=here, by=by(root, at=NOW))
    for where in (None, here):
        with pytest.raises(NotChanged, match="mira holds that role there already"):
            give_role(mira.pk, Role.REVIEWER, recipient=where, by=by(root, at=NOW))
    deactivate(mira.pk, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="mira is inactive"):
        give_role(mira.pk, Role.OPERATOR, recipient=None, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="no such person"):
        give_role(987654321, Role.OPERATOR, recipient=None, by=by(root, at=NOW))


def test_a_role_is_ended_once_and_under_its_own_person(root, mira):
    grant, other = mira.roles.get(), viewer("other")
    with pytest.raises(NotChanged, match="ended already, or never given"):
        end_role(grant.pk, person=other.pk, by=by(root, at=NOW))
    end_role(grant.pk, person=mira.pk, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="ended already, or never given"):
        end_role(grant.pk, person=mira.pk, by=by(root, at=NOW))
    grant.refresh_from_db()
    assert (grant.ended_at, grant.ended_by, grant.given_at) == (NOW, root, T0)


@pytest.mark.parametrize("name", ["mira", "MIRA", "Mira"])
def test_no_two_names_differ_in_capitals_alone(root, mira, name):
    with pytest.raises(NotChanged, match="somebody of this name already"):
        make_person(name, by=by(root, at=NOW))
    assert User.objects.count() == 2


def test_nobody_inactive_is_given_a_link_or_made_inactive_again(root, mira):
    with pytest.raises(NotChanged, match="mira is active already"):
        reactivate(mira.pk, by=by(root, at=NOW))
    deactivate(mira.pk, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="mira is inactive already"):
        deactivate(mira.pk, by=by(root, at=NOW))
    with pytest.raises(NotChanged, match="no link would sign them in"):
        make_link(mira.pk, by=by(root, at=NOW))
    assert done() == [Change.PERSON_DEACTIVATED]


def test_a_key_is_ended_once(root):
    made = key()
    end_api_key(made[4:20], by=by(root, at=NOW))
    for again in (made[4:20], "0" * 16, "nonsense"):
        with pytest.raises(NotChanged, match="ended already, or never made"):
            end_api_key(again, by=by(root, at=NOW))
    assert (caller_of(made, now=NOW), done()) == (None, [Change.KEY_ENDED])


@pytest.mark.parametrize("change", [{"act": "person_reactivated"}, {"by": None}, {"at": T0}])
def test_what_was_done_is_never_rewritten_or_removed(root, mira, change):
    deactivate(mira.pk, by=by(root, at=NOW))
    with pytest.raises(DatabaseError), transaction.atomic():
        AccessChange.objects.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        AccessChange.objects.all().delete()


@pytest.mark.owner
def test_not_even_the_owner_of_the_tables_rewrites_what_was_done_or_held(root, mira):
    deactivate(mira.pk, by=by(root, at=NOW))
    end_role(mira.roles.get().pk, person=mira.pk, by=by(root, at=NOW))
    for act in (
        lambda: AccessChange.objects.update(by=None),
        lambda: AccessChange.objects.all().delete(),
        lambda: RoleGrant.objects.filter(person=mira).update(ended_at=None, ended_by=None),
        lambda: RoleGrant.objects.filter(person=root).update(role="viewer"),
        lambda: RoleGrant.objects.filter(person=root).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()


@pytest.mark.parametrize(
    "fields",
    [
        {"act": "key_ended"},
        {"act": "nonsense"},
        {"act": "person_deactivated", "own": True},
        {"act": "link_made", "own": True},
    ],
)
def test_the_database_refuses_what_no_change_can_be(root, mira, fields):
    by = mira if fields.get("own") else root
    with pytest.raises(DatabaseError), transaction.atomic():
        AccessChange.objects.create(act=fields["act"], person=mira, at=NOW, by=by)


def test_who_is_made_holds_nothing_and_gets_in_once(root):
    made, token = make_person("new.one", by=by(root, at=NOW))
    assert (made.roles.count(), made.has_usable_password(), made.is_superuser) == (0, False, False)
    assert link_holder(token, now=NOW) == made
    row = AccessChange.objects.get()
    assert (row.act, row.person, row.by, row.at) == (Change.PERSON_MADE, made, root, NOW)


def test_a_role_counts_from_then_on_and_no_more_once_it_is_ended(root, mira):
    here = contract_of().recipient.pk
    row = give_role(mira.pk, Role.OPERATOR, recipient=here, by=by(root, at=NOW))
    assert (row.given_at, row.given_by) == (NOW, root)
    assert why_not(mira, May.REPEAT, recipient=here) is None
    end_role(row.pk, person=mira.pk, by=by(root, at=NOW))
    assert why_not(mira, May.REPEAT, recipient=here) is not None


def test_who_is_let_in_no_more_is_out_at_once_and_comes_back_with_their_roles(root, mira):
    token, seat = make_sign_in_link(mira, now=NOW), Client()
    seat.force_login(mira)
    deactivate(mira.pk, by=by(root, at=NOW))
    assert seat.get(reverse("queue")).status_code == 302
    assert link_holder(token, now=NOW) is None
    reactivate(mira.pk, by=by(root, at=NOW))
    assert seat.get(reverse("queue")).status_code == 302
    assert link_holder(token, now=NOW) is None
    mira.refresh_from_db()
    assert why_not(mira, May.INSPECT, recipient=None) is None
    assert done() == [Change.PERSON_DEACTIVATED, Change.PERSON_REACTIVATED]


def test_ending_somebodys_sessions_ends_all_of_theirs_and_no_others(root, mira):
    one, two, other = Client(), Client(), Client()
    for seat, person in ((one, mira), (two, mira), (other, root)):
        seat.force_login(person)
    token = make_sign_in_link(mira, now=NOW)
    end_sessions(mira.pk, by=by(root, at=NOW))
    assert [seat.get(reverse("queue")).status_code for seat in (one, two, other)] == [302, 302, 200]
    assert link_holder(token, now=NOW) is None


def test_a_newer_link_ends_the_one_before(root, mira):
    first = make_link(mira.pk, by=by(root, at=NOW))[1]
    holder, token = make_link(mira.pk, by=by(root, at=NOW))
    assert (holder, link_holder(first, now=NOW), link_holder(token, now=NOW)) == (mira, None, mira)
    assert done() == [Change.LINK_MADE, Change.LINK_MADE]


def test_administrators_are_the_active_ones_for_every_recipient(root):
    here = contract_of().recipient
    with_role("elsewhere", Role.ADMINISTRATOR, recipient=here)
    with_role("reviewer", Role.REVIEWER)
    host = User.objects.create_superuser("administrator")
    User.objects.create_superuser("gone", is_active=False)
    was = with_role("was", Role.ADMINISTRATOR)
    RoleGrant.objects.filter(person=was).update(ended_at=NOW)
    assert administrators() == [host, root]


def test_what_is_done_on_the_host_is_on_record_without_a_person():
    contract_of()
    call_command("sign_in_link", "--first", stdout=StringIO())
    viewer("mira")
    call_command("sign_in_link", "mira", stdout=StringIO())
    words = ["--scope", "read", "--recipient", "collection-desk", "--expires-in", "9"]
    call_command("create_api_key", "a caller", *words, stdout=StringIO(), stderr=StringIO())
    rows = AccessChange.objects.order_by("pk").select_related("person", "key")
    assert [(row.act, str(row.person or row.key).partition(" (")[0], row.by) for row in rows] == [
        (Change.PERSON_MADE, "administrator", None),
        (Change.LINK_MADE, "mira", None),
        (Change.KEY_MADE, "a caller", None),
    ]

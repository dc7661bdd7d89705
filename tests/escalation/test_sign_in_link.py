"""Links sign one person in, once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.management import call_command
from django.db import connection, transaction

from escalation.models import AccessChange, SignInLink, User
from escalation.sign_in_link import (
    LASTS,
    digest_of,
    first_administrator,
    forget,
    link_holder,
    make_sign_in_link,
    spend_sign_in_link,
)

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return User.objects.create_user("mira")


def test_an_unknown_token_signs_nobody_in(person):
    make_sign_in_link(person, now=NOW)
    assert spend_sign_in_link("never-given-out", now=NOW) is None


def test_a_used_link_signs_nobody_in(person):
    token = make_sign_in_link(person, now=NOW)
    assert spend_sign_in_link(token, now=NOW) == person
    assert spend_sign_in_link(token, now=NOW) is None


def test_a_link_signs_nobody_in_from_its_end_on(person):
    token = make_sign_in_link(person, now=NOW)
    assert spend_sign_in_link(token, now=NOW + LASTS) is None
    assert link_holder(token, now=NOW + LASTS - timedelta(microseconds=1)) == person


def test_a_newer_link_ends_the_earlier_one_of_the_same_person_only(person):
    other = User.objects.create_user("tomas")
    others, earlier = make_sign_in_link(other, now=NOW), make_sign_in_link(person, now=NOW)
    newer = make_sign_in_link(person, now=NOW)
    assert link_holder(earlier, now=NOW) is None
    assert link_holder(newer, now=NOW) == person
    assert link_holder(others, now=NOW) == other


def test_a_link_of_somebody_made_inactive_signs_nobody_in(person):
    token = make_sign_in_link(person, now=NOW)
    person.is_active = False
    person.save()
    assert spend_sign_in_link(token, now=NOW) is None


def test_looking_at_a_link_does_not_spend_it(person):
    token = make_sign_in_link(person, now=NOW)
    link_holder(token, now=NOW)
    assert spend_sign_in_link(token, now=NOW) == person


def test_the_database_holds_the_digest_and_not_the_token(person):
    token = make_sign_in_link(person, now=NOW)
    with connection.cursor() as cursor:
        cursor.execute("select row_to_json(link)::text from escalation_signinlink link")
        (row,) = cursor.fetchone()
    assert digest_of(token) in row
    assert token not in row


def test_an_empty_desk_gets_one_administrator_without_a_password():
    administrator = first_administrator()
    assert administrator is not None
    assert administrator == first_administrator()
    assert (administrator.is_superuser, administrator.has_usable_password()) == (True, False)


def test_no_first_administrator_once_anybody_has_signed_in(person):
    person.last_login = NOW
    person.save()
    assert first_administrator() is None
    assert User.objects.count() == 1


def test_what_somebody_lost_ends_and_what_they_kept_stays(person):
    person.set_password("a long enough phrase")
    person.save()
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={})
    forget(person, password=False, second_factors=False)
    assert (person.has_usable_password(), Authenticator.objects.count()) == (True, 1)
    forget(person, password=False, second_factors=True)
    assert (person.has_usable_password(), Authenticator.objects.count()) == (True, 0)
    forget(person, password=True, second_factors=False)
    assert not User.objects.get().has_usable_password()


def test_the_command_forgets_only_what_it_is_told_to(person, capsys):
    person.set_password("a long enough phrase")
    person.save()
    call_command("sign_in_link", "mira")
    assert User.objects.get().has_usable_password()
    call_command("sign_in_link", "mira", "--forget-password")
    assert not User.objects.get().has_usable_password()
    found = AccessChange.objects.order_by("pk")
    assert [one.act for one in found] == ["link_made", "link_made", "password_forgotten"]
    assert not [one for one in found if one.by is not None]
    assert (
        capsys.readouterr().out.count("Sign in as mira (once, within 60 minutes): http://127.0.0.1:8000/sign-in/") == 2
    )


def test_with_a_password_ends_the_account_of_single_sign_on_and_the_command_says_so(person, capsys):
    SocialAccount.objects.create(user=person, provider="single", uid="4711")
    kept = SocialAccount.objects.create(user=User.objects.create_user("omar"), provider="single", uid="4712")
    call_command("sign_in_link", "mira", "--forget-second-factors")
    assert SocialAccount.objects.count() == 2
    assert "single sign-on" not in capsys.readouterr().out
    call_command("sign_in_link", "mira", "--forget-password")
    assert SocialAccount.objects.get() == kept
    assert "The account of single sign-on of mira is connected no more." in capsys.readouterr().out
    removed = AccessChange.objects.get(act="single_sign_on_removed")
    assert (removed.person, removed.by) == (person, None)


@pytest.mark.django_db(transaction=True)
def test_of_simultaneous_uses_of_one_link_one_signs_in(person):
    token = make_sign_in_link(person, now=NOW)

    def use(_):
        try:
            with transaction.atomic():
                return spend_sign_in_link(token, now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        signed_in = [user for user in pool.map(use, range(8)) if user is not None]
    assert signed_in == [person]
    assert SignInLink.objects.exclude(ended_at=None).count() == 1

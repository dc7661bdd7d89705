"""When a proof of who somebody is counts, and when not."""

from datetime import UTC, datetime, timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from escalation.models import User
from escalation.policy import NEEDS_PROOF, May
from escalation.proof import NotFresh, Proof, Way, can_be_asked, require_fresh, stale

NOW = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
pytestmark = pytest.mark.django_db


@pytest.fixture
def mira() -> User:
    """Somebody who has a password."""
    return User.objects.create_user("mira", password="a long enough phrase")


@pytest.fixture
def newcomer() -> User:
    """Somebody who came by a link, and has no password yet."""
    return User.objects.create_user("newcomer")


def holds(person: User, kind: Authenticator.Type) -> None:
    """Give somebody a second factor."""
    Authenticator.objects.create(user=person, type=kind, data={})


def by(person: User, way: Way, *, ago: timedelta = MINUTE) -> Proof:
    """A proof of `person`, so long ago."""
    return Proof(person=person.pk, way=way, at=NOW - ago)


def counts(proof: Proof | None, person: User) -> bool:
    return stale(proof, person=person, now=NOW) is None


def test_no_proof_counts_for_nobody(mira):
    assert not counts(None, mira)


def test_the_proof_of_somebody_else_counts_for_nobody(mira):
    tomas = User.objects.create_user("tomas", password="another long phrase")
    assert not counts(by(tomas, Way.PASSWORD), mira)


def test_a_proof_counts_for_a_quarter_of_an_hour_and_no_longer(mira):
    assert counts(by(mira, Way.PASSWORD, ago=15 * MINUTE), mira)
    assert not counts(by(mira, Way.PASSWORD, ago=15 * MINUTE + timedelta(microseconds=1)), mira)


def test_how_long_it_counts_is_a_setting(mira, settings):
    settings.PROOF_LASTS = 5 * MINUTE
    assert not counts(by(mira, Way.PASSWORD, ago=6 * MINUTE), mira)
    assert "It counts for 5 minutes." in str(stale(None, person=mira, now=NOW))


def test_a_proof_from_later_is_none(mira):
    assert not counts(by(mira, Way.PASSWORD, ago=-MINUTE), mira)


def test_a_link_does_not_count_for_who_has_a_password(mira):
    assert not counts(by(mira, Way.LINK), mira)


@pytest.mark.parametrize("kind", [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN])
@pytest.mark.parametrize("way", [Way.PASSWORD, Way.LINK, Way.SINGLE_SIGN_ON])
def test_who_holds_a_second_factor_proves_it_by_nothing_less(mira, kind, way):
    holds(mira, kind)
    assert not counts(by(mira, way), mira)


def test_a_link_counts_for_who_has_nothing_else(newcomer):
    assert counts(by(newcomer, Way.LINK), newcomer)


@pytest.mark.parametrize("way", [Way.CODE, Way.PASSKEY, Way.RECOVERY_CODE])
def test_a_second_factor_counts(mira, way):
    holds(mira, Authenticator.Type.TOTP)
    assert counts(by(mira, way), mira)


def test_single_sign_on_counts_for_who_connected_it(newcomer):
    SocialAccount.objects.create(user=newcomer, provider="single", uid="4711")
    assert counts(by(newcomer, Way.SINGLE_SIGN_ON), newcomer)


def test_each_is_told_what_they_will_be_asked_for(mira, newcomer):
    with pytest.raises(NotFresh, match="asked for your password first"):
        require_fresh(None, person=mira, now=NOW)
    with pytest.raises(NotFresh, match="Ask whoever runs this desk for another link"):
        require_fresh(None, person=newcomer, now=NOW)
    assert (can_be_asked(mira), can_be_asked(newcomer)) == (True, False)
    holds(mira, Authenticator.Type.TOTP)
    with pytest.raises(NotFresh, match="second factor"):
        require_fresh(None, person=mira, now=NOW)
    SocialAccount.objects.create(user=newcomer, provider="single", uid="4711")
    with pytest.raises(NotFresh, match="Sign out, and in again"):
        require_fresh(None, person=newcomer, now=NOW)


def test_what_the_record_says_of_it(mira):
    assert by(mira, Way.CODE).stated() == {"by": "code of an authenticator app", "at": "2026-03-04T08:59:00+00:00"}


def test_what_sends_or_risks_or_changes_who_may_takes_a_proof():
    doors = {May.REPEAT, May.CLOSE_ORIGINAL, May.AUTHORISE_NEW, May.PROPOSE_EXCEPTION, May.APPROVE_EXCEPTION}
    assert doors | {May.EDIT_CONTRACT, May.ADMINISTER} <= NEEDS_PROOF


def test_what_only_asks_or_writes_down_takes_no_proof():
    assert not NEEDS_PROOF & {May.ASK, May.INSPECT, May.REPAIR_RECORD, May.LEAVE_UNRESOLVED, May.PACE}

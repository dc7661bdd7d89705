"""How and when a person last proved who they are, and whether that counts before doors that send or risk.

One rule, asked by the decisions themselves, by the pages, and by the pages that change how a person signs in: whoever
holds a second factor proves it with that; whoever has a password, with the password; a link counts for whoever has
neither. Single sign-on counts from when its provider says that it asked, and not at all where it doesn't say. A proof
lasts for `PROOF_LASTS`, and proves nobody else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.http import HttpRequest

from escalation.models import User


class Way(StrEnum):
    """How somebody proved who they are, in the words of the record."""

    PASSWORD = "password"  # noqa: S105  # the word, not one
    CODE = "code of an authenticator app"
    PASSKEY = "passkey"
    RECOVERY_CODE = "recovery code"
    LINK = "sign-in link"
    SINGLE_SIGN_ON = "single sign-on"


SECOND_FACTORS: Final = frozenset({Way.CODE, Way.PASSKEY, Way.RECOVERY_CODE})
# What the session's records call them.
_SECOND: Final[Mapping[str, Way]] = {
    Authenticator.Type.TOTP: Way.CODE,
    Authenticator.Type.WEBAUTHN: Way.PASSKEY,
    Authenticator.Type.RECOVERY_CODES: Way.RECOVERY_CODE,
}
LINK: Final = "link"
AT_A_PROVIDER: Final = "socialaccount"
_FIRST: Final[Mapping[str, Way]] = {
    "password": Way.PASSWORD,
    LINK: Way.LINK,
    AT_A_PROVIDER: Way.SINGLE_SIGN_ON,
}
# When the provider asked whoever signed in by it, in seconds since 1970; later than its record it can't have been.
ASKED_AT: Final = "asked_at"
# Clocks of two processes may differ by this much; a proof from later than that is none.
SKEW: Final = timedelta(seconds=5)


class NotFresh(Exception):
    """The person has to prove anew who they are; the message is a sentence, and nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That the person with this row id proved who they are, at this time, in this way."""

    person: int
    way: Way
    at: datetime

    def stated(self) -> dict[str, str]:
        """Return what the record of a decision says of it, as JSON."""
        return {"by": self.way.value, "at": self.at.astimezone(UTC).isoformat()}


def counting(person: User) -> frozenset[Way]:
    """Return the ways in which this person can prove now who they are."""
    if Authenticator.objects.filter(user=person).exists():
        return SECOND_FACTORS
    if person.has_usable_password():
        return frozenset({Way.PASSWORD, Way.SINGLE_SIGN_ON})
    if SocialAccount.objects.filter(user=person).exists():
        return frozenset({Way.SINGLE_SIGN_ON, Way.LINK})
    return frozenset({Way.LINK})


def _way(record: Mapping[str, Any]) -> Way | None:
    if record.get("method") == "mfa":
        return _SECOND.get(str(record.get("type")))
    return _FIRST.get(str(record.get("method")))


def _at(record: Mapping[str, Any], way: Way) -> datetime | None:
    """Return when it was proved; None for single sign-on whose provider did not say, or said what can't be."""
    at = record.get(ASKED_AT) if way is Way.SINGLE_SIGN_ON else record["at"]
    if at is None or not 0 <= at <= record["at"] + SKEW.total_seconds():
        return None
    return datetime.fromtimestamp(at, tz=UTC)


def proof_of(request: HttpRequest) -> Proof | None:
    """Return the latest proof in this browser's session, of whoever is signed in, that counts for them; else None."""
    person = request.user
    if not isinstance(person, User):
        return None
    counts = counting(person)
    for record in reversed(get_authentication_records(request, person)):
        way = _way(record)
        at = None if way is None else _at(record, way)
        if way is not None and way in counts and at is not None:
            return Proof(person=person.pk, way=way, at=at)
    return None


def stale(proof: Proof | None, *, person: User, now: datetime) -> str | None:
    """Return None where the proof is this person's, counts for them and is fresh at `now`; else the sentence why not."""
    counts = counting(person)
    counted = proof is not None and proof.person == person.pk and proof.way in counts
    if counted and proof is not None and -SKEW <= now - proof.at <= settings.PROOF_LASTS:
        return None
    return _sentence(counts)


def _sentence(counts: frozenset[Way]) -> str:
    minutes = f"It counts for {settings.PROOF_LASTS // timedelta(minutes=1)} minutes."
    if counts == SECOND_FACTORS:
        return f"You will be asked for your second factor first. {minutes}"
    if Way.PASSWORD in counts:
        return f"You will be asked for your password first. {minutes}"
    if Way.SINGLE_SIGN_ON in counts:
        return (
            f"Sign out, and in again with your single sign-on, first. {minutes} If you read this again then, your provider"
            " does not say when it asked you: ask whoever runs this desk for a link, and set a password."
        )
    return (
        "You have no password yet, and it is too long ago that you signed in with a link. Ask whoever runs this desk for"
        " another link, and set a password then."
    )


def can_be_asked(person: User) -> bool:
    """Whether this person can prove it on a page here, without signing in again."""
    return bool(counting(person) & (SECOND_FACTORS | {Way.PASSWORD}))


def require_fresh(proof: Proof | None, *, person: User, now: datetime) -> None:
    """Raise `NotFresh` with the sentence unless this person proved who they are, in a way that counts, lately."""
    refused = stale(proof, person=person, now=now)
    if refused is not None:
        raise NotFresh(refused)

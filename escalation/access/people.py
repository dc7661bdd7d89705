"""People are made, made inactive and active again, and their sessions ended; nobody is ever removed."""

from datetime import datetime
from typing import Final

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session

from escalation.access.changing import By, NotChanged, changing, note, person_called
from escalation.models import SignInLink, User
from escalation.models.access_change import Change
from escalation.policy import administrators
from escalation.sign_in_link import make_sign_in_link

ONLY_ONE: Final = "You are the only administrator of this desk. Give somebody else that role first."
ANOTHER: Final = "Nobody does this to themselves; another administrator does."


def require_another(person: User, *, by: User) -> None:
    """Raise `NotChanged` where somebody would take away their own administration."""
    if person == by:
        raise NotChanged(ANOTHER if [one for one in administrators() if one != person] else ONLY_ONE)


def make_person(name: str, *, by: By) -> tuple[User, str]:
    """Make a person who holds no role yet; return them, and the token of a link that signs them in once.

    Raises as `changing` does, and `NotChanged`: no two people have names that differ only in capitals.
    """
    with changing(by) as who:
        if User.objects.filter(username__iexact=name).exists():
            raise NotChanged("There is somebody of this name already; capitals make no difference.")
        person = User(username=name, date_joined=by.now)
        person.set_unusable_password()
        person.save(force_insert=True)
        note(Change.PERSON_MADE, person, by=who, now=by.now)
        return person, make_sign_in_link(person, now=by.now)


def make_link(pk: int, *, by: By) -> tuple[User, str]:
    """Make a link that signs somebody in once, in place of earlier ones; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        person = person_called(pk)
        if person == who:
            raise NotChanged("Nobody makes a sign-in link for themselves; another administrator does.")
        if not person.is_active:
            raise NotChanged(f"{person.username} is inactive, and no link would sign them in.")
        note(Change.LINK_MADE, person, by=who, now=by.now)
        return person, make_sign_in_link(person, now=by.now)


def deactivate(pk: int, *, by: By) -> User:
    """Let somebody in no more: their sessions and links end, their roles count nothing. They stay on record.

    Raises as `changing` does, and `NotChanged`: nobody does it to themselves, so that an administrator is always left.
    """
    with changing(by) as who:
        person = person_called(pk)
        require_another(person, by=who)
        _turned(person, active=False)
        _end_ways_in(person, now=by.now)
        note(Change.PERSON_DEACTIVATED, person, by=who, now=by.now)
        return person


def reactivate(pk: int, *, by: By) -> User:
    """Let somebody in again, with the roles they still hold; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        person = person_called(pk)
        _turned(person, active=True)
        note(Change.PERSON_REACTIVATED, person, by=who, now=by.now)
        return person


def end_sessions(pk: int, *, by: By) -> User:
    """Sign somebody out everywhere, and end their links; raises as `changing` does, and `NotChanged`."""
    with changing(by) as who:
        person = person_called(pk)
        _end_ways_in(person, now=by.now)
        note(Change.SESSIONS_ENDED, person, by=who, now=by.now)
        return person


def _turned(person: User, *, active: bool) -> None:
    if not User.objects.filter(pk=person.pk, is_active=not active).update(is_active=active):
        raise NotChanged(f"{person.username} is {'active' if active else 'inactive'} already.")


def _end_ways_in(person: User, *, now: datetime) -> None:
    """End every session and link of a person. Whose a session is stands in the session, so all that run are looked at."""
    SignInLink.objects.filter(user=person, ended_at=None).update(ended_at=now)
    running = Session.objects.filter(expire_date__gt=now).iterator()
    theirs = [one.pk for one in running if one.get_decoded().get(SESSION_KEY) == str(person.pk)]
    Session.objects.filter(pk__in=theirs).delete()

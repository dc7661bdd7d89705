"""The one shape of every change of people, roles and keys: one at a time, by somebody who is an administrator then.

Two administrators who take each other's role away would leave a desk without any, if both were judged by what they saw.
So every change waits for the one before it, and is judged by the rows as they are then: whoever comes second is no
administrator any more. And nobody takes their own administration away. So there is always one left.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import connection, transaction

from escalation.decisions.taking import require_may, require_proof
from escalation.models import AccessChange, User
from escalation.models.access_change import Change
from escalation.policy import May
from escalation.proof import Proof

# A number of our own for PostgreSQL's advisory lock.
_LOCK: Final = 0x756E726573


class NotChanged(Exception):
    """Nothing was changed; the message is the sentence that says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who changes something at the screen, when, and how they last proved who they are."""

    person: User
    now: datetime
    proof: Proof | None = None


@contextmanager
def changing(by: By) -> Iterator[User]:
    """Change people, roles or keys in one transaction, alone; yields who does it as they are then.

    Raises `decisions.NotAllowed` for whoever is no administrator by then, and `proof.NotFresh`. Whatever is raised inside
    undoes it all.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        who = User.objects.get(pk=by.person.pk)
        require_may(who, May.ADMINISTER, recipient=None)
        require_proof(who, May.ADMINISTER, proof=by.proof, now=by.now)
        yield who


def person_called(pk: int) -> User:
    """Return the person with this row id; raises `NotChanged`."""
    found = User.objects.filter(pk=pk).first()
    if found is None:
        raise NotChanged("There is no such person.")
    return found


def note(act: Change, person: User, *, by: User | None, now: datetime) -> None:
    """Write what was done to a person's way in; `by` None: on the desk's host."""
    AccessChange.objects.create(act=act.value, person=person, at=now, by=by)

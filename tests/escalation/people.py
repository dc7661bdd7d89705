"""People of the desk, with the roles they hold."""

from datetime import datetime

from escalation.access import By
from escalation.models import RoleGrant, User
from escalation.policy import Role
from escalation.proof import Proof, Way
from operations.models import Recipient
from tests.escalation.building import T0


def with_role(name: str, *roles: Role, recipient: Recipient | None = None) -> User:
    """Somebody who holds these roles, for one recipient or for every one."""
    person = User.objects.create_user(name)
    for role in roles:
        RoleGrant.objects.create(person=person, role=role.value, recipient=recipient, given_at=T0)
    return person


def viewer(name: str = "reader") -> User:
    """Somebody who may read every recipient and do nothing."""
    return with_role(name, Role.VIEWER)


def proved(person: User, *, at: datetime) -> Proof:
    """That somebody without a second factor proved who they are, in the way that counts for them."""
    return Proof(person=person.pk, way=Way.PASSWORD if person.has_usable_password() else Way.LINK, at=at)


def by(person: User, *, at: datetime) -> By:
    """Somebody at the screen who proved a moment ago who they are."""
    return By(person=person, now=at, proof=proved(person, at=at))

"""People of the desk, with the roles they hold."""

from escalation.models import RoleGrant, User
from escalation.policy import Role
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

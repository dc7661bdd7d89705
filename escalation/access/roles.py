"""Roles are given and ended, for one recipient or for every one; what was given stays on record."""

from escalation.access.changing import By, NotChanged, changing, person_called
from escalation.access.people import require_another
from escalation.models import RoleGrant
from escalation.policy import May, Role, why_not


def give_role(pk: int, role: Role, *, recipient: int | None, by: By) -> RoleGrant:
    """Give somebody a role for a recipient (row id), None for every one.

    Raises as `changing` does, and `NotChanged`: nobody gives themselves a role, and none is given twice.
    """
    with changing(by) as who:
        person = person_called(pk)
        if person == who:
            raise NotChanged("Nobody gives roles to themselves; another administrator does.")
        if not person.is_active:
            raise NotChanged(f"{person.username} is inactive; make them active first.")
        if RoleGrant.objects.held().filter(person=person, role=role.value, recipient=recipient).exists():
            raise NotChanged(f"{person.username} holds that role there already.")
        return RoleGrant.objects.create(
            person=person, role=role.value, recipient_id=recipient, given_at=by.now, given_by=who
        )


def end_role(grant: int, *, person: int, by: By) -> RoleGrant:
    """End a role that a person holds (row ids); raises as `changing` does, and `NotChanged`.

    Nobody ends the role by which they administer, so that an administrator is always left.
    """
    with changing(by) as who:
        held = RoleGrant.objects.held().select_related("person", "recipient")
        row = held.filter(pk=grant, person=person).first()
        if row is None:
            raise NotChanged("That role was ended already, or never given.")
        row.ended_at, row.ended_by = by.now, who
        row.save(update_fields=["ended_at", "ended_by"])
        if why_not(who, May.ADMINISTER, recipient=None) is not None:
            require_another(row.person, by=who)
        return row

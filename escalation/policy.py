"""Who may do what: a table of roles, and questions that are answered with None or with the sentence why not.

Identity comes from the browser's session only (views pass `request.user`); no key and no command line gets here. What
is permitted at all is the core's to say; this says who of the people may do it (screens.md, Six doors).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from escalation.models import RoleGrant, User
from operations.core.worded import Worded


class May(Worded):
    """One thing that people do; `sentence` is how it goes on after "You may not"."""

    ASK = "ask", "have the desk ask this recipient"
    INSPECT = "inspect", "record what this recipient's staff or screens say"
    REPAIR_RECORD = "repair_record", "repair our record of this recipient's operations"
    LEAVE_UNRESOLVED = "leave_unresolved", "stop here and leave this recipient's outcomes unresolved"
    REPEAT = "repeat", "have requests to this recipient repeated"
    CLOSE_ORIGINAL = "close_original", "have operations closed at this recipient"
    AUTHORISE_NEW = "authorise_new", "authorise new operations at this recipient"
    PROPOSE_EXCEPTION = "propose_exception", "propose to accept a risk at this recipient"
    APPROVE_EXCEPTION = "approve_exception", "accept a risk at this recipient"
    EDIT_CONTRACT = "edit_contract", "write or publish this recipient's contract"
    PACE = "pace", "pause or resume asking this recipient"
    ADMINISTER = "administer", "change people, roles, keys and addresses"


class Role(StrEnum):
    """What somebody is trusted with; whoever holds any role for a recipient may read it."""

    VIEWER = "viewer"
    REVIEWER = "reviewer"
    OPERATOR = "operator"
    AUTHORISER = "authoriser"
    RISK_OWNER = "risk owner"
    CONTRACT_EDITOR = "contract editor"
    ADMINISTRATOR = "administrator"


_REVIEWS: Final = frozenset({May.ASK, May.INSPECT, May.REPAIR_RECORD, May.LEAVE_UNRESOLVED, May.PROPOSE_EXCEPTION})
HOLDS: Final[Mapping[Role, frozenset[May]]] = {
    Role.VIEWER: frozenset(),
    Role.REVIEWER: _REVIEWS,
    Role.OPERATOR: _REVIEWS | {May.REPEAT, May.CLOSE_ORIGINAL, May.PACE},
    Role.AUTHORISER: _REVIEWS | {May.AUTHORISE_NEW},
    Role.RISK_OWNER: frozenset({May.APPROVE_EXCEPTION}),
    Role.CONTRACT_EDITOR: frozenset({May.EDIT_CONTRACT}),
    Role.ADMINISTRATOR: frozenset({May.ADMINISTER, May.PACE}),
}


def roles_of(person: User, *, recipient: int | None) -> frozenset[Role]:
    """Return the roles that somebody holds for a recipient (row id), those for every recipient included.

    Who was made administrator on the host itself (`manage.py sign_in_link --first`) holds them all; nobody inactive
    holds any.
    """
    if not person.is_active:
        return frozenset()
    if person.is_superuser:
        return frozenset(Role)
    grants = RoleGrant.objects.held().filter(person=person)
    return frozenset([Role(grant.role) for grant in grants if grant.recipient_id in (None, recipient)])


def why_not(person: User, what: May, *, recipient: int | None) -> str | None:
    """Return None, or the sentence that says why this person may not; `recipient` is a row id, None for every one."""
    if any(what in HOLDS[role] for role in roles_of(person, recipient=recipient)):
        return None
    wanted = " or ".join([f"“{role.value}”" for role, holds in HOLDS.items() if what in holds])
    return (
        f"You may read, but not {what.sentence}. It takes the role {wanted}; an administrator of this desk can give it."
    )

"""Who may have the desk ask a recipient. Asking decides nothing and changes nothing there."""

from escalation.models import User


def may_ask_recipient(person: User) -> str | None:
    """Return None, or the sentence that says why this person may not have the desk ask."""
    if person.has_perm("escalation.repair_record"):
        return None
    return "You may read, but not ask recipients; an administrator of this desk can allow it."

"""The settings of the four eyes in words: what holds now, and what held before."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Q

from escalation.models import FourEyesRule, RiskLimit, User
from escalation.policy import DOORS, Reads, own_limit

MOST_ENDED: Final = 100
_DOORS: Final = {door.value: words for door, words in DOORS.items()}


@dataclass(frozen=True, slots=True)
class Said:
    """One setting as a sentence; `kind` and the row's number say which it is.

    `own` is the sentence why this reader does not end it, None where they may as far as that goes.
    """

    kind: str
    row: FourEyesRule | RiskLimit
    sentence: str
    own: str | None = None


def _where(row: FourEyesRule | RiskLimit) -> str:
    return "at every recipient" if row.recipient is None else f"at {row.recipient.name}"


def sentence_of(row: FourEyesRule | RiskLimit) -> str:
    """Return a setting in words; its recipient and person are read with it."""
    if isinstance(row, FourEyesRule):
        when = "always" if row.money is None else f"from {row.money} on"
        return f"It takes two people to {_DOORS[row.door]}, {_where(row)}: {when}."
    who = f"Whoever holds the role “{row.role}”" if row.person is None else row.person.username
    most = "risks that are stated in words" if row.money is None else f"risks up to {row.money}"
    return f"{who} may accept {most}, {_where(row)}."


def _here(reads: Reads) -> Q:
    """Those for every recipient, and those for one that may be read."""
    return Q() if reads.ids is None else Q(recipient=None) | reads.at("recipient_id")


def rules(*, ended: bool, reads: Reads) -> list[Said]:
    """Return the rules in force, or those that were ended, the newest first."""
    rows = FourEyesRule.objects.filter(_here(reads)).select_related("recipient", "set_by", "ended_by")
    return [
        Said("rule", row, sentence_of(row))
        for row in rows.filter(ended_at__isnull=not ended).order_by("-id")[:MOST_ENDED]
    ]


def limits(*, ended: bool, reads: Reads, reader: User) -> list[Said]:
    """Return the limits in force, or those that were ended, the newest first."""
    rows = RiskLimit.objects.filter(_here(reads)).select_related("recipient", "person", "set_by", "ended_by")
    found = rows.filter(ended_at__isnull=not ended).order_by("-id")[:MOST_ENDED]
    return [Said("limit", row, sentence_of(row), None if ended else own_limit(reader, row)) for row in found]

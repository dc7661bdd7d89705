"""Rules of two people and limits, set and ended, as lines of the audit list: who changed how much one person may do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from django.db.models import Q

from escalation.models import FourEyesRule, RiskLimit
from escalation.screens import audit_line
from escalation.screens.audit_line import Line, place
from escalation.screens.rules import sentence_of

if TYPE_CHECKING:
    from escalation.models import User
    from operations.auditing.acts import Asked

RULE_SET, RULE_ENDED, LIMIT_SET, LIMIT_ENDED = "rule_set", "rule_ended", "limit_set", "limit_ended"
NAMES: Final[Mapping[str, str]] = {
    RULE_SET: "Had a second person asked for",
    RULE_ENDED: "Ended a rule of two people",
    LIMIT_SET: "Let somebody accept risks",
    LIMIT_ENDED: "Ended a limit of accepting risks",
}
_KINDS: Final = {
    RULE_SET: audit_line.RULE_SET,
    RULE_ENDED: audit_line.RULE_ENDED,
    LIMIT_SET: audit_line.LIMIT_SET,
    LIMIT_ENDED: audit_line.LIMIT_ENDED,
}


def lines(asked: Asked) -> Iterator[Line]:
    """Yield every setting of the recipients that are asked about, and every end of one; there are few of them."""
    if asked.act not in ("", *NAMES):
        return
    for rule in FourEyesRule.objects.filter(_here(asked)).select_related("recipient", "set_by", "ended_by"):
        yield from _lines(rule, RULE_SET, RULE_ENDED)
    for limit in RiskLimit.objects.filter(_here(asked)).select_related("recipient", "person", "set_by", "ended_by"):
        yield from _lines(limit, LIMIT_SET, LIMIT_ENDED)


def _here(asked: Asked) -> Q:
    among = Q() if asked.among is None else Q(recipient=None) | Q(recipient__in=asked.among)
    return among & Q(recipient__key=asked.recipient) if asked.recipient else among


def _lines(row: FourEyesRule | RiskLimit, begun: str, ended: str) -> Iterator[Line]:
    yield _line(row, begun, row.set_at, row.set_by)
    if row.ended_at is not None and row.ended_by is not None:
        yield _line(row, ended, row.ended_at, row.ended_by)


def _line(row: FourEyesRule | RiskLimit, act: str, at: datetime, by: User) -> Line:
    return Line(
        key=place(at, row.pk, kind=_KINDS[act]),
        at=at,
        by=by.username,
        act=act,
        name=NAMES[act],
        result=sentence_of(row),
    )

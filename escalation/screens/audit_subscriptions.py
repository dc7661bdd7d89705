"""What was changed about programs that are told, as lines of the audit list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from escalation.models import SubscriptionChange
from escalation.models.subscription import SubscriptionAct
from escalation.screens.audit_line import OF_A_SUBSCRIPTION, Line, place
from operations.auditing.acts import Asked

NAMES: Final[Mapping[str, str]] = {
    SubscriptionAct.MADE: "Had a program told",
    SubscriptionAct.ENDED: "Had a program told no more",
    SubscriptionAct.PAUSED: "Paused what a program is told",
    SubscriptionAct.RESUMED: "Let what a program is told go on",
    SubscriptionAct.KEY_ADDED: "Signed with one more key for a program",
    SubscriptionAct.KEY_ENDED: "Signed with a key for a program no more",
    SubscriptionAct.TESTED: "Sent a program a test",
    SubscriptionAct.SENT_AGAIN: "Sent a program an event again",
    SubscriptionAct.GONE: "A program wanted to be told no more",
}


def lines(asked: Asked, *, before: int | None) -> list[Line]:
    """Return the changes behind `before` that fit, to whoever reads every recipient: a program may be told of any."""
    if asked.among is not None or asked.recipient:
        return []
    stated = {
        "act": asked.act or None,
        "by__username": asked.person or None,
        "at__gte": asked.since,
        "at__lt": asked.until,
    }
    rows = SubscriptionChange.objects.filter(**{name: value for name, value in stated.items() if value is not None})
    found = map(_line, rows.select_related("subscription", "by").order_by("-id"))
    return [line for line in found if before is None or line.key < before]


def _line(row: SubscriptionChange) -> Line:
    return Line(
        key=place(row.at, row.pk, kind=OF_A_SUBSCRIPTION),
        at=row.at,
        by="the desk" if row.by is None else row.by.username,
        act=row.act,
        name=NAMES[row.act],
        result=f"{row.subscription}. {row.said}".strip(),
    )

"""What a program is told: one JSON document, written when it is first sent and the same whenever it is sent again.

It says what the event was, and what stands as it is written. It holds no secret, no request and no answer of a
recipient; what others wrote is made one line and cut.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.conf import settings
from django.urls import reverse

from escalation.models import Case, OutboxEvent
from escalation.models.outbox import TEST
from escalation.models.subscription import EventKind
from escalation.notify.plain import one_line
from escalation.screens.sight import Sight, sight_of
from operations import reading
from operations.api.decided import SAYS, Says
from operations.reading.owed import results_owed

if TYPE_CHECKING:
    from operations.models import Decision

LONGEST_EFFECT: Final = 300
LONGEST_NAME: Final = 255


def message_id(key: UUID) -> str:
    """Return the id that a program knows an event by, whenever it is sent."""
    return f"event_{key.hex}"


def composed(event: OutboxEvent, *, now: datetime) -> str | None:
    """Return the document; None where there is nothing to tell any more: the result is not owed by now."""
    data = {"sequence": event.pk}
    if event.kind != TEST:
        assert event.operation_id is not None  # noqa: S101  # the database keeps it so
        more = _about(event, event.operation_id, now=now)
        if more is None:
            return None
        data |= more
    return json.dumps({"type": event.kind, "timestamp": _iso(event.made_at), "data": data}, ensure_ascii=False)


def _about(event: OutboxEvent, operation_id: UUID, *, now: datetime) -> dict[str, Any] | None:
    owed = _owed(operation_id) if event.kind == EventKind.RESULT_OWED else None
    if event.kind == EventKind.RESULT_OWED and owed is None:
        return None
    read = reading.operation(operation_id)
    sight = sight_of(read, read.operation.completions.order_by("position").last(), now=now)
    return {
        "operation": _operation(sight),
        "standing": _standing(sight),
        "changed": _changed(event.about) if event.kind == EventKind.STANDING_CHANGED else None,
        "permitted": [action.value for action, refusal in sight.verdict.items() if refusal is None],
        "case": _case(operation_id),
        "decision": _decision(sight, event.about),
        "owed": owed,
    }


def _operation(sight: Sight) -> dict[str, Any]:
    row = sight.operation
    return {
        "id": str(row.id),
        "number": row.number,
        "recipient": row.recipient.key,
        "identity": one_line(row.identity, most=LONGEST_NAME),
        "effect": one_line(row.effect, most=LONGEST_EFFECT),
        "run": one_line(row.run, most=LONGEST_NAME),
        "call": one_line(row.call, most=LONGEST_NAME),
        "deadline": _iso(row.deadline),
        "link": _link(row.number),
    }


def _link(number: int) -> str:
    path = reverse("operation", args=[number])
    return settings.PUBLIC_URL.rstrip("/") + path if settings.PUBLIC_URL else ""


def _standing(sight: Sight) -> dict[str, Any]:
    found = sight.standing
    return {
        "as_of": _iso(sight.now),
        "revision": sight.operation.revision,
        "evidence": found.evidence,
        "finality": found.finality,
        "protection": found.protection,
        "protection_until": _iso(reading.moment(found.protection_until)),
        "conflict": found.conflict,
        "duplicate_effect": found.duplicate_effect,
        "further_effect": found.further_effect,
    }


def _changed(about: Mapping[str, Any]) -> dict[str, Any]:
    return {"revision": about["revision"], "from": about["from"], "to": about["to"]}


def _case(operation_id: UUID) -> dict[str, Any] | None:
    """Return the newest case, open or not; who looks after it is the desk's own affair."""
    case = Case.objects.filter(operation=operation_id).order_by("-nth").first()
    if case is None:
        return None
    reasons = case.reasons.filter(ended_at=None).order_by("since", "pk").values_list("reason", flat=True)
    return {
        "nth": case.nth,
        "opened_at": _iso(case.opened_at),
        "closed_at": _iso(case.closed_at),
        "reasons": list(reasons),
    }


def _decision(sight: Sight, about: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the decision that an event is about, else the newest there is; by whom is the desk's own affair."""
    rows = sight.operation.decisions.order_by("-position")
    row: Decision | None = rows.filter(pk=about["decision"]).first() if "decision" in about else rows.first()
    if row is None:
        return None
    again = row.content.get("look_again_at")
    return {
        "id": str(row.pk),
        "says": SAYS.get(row.door, Says.DECIDED).value,
        "door": row.door,
        "at": _iso(row.decided_at),
        "look_again_at": again if isinstance(again, str) else None,
    }


def _owed(operation_id: UUID) -> dict[str, Any] | None:
    found = next(iter(results_owed(among=None, limit=1, operation=operation_id)), None)
    if found is None:
        return None
    return {"since": _iso(found.since), "why": [word.value for word in found.why]}


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")

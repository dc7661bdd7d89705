"""What people took down about an operation, and what of it waits for a second person and counts for nothing."""

import json
from typing import TYPE_CHECKING

from escalation.models import Inspection
from escalation.screens.sight import Sight
from operations import inspecting

if TYPE_CHECKING:
    from django.db.models import QuerySet


def waiting(sight: Sight) -> "QuerySet[Inspection]":
    """Return what waits for a second person, or was put aside, the newest first; attachments are not loaded."""
    rows = Inspection.objects.filter(operation=sight.operation, observation=None).defer("attachment", "payload")
    return rows.select_related("recorded_by", "rejected_by").order_by("-recorded_at")


def ways(sight: Sight) -> tuple[tuple[str, str], ...]:
    """Return the channels through which a person may take down what they read: (channel, what it is)."""
    return tuple([(name, channel.about) for name, channel in inspecting.channels(sight.operation)])


def as_read(row: Inspection) -> str:
    """Return what the contract will read, as text with its lines apart."""
    return json.dumps(json.loads(bytes(row.payload)), indent=2, ensure_ascii=False)

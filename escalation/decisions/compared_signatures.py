"""What was proposed for a second signature says what the chained decision says that was signed on it.

Only what was signed is held against the chain: what was declined, taken back or never signed decided nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps

from escalation.decisions.signing import NAMED, named
from escalation.models import SecondSignature
from escalation.models.second_signature import State

_AT_ONCE = 500


def _wrong(row: SecondSignature) -> str | None:
    """Return what a signed proposal says otherwise than its decision, None where both say the same."""
    decision = row.signature
    if decision is None:
        return None
    if decision.content.get(NAMED) != named(row)[NAMED]:
        return "changed. The chain names another proposal, or this one as it was before."
    signer = None if row.ended_by is None else row.ended_by.username
    if (signer, row.ended_at) != (decision.decided_by, decision.decided_at):
        return "changed. The chain says otherwise of who signed it, and when."
    stated = {name: decision.content.get(name) for name in row.content}
    if (row.door, row.action, row.operation_id) != (decision.door, decision.action, decision.operation_id):
        return "changed. The chain has another decision there."
    return "changed. What was signed is not what was proposed." if stated != row.content else None


def compared() -> Iterator[str]:
    """Yield in a sentence each proposal that differs from the decision that was signed on it, or that is gone."""
    rows = SecondSignature.objects.filter(ended_as=State.SIGNED.value).order_by("pk")
    for row in rows.select_related("signature", "operation", "proposed_by", "ended_by").iterator(chunk_size=_AT_ONCE):
        why = _wrong(row)
        if why is not None:
            yield f"operation {row.operation.number}, secondsignature {row.pk}: {why}"
    decision: Any = apps.get_model("operations", "Decision")
    signed = decision.objects.filter(content__has_key=NAMED, second_signature=None).select_related("operation")
    for one in signed.order_by("pk").iterator(chunk_size=_AT_ONCE):
        yield f"operation {one.operation.number}, secondsignature of {one.pk}: removed. Only its decision is left."

"""An operation whose record was completed comes back when what is learnt later contradicts it; this says in what.

design.md, rule 7: late truth is always stored, then judged; a contradiction reopens the case.
"""

from escalation.screens.receipts import our_record
from escalation.screens.sight import Sight, is_of_an_effect
from operations.core.standing import Evidence, Finality


def _since_then(sight: Sight) -> str:
    standing = sight.standing
    if standing.conflict is not None:
        return "the recipient contradicts itself."
    if standing.evidence is Evidence.APPLIED and standing.duplicate_effect:
        return f"the recipient names {len(standing.effect_refs)} effects: {', '.join(standing.effect_refs)}."
    if standing.evidence is Evidence.APPLIED:
        return "the recipient says that it happened."
    if standing.finality is Finality.EXCLUDED:
        return "it is established that nothing can come of it."
    return "what it rests on settles nothing any more, and no outcome is established."


def reopened(sight: Sight) -> str | None:
    """Return what our record says and what contradicts it, None where there is no record or nothing does."""
    if sight.completion is None or sight.recorded:
        return None
    return f"Our record says: {our_record(sight)} Since then {_since_then(sight)}"


def in_short(sight: Sight) -> str | None:
    """Return the same for one line of the queue."""
    if sight.completion is None or sight.recorded:
        return None
    said = "it happened" if is_of_an_effect(sight.completion) else "it did not happen"
    return f"our record says that {said}; since then {_since_then(sight).rstrip('.')}"

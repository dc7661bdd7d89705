"""A recipient's reference is known to be the operation's once an answer that counts has named it, whatever the answer says.

An answer that reports `pending` or `accepted` names what can be asked for from then on (a SID, a Location); that the
effect exists it doesn't say, so it is none of the standing's `effect_refs`.
"""

from operations.core.standing import Standing


def known_references(standing: Standing) -> frozenset[str]:
    """Return the recipient's references that counting answers have tied to the operation."""
    left_out = {one.event for one in standing.not_counted}
    return frozenset(
        [
            observation.effect_ref
            for index, observation in standing.weighed.facts.observations
            if observation.effect_ref is not None and index not in left_out
        ]
    )

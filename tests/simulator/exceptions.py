"""The corners in which the law and the worlds part, each listed with its reason and pinned in test_simulated.py.

Nothing is skipped: a finding is put down to a corner only if everything the corner is made of is there. All but
`STRAGGLER` and `WITHDRAWN` are caution without need: an action is refused, or a further effect called possible, though
no world has the harm. Those two rest on something that the law takes for granted and does not say in full.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from operations.core.conflicts import ConflictKind
from operations.core.protection import ProtectionReason
from operations.core.standing import Standing
from tests.simulator.terms import FAR, repeat_acts
from tests.simulator.view import View


class Corner(StrEnum):
    """One listed exception; its value says what happens there."""

    STRAGGLER = "a repeat under a stated protection, beside a copy sent without protection that arrives after its end"
    WITHDRAWN = "a further effect is excluded by the contract's terms though the recipient withdrew the protection"
    UNRECORDED = "a contradiction with a closure that a submission not on record, sent since, could explain"
    CLOSED_STILL_COUNTED = "a further effect is possible by the law, though a closure covers all but one attempt"
    CLOSED_ELSEWHERE = "a repeat is refused for an attempt in another scope though a closure covers that attempt"


def _closure_of_earlier(view: View) -> bool:
    return not view.setting.for_good and any(saying.says == "closed" for saying, _ in view.dated)


def _straggler(view: View, standing: Standing) -> bool:
    """Every harmful world has a copy of an attempt sent without protection that arrives after the stated end."""
    harmful = view.worlds & repeat_acts(view.setting.terms, view.universe)
    stated = view.statement is not None and view.statement[0] == FAR
    return stated and not harmful & ~view.universe.mask("something straggles")


def _withdrawn(view: View, standing: Standing) -> bool:
    return view.withdrawn


def _unrecorded(view: View, standing: Standing) -> bool:
    """Every world that needs no contradiction has a submission which is not on record."""
    kinds = (ConflictKind.APPLIED_AND_CLOSED, ConflictKind.ACTIVE_AFTER_CLOSED)
    explained = _closure_of_earlier(view) and view.incomplete and standing.conflict in kinds
    return explained and not view.worlds & ~view.universe.mask("stranger", 0)


def _closed_still_counted(view: View, standing: Standing) -> bool:
    return _closure_of_earlier(view) and not view.incomplete and len(view.can_act()) <= 1


def _closed_elsewhere(view: View, standing: Standing) -> bool:
    """The attempts that went out elsewhere can't act in any world."""
    scopes, repeat = view.setting.terms.scopes, view.setting.terms.repeat_scope
    elsewhere = [number for number in view.can_act() if scopes[number] != repeat]
    reason = standing.protection_reason is ProtectionReason.SCOPE_DIFFERS
    return reason and _closure_of_earlier(view) and not elsewhere


_CORNERS: Final[Mapping[str, tuple[Corner, Callable[[View, Standing], bool]]]] = {
    "repeat: permitted, and a world with a second effect": (Corner.STRAGGLER, _straggler),
    "repeat: manners, and a world with a second effect": (Corner.STRAGGLER, _straggler),
    "further effect excluded, though protection was withdrawn": (Corner.WITHDRAWN, _withdrawn),
    "conflict without need": (Corner.UNRECORDED, _unrecorded),
    "further effect possible, and no world with two": (Corner.CLOSED_STILL_COUNTED, _closed_still_counted),
    "repeat: refused for a harm that no world has": (Corner.CLOSED_ELSEWHERE, _closed_elsewhere),
}


def corner_of(check: str, view: View, standing: Standing) -> Corner | None:
    """Return the listed exception which this finding is, or None: it is a fault."""
    if check not in _CORNERS:
        return None
    corner, is_it = _CORNERS[check]
    return corner if is_it(view, standing) else None

"""What each action leads to, at most, in every history that the facts allow: none, one, or too many.

The proof behind an open or a locked door (semantics.md, Permitted actions): an action that sends is open only where no
history gives a second effect.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from operations.core.actions import Action
from operations.core.facts import After, ClosureCovers, Facts, Guarantee, Seconds
from operations.core.histories import History, HistoryKind, told_apart
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import Standing, infer
from operations.core.submitted import open_successors

UNKNOWN: Final = "unknown"
Effects: TypeAlias = int | Literal["unknown"]
MOST: Final = 2  # a person needs to tell none, one and too many apart


@dataclass(frozen=True, slots=True)
class Consequence:
    """The most effects that could exist over the operation and its successors, per action, in one history.

    0, 1, 2 (two or more), or "unknown" where nothing that the recipient says bounds it. `stop` is for every action
    that sends nothing; `repeat_after_window` is None unless protection is active and will end.
    """

    history: History
    stop: Effects
    repeat: Effects
    repeat_after_window: Effects | None
    propose_new: Effects

    def of(self, action: Action) -> Effects:
        """Return the cell of `action`; what an exception allows counts as a new operation."""
        if action is Action.REPEAT:
            return self.repeat
        return self.propose_new if action in (Action.PROPOSE_NEW, Action.EXCEPT) else self.stop


def _most(effects: int) -> int:
    return min(effects, MOST)


def _first_effect(history: History, standing: Standing, *, protected: bool) -> int:
    """Return how many effects a repeat adds where nothing acted and nothing will."""
    if history.kind is HistoryKind.REFUSED:
        return 0  # the same bytes under the same identity are refused whenever they arrive
    if history.kind is HistoryKind.CLOSED:
        return 0 if standing.weighed.facts.contract.closure.covers is ClosureCovers.IDENTITY else 1
    if history.kind is HistoryKind.CAME_TO_NOTHING and protected:
        return 0  # every outcome is kept under the identity, this one too, and is given again
    return 1


def _repeat(history: History, standing: Standing, before: int) -> Effects:
    if not history.acted + history.may_act:
        return _most(before + _first_effect(history, standing, protected=standing.protection is Protection.ACTIVE))
    if standing.protection is Protection.ACTIVE:
        return _most(before)
    return _unprotected(standing, before)


def _unprotected(standing: Standing, before: int) -> Effects:
    """Return the effects after a repeat that nothing collapses for sure: counted where the recipient says so."""
    terms = standing.weighed.facts.contract.protection
    runs = {
        ProtectionReason.CONTRACT_HAS_NONE: True,
        ProtectionReason.WITHDRAWN: True,
        ProtectionReason.LAPSED: terms.after is After.RUNS_AS_NEW,
    }
    reason = standing.protection_reason
    return _most(before + 1) if reason is not None and runs.get(reason, False) else UNKNOWN


def _will_end(standing: Standing) -> bool:
    if standing.protection is not Protection.ACTIVE:
        return False
    terms = standing.weighed.facts.contract.protection
    no_end_yet = not isinstance(terms.guaranteed_for, Guarantee) and terms.after is not After.REFUSED
    return standing.protection_until is not None or no_end_yet


def _repeat_after_window(history: History, standing: Standing, before: int) -> Effects | None:
    if not _will_end(standing):
        return None
    if not history.acted + history.may_act:
        return _most(before + _first_effect(history, standing, protected=False))
    after = standing.weighed.facts.contract.protection.after
    if after is After.REFUSED:
        return _most(before)
    return _most(before + 1) if after is After.RUNS_AS_NEW else UNKNOWN


def _consequence(history: History, standing: Standing, successors: int) -> Consequence:
    before = history.acted + history.may_act + successors
    return Consequence(
        history=history,
        stop=_most(before),
        repeat=_repeat(history, standing, before),
        repeat_after_window=_repeat_after_window(history, standing, before),
        propose_new=_most(before + 1),
    )


def consequences(facts: Facts, now: Seconds) -> tuple[Consequence, ...]:
    """Return, per history that the facts allow at `now` (seconds), the most effects each action could lead to.

    Effects are counted over the operation and its successors; a successor that is open may act once.
    """
    standing = infer(facts, now=now)
    successors = len(open_successors(facts, now=now))
    return tuple([_consequence(history, under, successors) for history, under in told_apart(standing)])

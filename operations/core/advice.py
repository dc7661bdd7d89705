"""Advice orders what is permitted, the first sensible step first; it can neither add an action nor take one away.

What can be finished is finished first (record sends nothing). Then whoever can still teach something is asked, as long
as the answer can come in time; then the recipient's protection is used while it lasts. A risk is accepted last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from operations.core.actions import Action
from operations.core.facts import Authority, Channel, Reads, Seconds
from operations.core.missing import missing
from operations.core.permitted import Refusal, askable
from operations.core.protection import Protection
from operations.core.standing import Situation, Standing
from operations.core.worded import Worded


class Because(Worded):
    """Why an action stands where it stands in the order; `sentence` is what a reviewer reads."""

    CAN_BE_FINISHED = "can_be_finished", "The outcome is established: our record can be repaired, and nothing is sent."
    CAN_LEARN = "can_learn", "The recipient can be asked for what is missing; asking changes nothing."
    ONLY_CONFIRMS = "only_confirms", "Asking again can only confirm what is known."
    TOO_LATE_TO_LEARN = "too_late_to_learn", "No answer can come before the protection of a repeat ends."
    NO_QUOTA = "no_quota", "The number of times the recipient may be asked is used up for now."
    RECOGNISED = "recognised", "The recipient recognises a repeat, so it cannot act twice; its answer may settle it."
    FIRST_SEND = "first_send", "Nothing that was sent can act, so this would be the first to act."
    STILL_WANTED = "still_wanted", "Nothing that was sent can act; if the effect is still wanted, it needs its own yes."
    CAN_WAIT = "can_wait", "The outcome stays unknown; set a date to look again."
    AT_A_RISK = "at_a_risk", "Somebody has to answer for a second effect, or for none."


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a channel may be asked now: `quota` left (None: not limited), and not before `not_before` (seconds)."""

    quota: int | None = None
    not_before: Seconds | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """One permitted action in its place: why it stands there, and for `observe` which channel and from when."""

    action: Action
    because: Because
    channel: str | None = None
    not_before: Seconds | None = None


_ORDER: Final = (
    Action.RECORD,
    Action.OBSERVE,
    Action.REPEAT,
    Action.PROPOSE_NEW,
    Action.LEAVE_UNRESOLVED,
    Action.EXCEPT,
)
_AUTHORITY: Final = {Authority.HISTORY: 0, Authority.CURRENT: 1, Authority.DERIVED: 2}
_READS: Final = {Reads.STRONG: 0, Reads.EVENTUAL: 1, Reads.UNORDERED: 2}
_OF_LITTLE_USE: Final = frozenset({Because.ONLY_CONFIRMS, Because.TOO_LATE_TO_LEARN, Because.NO_QUOTA})
_UNLIMITED: Final = Pace()


def _chance(channel: Channel) -> tuple[int, int]:
    """Return how well a channel can settle things, the best first."""
    return _READS[channel.reads], _AUTHORITY[channel.authority]


def _teachers(standing: Standing) -> list[str]:
    """Return the channels that can be asked for a missing fact, those that can settle most first."""
    contract = standing.weighed.facts.contract
    able = {name for gap in missing(standing) for name in gap.channels}
    return sorted(able.intersection(askable(contract)), key=lambda name: (_chance(contract.channels[name]), name))


def _in_time(standing: Standing, pace: Pace) -> bool:
    ends = standing.protection_until
    return pace.not_before is None or ends is None or pace.not_before < ends


def _observe(standing: Standing, paces: Mapping[str, Pace], *, may_repeat: bool) -> Advice:
    teachers = _teachers(standing)
    if not teachers:
        return Advice(Action.OBSERVE, Because.ONLY_CONFIRMS)
    asked = [name for name in teachers if paces.get(name, _UNLIMITED).quota != 0]
    if not asked:
        return Advice(Action.OBSERVE, Because.NO_QUOTA)
    now = standing.weighed.now
    best = min(asked, key=lambda name: max(paces.get(name, _UNLIMITED).not_before or now, now))
    pace = paces.get(best, _UNLIMITED)
    because = Because.TOO_LATE_TO_LEARN if may_repeat and not _in_time(standing, pace) else Because.CAN_LEARN
    return Advice(Action.OBSERVE, because, best, pace.not_before)


_BECAUSE: Final = {
    Action.RECORD: Because.CAN_BE_FINISHED,
    Action.PROPOSE_NEW: Because.STILL_WANTED,
    Action.LEAVE_UNRESOLVED: Because.CAN_WAIT,
    Action.EXCEPT: Because.AT_A_RISK,
}


def _advised(standing: Standing, action: Action, paces: Mapping[str, Pace], *, may_repeat: bool) -> Advice:
    if action is Action.OBSERVE:
        return _observe(standing, paces, may_repeat=may_repeat)
    if action is Action.REPEAT:
        first = standing.situation is Situation.NOTHING_CAN_ACT
        return Advice(action, Because.FIRST_SEND if first else Because.RECOGNISED)
    return Advice(action, _BECAUSE[action])


def advice(
    standing: Standing, verdict: Mapping[Action, Refusal | None], *, paces: Mapping[str, Pace] | None = None
) -> tuple[Advice, ...]:
    """Return the permitted actions of `verdict`, the first sensible step first; `paces` by channel name.

    Asking stands first among what is not finished, unless no channel can teach anything in time: then it comes after
    what sends under protection, and before what leaves the outcome open.
    """
    may_repeat = verdict[Action.REPEAT] is None and standing.protection is Protection.ACTIVE
    steps = [
        _advised(standing, action, paces or {}, may_repeat=may_repeat) for action in _ORDER if verdict[action] is None
    ]
    return tuple(sorted(steps, key=_place))


def _place(step: Advice) -> tuple[int, int]:
    place = _ORDER.index(step.action)
    late = step.because in _OF_LITTLE_USE
    return (_ORDER.index(Action.PROPOSE_NEW), 1) if late else (place, 0)

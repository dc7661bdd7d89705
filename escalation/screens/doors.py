"""What may be done, one card an action: the core's verdict in words, why it is locked, and the way out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from escalation.screens.carried_on import carried_on
from escalation.screens.sight import Sight
from escalation.screens.taken_back import may_take_back
from operations import reading
from operations.asking import findable
from operations.core.actions import Action
from operations.core.advice import Advice
from operations.core.closing import Closing, ClosingBar
from operations.core.fates import late_copies
from operations.core.missing import missing
from operations.core.permitted import Bar, Kind, Refusal
from operations.core.standing import Situation
from operations.inspecting import channels


@dataclass(frozen=True, slots=True)
class Way:
    """A link into the page of an action: the name of its address, and what the link says."""

    page: str
    label: str


@dataclass(frozen=True, slots=True)
class Door:
    """One action. `state` is open, risky, locked or done; `way` leads to its page, where there is something to do.

    `may_not` is the sentence that says why this person gets no further, `two` that of the rule by which it takes two.
    """

    action: Action | Closing
    icon: str
    name: str
    sends: str
    state: str
    first: bool
    why: tuple[str, ...]
    way_out: str | None = None
    until: datetime | None = None
    facts: tuple[str, ...] = ()
    way: Way | None = None
    may_not: str | None = None
    two: str | None = None


_ICON: Final = {
    Action.RECORD: "book-check",
    Action.OBSERVE: "ask",
    Action.REPEAT: "repeat",
    Action.PROPOSE_NEW: "copy-plus",
    Action.EXCEPT: "triangle-alert",
    Action.LEAVE_UNRESOLVED: "flag",
}
NAME: Final = {
    Action.RECORD: "Repair our record",
    Action.OBSERVE: "Ask the recipient",
    Action.REPEAT: "Repeat the same request",
    Action.PROPOSE_NEW: "New request, or another desk",
    Action.EXCEPT: "Accept a risk",
    Action.LEAVE_UNRESOLVED: "Stop here, outcome unknown",
}
_SENDS: Final = {
    Action.RECORD: "Sends nothing",
    Action.OBSERVE: "Asks, changes nothing",
    Action.REPEAT: "Sends the same bytes again",
    Action.PROPOSE_NEW: "Creates a second operation",
    Action.EXCEPT: "Sends nothing; two people sign",
    Action.LEAVE_UNRESOLVED: "Sends nothing",
}
_WAY_OUT: Final = {
    Bar.CONTRADICTION: "a proof that one of the two statements belongs to something else, or a corrected answer.",
    Bar.HAPPENED: "none is needed: repair our record instead.",
    Bar.CLOSED: "none by a repeat. If the effect is still wanted, it needs a new request.",
    Bar.SETTLED: "none is needed: repair our record instead.",
    Bar.MAY_ACT: "the recipient closes the original for good, or shows that nothing that was sent can act.",
    Bar.IN_FLIGHT: "a final answer of the recipient.",
    Bar.TOO_SOON: "time.",
    Bar.NOT_ESTABLISHED: "a receipt that names this request, or a final answer that nothing came of it.",
}


NOTHING_SAID: Final[Mapping[Action, str | None]] = {}
_BARS: Final = {bar.value: bar for bar in Bar}


def name_of(action: Action, situation: Situation, *, sent: bool) -> str:
    """Return what an action is called here: where nothing can act, a repeat is a first send and is called so."""
    if action is Action.REPEAT and situation is Situation.NOTHING_CAN_ACT:
        return "Send again: every attempt was refused" if sent else "Send: nothing was sent"
    return NAME[action]


def _sends(action: Action, situation: Situation) -> str:
    first = action is Action.REPEAT and situation is Situation.NOTHING_CAN_ACT
    return "Sends the request" if first else _SENDS[action]


def _bar(refusal: Refusal) -> Bar | None:
    """Return the bar of the core's table, None where what an operation closes may not be closed any more."""
    return None if f" {Closing.CLOSE_ORIGINAL}:" in refusal.rule else _BARS[refusal.rule.rpartition(": ")[2]]


def _way_out(sight: Sight, refusal: Refusal) -> str:
    if refusal.rule.endswith(f": {ClosingBar.CLOSES_ANOTHER}"):
        return "the original's own page."
    bar = _bar(refusal)
    if bar is None:
        return "none is needed: look at the original."
    if bar is Bar.UNPROTECTED:
        facts = [gap.fact.sentence for gap in missing(sight.standing)]
        return f"learn what is missing. {facts[-1]}" if facts else "a final answer of the recipient."
    if bar is Bar.SUCCESSOR_OPEN:
        return carried_on(sight)
    if bar is Bar.NOBODY_TO_ASK:
        return sight.document.owner.contact or f"a person at {sight.operation.recipient.name}."
    return _WAY_OUT[bar]


def way_out_of(sight: Sight, action: Action | Closing) -> str | None:
    """Return what would open an action that is locked, None where it is open or is none of the six."""
    refusal = sight.verdict[action]
    return _way_out(sight, refusal) if isinstance(action, Action) and refusal is not None else None


def _because(sight: Sight, action: Action, step: Advice) -> Iterator[str]:
    yield step.because.sentence
    if action is Action.OBSERVE and step.channel is not None:
        yield f"Best asked: {sight.document.channels[step.channel].about}"
    if action is Action.REPEAT:
        for attempt in late_copies(sight.standing):
            yield f"A copy of attempt {attempt}, which went out unprotected, could act again if it comes too late."


def _facts(sight: Sight, action: Action) -> Iterator[str]:
    recipient, number = sight.operation.recipient.name, sight.operation.identity
    if action is Action.RECORD:
        yield "Writes what our record says, under your name; nobody outside is told anything."
        yield "It stays on record for good; a later contradiction brings the operation back here."
        yield "A page to compare and confirm comes first."
    if action is Action.OBSERVE:
        yield f"Reads at {recipient}; a page that shows each question comes first."
    if action is Action.LEAVE_UNRESOLVED:
        yield "Ends the investigation, not the uncertainty: the outcome stays unknown, and what was sent may still act."
        yield "It comes back at the time you set, or as soon as anything changes what is known."
    if action is Action.EXCEPT:
        yield "One person states what is at stake, why and who bears it; another accepts it. It changes no fact."
    if action is Action.REPEAT:
        yield f"The identical bytes, to {recipient}, under request number {number}. It cannot be taken back."
        if may_take_back(sight.operation):
            yield "It closes another operation: if that happened, this could take it back."


# Those that lead to one page wherever they are open.
_WAY: Final = {
    Action.LEAVE_UNRESOLVED: Way("leave_unresolved", "Say what is missing"),
    Action.EXCEPT: Way("business_exception", "State the risk"),
    Action.REPEAT: Way("protected_repeat", "See the exact bytes"),
    Action.PROPOSE_NEW: Way("new_operation", "Compare and authorise"),
}


def _way_to_ask(sight: Sight, *, locked: bool) -> Way | None:
    """Return the link to what can be asked or, where nothing can, to what a person may read there."""
    if not locked:
        return Way("observe", "See what can be asked")
    return Way("inspect", "Take down what was read there") if channels(sight.operation) else None


def _way_in(sight: Sight, action: Action, *, locked: bool) -> Way | None:
    """Return the link into an action's page. A locked record is where a receipt is found by its reference."""
    if action is Action.OBSERVE:
        return _way_to_ask(sight, locked=locked)
    if action is not Action.RECORD:
        return None if locked else _WAY.get(action)
    if not locked:
        return Way("repair_record", "Compare and confirm")
    if sight.standing.situation is Situation.CONFLICT or not any(findable(sight.document)):
        return None
    return Way("repair_record", f"Find a receipt by its {sight.document.effect.reference}")


def _locked(sight: Sight, action: Action, refusal: Refusal, *, sent: bool) -> Door:
    return Door(
        action=action,
        icon=_ICON[action],
        name=name_of(action, sight.standing.situation, sent=sent),
        sends=_SENDS[action],
        state="locked",
        first=False,
        why=(refusal.sentence,),
        way_out=_way_out(sight, refusal),
        until=reading.moment(refusal.until) if refusal.kind is Kind.MANNERS else None,
        way=_way_in(sight, action, locked=True),
    )


def _risky(sight: Sight, action: Action) -> bool:
    if action is not Action.REPEAT:
        return action is Action.EXCEPT
    return bool(late_copies(sight.standing)) or may_take_back(sight.operation)


def _open(sight: Sight, action: Action, step: Advice, *, sent: bool) -> Door:
    done = action is Action.RECORD and sight.recorded
    return Door(
        action=action,
        icon=_ICON[action],
        name=name_of(action, sight.standing.situation, sent=sent),
        sends=_sends(action, sight.standing.situation),
        state="done" if done else "risky" if _risky(sight, action) else "open",
        first=step is first_step(sight),
        why=("Our record says so already.",) if done else tuple(_because(sight, action, step)),
        facts=() if done else tuple(_facts(sight, action)),
        way=None if done else _way_in(sight, action, locked=False),
    )


def first_step(sight: Sight) -> Advice | None:
    """Return the first sensible step; what our record says already is not one.

    Where nothing was ever sent, the outcome is established only because nobody began: that is no news to record first.
    """
    left = [step for step in sight.steps if not (step.action is Action.RECORD and sight.recorded)]
    if not sight.attempts:
        left.sort(key=lambda step: step.action is not Action.REPEAT)
    return None if sight.recorded or not left else left[0]


def _said_of(action: Action | Closing, may_not: Mapping[Action, str | None]) -> str | None:
    return may_not.get(action) if isinstance(action, Action) else None


def doors(sight: Sight, *, may_not: Mapping[Action, str | None] = NOTHING_SAID) -> tuple[Door, ...]:
    """Return the six doors in their fixed order, the advised one before all others.

    `may_not` says of an action why this person may not take it.
    """
    steps: Mapping[Action, Advice] = {step.action: step for step in sight.steps}
    sent = bool(sight.standing.weighed.went.reached)
    cards = []
    for action in Action:
        refusal = sight.verdict[action]
        if refusal is None:
            cards.append(_open(sight, action, steps[action], sent=sent))
        else:
            cards.append(_locked(sight, action, refusal, sent=sent))
    cards = [replace(door, may_not=_said_of(door.action, may_not)) for door in cards]
    return tuple(sorted(cards, key=lambda door: not door.first))

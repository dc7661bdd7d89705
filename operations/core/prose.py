"""A standing told in the words that people read on the screen, with what it rests on and what could follow.

The words are those of screens.md (Words on the screen). Times are the scenario's own seconds.
"""

from collections.abc import Iterator
from typing import Final, cast

from operations.core.actions import Action
from operations.core.advice import advice
from operations.core.consequences import Consequence, consequences
from operations.core.facts import Observation, Seconds
from operations.core.fates import Fate, FateKind, late_copies
from operations.core.missing import missing
from operations.core.permitted import Refusal, permitted
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, FurtherEffect, Standing
from operations.core.weighed import Ground

_ACTIONS: Final = {
    Action.RECORD: ("Repair our record", "Sends nothing."),
    Action.OBSERVE: ("Ask the recipient", "Asks, changes nothing."),
    Action.REPEAT: ("Repeat the same request", "Sends the same bytes again."),
    Action.PROPOSE_NEW: ("New request", "Creates a second operation."),
    Action.EXCEPT: ("Accept a risk", "Sends nothing; changes no fact."),
    Action.LEAVE_UNRESOLVED: ("Stop here, outcome unknown", "Sends nothing."),
}
_HAPPENED: Final = {
    Evidence.APPLIED: "Yes",
    Evidence.PENDING: "Under way",
    Evidence.UNKNOWN: "We don't know",
    Evidence.NOT_APPLIED: "Not there when last read",
}
_STILL: Final = {
    Finality.SETTLED: "Done",
    Finality.EXCLUDED: "No",
    Finality.POSSIBLE: "Yes",
    Finality.UNESTABLISHED: "It may",
}


MOST_NAMED: Final = 5  # a person reads a few; the answer in JSON has them all


def _named(attempts: tuple[str, ...]) -> str:
    names = ", ".join(attempts[:MOST_NAMED])
    more = len(attempts) - MOST_NAMED
    return f"attempt {names}" + (f" and {more} more" if more > 0 else "")


def _seconds(at: Seconds) -> str:
    return f"{repr(at).removesuffix('.0')} s"


def happened(standing: Standing) -> str:
    """Return the answer to "Did it happen?"."""
    if standing.conflict is not None:
        return "Contradiction"
    if standing.finality is Finality.EXCLUDED:
        return "No, ruled out"
    return _HAPPENED[standing.evidence]


def can_still_happen(standing: Standing) -> str:
    """Return the answer to "Could it still happen?"."""
    if standing.further_effect is FurtherEffect.POSSIBLE:
        return "Done, may happen again"
    return _STILL[standing.finality]


def safe_to_send_again(standing: Standing) -> str:
    """Return the answer to "Safe to send again?"."""
    if standing.protection is Protection.ACTIVE:
        until = standing.protection_until
        return "Yes" if until is None else f"Yes, until {_seconds(until)}"
    return "No" if standing.protection is Protection.ABSENT else "We don't know"


def _event(standing: Standing, index: int) -> str:
    seen = cast(Observation, standing.weighed.facts.events[index])  # grounds and reasons name observations alone
    return f"event {index}: {seen.channel} says {seen.says} at {_seconds(seen.at)}"


def _rests(standing: Standing, ground: Ground) -> Iterator[str]:
    for index in ground.observations[:MOST_NAMED]:
        yield f"    rests on {_event(standing, index)}"
    if len(ground.observations) > MOST_NAMED:
        yield f"    and on {len(ground.observations) - MOST_NAMED} more"
    if ground.terms:
        yield f"    rests on {', '.join(ground.terms)}"


def _three_questions(standing: Standing) -> Iterator[str]:
    grounds = standing.grounds
    yield f"Did it happen? {happened(standing)}."
    if standing.conflict is not None:
        yield f"    {standing.conflict.sentence}"
    yield from _rests(standing, grounds.evidence)
    if standing.duplicate_effect:
        yield f"    The recipient names {len(standing.effect_refs)} effects: {', '.join(standing.effect_refs)}."
    yield f"Could it still happen? {can_still_happen(standing)}."
    yield from _rests(standing, grounds.finality)
    yield f"Safe to send again? {safe_to_send_again(standing)}."
    late = late_copies(standing)
    if late:
        yield f"    But {_named(late)} went out unprotected: a copy that arrives after that could act again."
    if standing.protection_reason is not None:
        yield f"    {standing.protection_reason.sentence}"
    yield from _rests(standing, grounds.protection)


def _fate(fate: Fate) -> str:
    who = "a submission not on record" if fate.attempt == "?" else f"attempt {fate.attempt}"
    if fate.fate is FateKind.ACTED:
        return f"{who} acted at {_seconds(cast(Seconds, fate.at))}"
    return f"{who} may still act"


def _history(witness: tuple[Fate, ...]) -> str:
    acting = [_fate(fate) for fate in witness if fate.fate is not FateKind.NEVER_ACTS]
    others = " and nothing else ever acts" if len(witness) > len(acting) else ""
    return ", ".join(acting) + others


def _door(action: Action, refusal: Refusal | None) -> Iterator[str]:
    name, sends = _ACTIONS[action]
    if refusal is None:
        yield f"  open    {name}. {sends}"
        return
    until = "" if refusal.until is None else f" Look again after {_seconds(refusal.until)}."
    yield f"  locked  {name}. {refusal.sentence}{until}"
    if refusal.witness is not None:
        yield f"          It would act twice if {_history(refusal.witness)}."


def _cell(effects: int | str | None) -> str:
    if effects is None:
        return "-"
    return "?" if effects == "unknown" else "2+" if effects == 2 else str(effects)


def _row(found: Consequence) -> str:
    cells = (found.stop, found.repeat, found.repeat_after_window, found.propose_new)
    assuming = f"{found.history.assuming}: " if found.history.assuming else ""
    sentence = assuming + found.history.kind.sentence
    return "  " + "".join(f"{_cell(cell):>8}" for cell in cells) + f"   {sentence}"


def _what_could_follow(standing: Standing) -> Iterator[str]:
    yield "What could follow: the most effects that could then exist"
    yield "  " + "".join(f"{head:>8}" for head in ("stop", "repeat", "later", "new")) + "   if this is what happened"
    for found in consequences(standing.weighed.facts, standing.weighed.now):
        yield _row(found)


def explain(standing: Standing, *, name: str | None = None) -> str:
    """Return one scenario as prose: the three questions, what is missing, what may be done, what could follow."""
    verdict = permitted(standing)
    lines = [name, ""] if name else []
    lines += _three_questions(standing)
    if standing.not_counted:
        lines += ["", "Settles nothing"]
        lines += [f"  {_event(standing, index)}. {why.sentence}" for index, why in standing.not_counted]
    gaps = missing(standing)
    if gaps:
        lines += ["", "What is missing"]
        lines += [f"  {gap.fact.sentence} ({', '.join(gap.channels) or 'no channel'})" for gap in gaps]
    lines += ["", "What you may do"]
    for action, refusal in verdict.items():
        lines += _door(action, refusal)
    first = advice(standing, verdict)[:1]
    lines += [f"  First: {_ACTIONS[step.action][0]}. {step.because.sentence}" for step in first]
    lines += ["", *_what_could_follow(standing)]
    return "\n".join(lines) + "\n"

"""What the core says of a scenario, held against every world behind it.

A check returns the name of what is wrong, or nothing. A *listed exception* is a corner in which the law itself says
less, or once more, than the worlds; each is named in `tests.simulator.exceptions` with its reason and pinned there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from operations.core.actions import Action
from operations.core.permitted import Kind, Refusal
from operations.core.protection import Protection
from operations.core.standing import Evidence, Finality, FurtherEffect, Standing
from tests.simulator.exceptions import Corner, corner_of
from tests.simulator.plans import OFF_RECORD
from tests.simulator.replay import harmed, worlds_with
from tests.simulator.view import View


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing the core said that the worlds do not bear out; `corner` if it is a listed exception."""

    check: str
    corner: Corner | None


Verdict = dict[Action, Refusal | None]


def wrongs(view: View, standing: Standing, verdict: Verdict) -> Iterator[Wrong]:
    """Return everything that is wrong with what the core said of the scenario behind `view`."""
    names = _all_checks(view, standing, verdict)
    for name in names:
        yield Wrong(name, corner_of(name, view, standing))


def _all_checks(view: View, standing: Standing, verdict: Verdict) -> Iterator[str]:
    if (standing.conflict is not None) != (not view.worlds):
        yield "conflict without need" if view.worlds else "no world, no conflict"
        return
    if view.worlds:
        yield from _evidence(view, standing)
        yield from _finality(view, standing)
        yield from _further(view, standing)
        yield from _open_doors(view, standing, verdict)
        yield from _repeat(view, verdict[Action.REPEAT])
        yield from _propose_new(view, verdict[Action.PROPOSE_NEW])
    else:
        yield from _contradicted(view, standing, verdict)
    yield from _protection(view, standing)
    yield from _observe(view, verdict)
    yield from _successor(view, verdict)


def _evidence(view: View, standing: Standing) -> Iterator[str]:
    universe, worlds = view.universe, view.worlds
    acts = universe.mask("acts")
    now = universe.mask("applied", view.stage.timeline.last_gap)
    settled = standing.evidence is Evidence.APPLIED
    excluded = standing.finality is Finality.EXCLUDED
    if settled and worlds & ~now:
        yield "applied, and a world without an effect"
    if excluded and worlds & acts:
        yield "excluded, and a world with an effect"
    if not settled and not worlds & ~acts:
        yield "an effect in every world, and not applied"
    if not excluded and not worlds & acts:
        yield "an effect in no world, and not excluded"
    yield from _newest(view, standing)


def _newest(view: View, standing: Standing) -> Iterator[str]:
    """Pending and a plain absence speak of the date of the newest report."""
    if standing.evidence is Evidence.PENDING:
        dates = [place for saying, place in view.dated if saying.says == "pending" and view.fresh(place)]
        absent = [place for saying, place in view.dated if saying.says == "absent"]
        if not dates or view.worlds & ~view.universe.mask("received", max(dates)):
            yield "pending, and a world where nothing had arrived"
        elif absent and max(absent) > max(dates):
            yield "pending, and an absence is newer"
    elif standing.evidence is Evidence.NOT_APPLIED and standing.finality is not Finality.EXCLUDED:
        yield from _absence(view)
    elif standing.evidence is Evidence.UNKNOWN:
        yield from _unknown(view)


def _absence(view: View) -> Iterator[str]:
    absent = [place for saying, place in view.dated if saying.says == "absent"]
    if not absent or view.worlds & view.universe.mask("applied", max(absent)):
        yield "not applied, and a world with an effect by then"
    elif any(view.stage.sent[number] > max(absent) for number in view.can_act()):
        yield "not applied, and an attempt was sent since"
    elif any(saying.says == "pending" and view.fresh(place) and place > max(absent) for saying, place in view.dated):
        yield "not applied, and a pending is newer"


def _unknown(view: View) -> Iterator[str]:
    """Nothing newer is known: no fresh pending, and no absence that is newer than what was sent."""
    pending = [place for saying, place in view.dated if saying.says == "pending" and view.fresh(place)]
    absent = [place for saying, place in view.dated if saying.says == "absent"]
    if pending and max(pending) > max(absent, default=-1):
        yield "unknown, and a fresh pending is the newest"
    elif absent and all(view.stage.sent[number] < max(absent) for number in view.live()):
        yield "unknown, and an absence covers everything that was sent"


def _finality(view: View, standing: Standing) -> Iterator[str]:
    received = view.universe.mask("received", view.stage.timeline.last_gap)
    reported = any(saying.admits in ("active", "received") for saying, _ in view.dated)
    if standing.finality is Finality.POSSIBLE:
        if view.worlds & ~received:
            yield "possible, and a world where nothing arrived"
        if not reported:
            yield "possible, and nothing was reported active"
    elif standing.finality is Finality.UNESTABLISHED and not view.worlds & ~view.universe.mask("live received"):
        yield "unestablished, and something live arrived in every world"
    elif standing.finality is Finality.SETTLED and standing.evidence is not Evidence.APPLIED:
        yield "settled without an effect"


def _further(view: View, standing: Standing) -> Iterator[str]:
    twice = view.worlds & view.universe.mask("acts twice")
    if standing.further_effect is FurtherEffect.EXCLUDED and twice & view.as_contracted:
        yield "further effect excluded, and a world with two"
    if standing.further_effect is FurtherEffect.EXCLUDED and twice and view.withdrawn:
        yield "further effect excluded, though protection was withdrawn"
    if standing.further_effect is FurtherEffect.POSSIBLE and not twice and view.statement is None:
        yield "further effect possible, and no world with two"
    if (standing.further_effect is None) != (standing.evidence is not Evidence.APPLIED):
        yield "further effect is for what is applied alone"


def _open_doors(view: View, standing: Standing, verdict: Verdict) -> Iterator[str]:
    """Recording needs an outcome in which all worlds agree; accepting and leaving need that they do not."""
    agreed = standing.evidence is Evidence.APPLIED or standing.finality is Finality.EXCLUDED  # checked by _evidence
    wanted = {
        Action.RECORD: None if agreed else Kind.UNPROVEN,
        Action.LEAVE_UNRESOLVED: Kind.SETTLED if agreed else None,
        Action.EXCEPT: Kind.SETTLED if agreed else view.successor_kind,
    }
    yield from _cells(wanted, verdict)


def _contradicted(view: View, standing: Standing, verdict: Verdict) -> Iterator[str]:
    """Where two statements cannot both hold, nothing is established and nothing is sent."""
    if (standing.evidence, standing.finality) != (Evidence.UNKNOWN, Finality.UNESTABLISHED):
        yield "conflict, and something is established"
    wanted = {
        Action.RECORD: Kind.CONFLICT,
        Action.REPEAT: Kind.CONFLICT,
        Action.PROPOSE_NEW: Kind.CONFLICT,
        Action.LEAVE_UNRESOLVED: None,
        Action.EXCEPT: view.successor_kind,
    }
    yield from _cells(wanted, verdict)


def _cells(wanted: Mapping[Action, Kind | None], verdict: Verdict) -> Iterator[str]:
    for action, kind in wanted.items():
        refusal = verdict[action]
        if (None if refusal is None else refusal.kind) is not kind:
            yield f"{action}: wants {kind or 'permission'}"


def _repeat(view: View, refusal: Refusal | None) -> Iterator[str]:
    harmful = harmed(view, Action.REPEAT)
    kind = None if refusal is None else refusal.kind
    if kind in (None, Kind.MANNERS) and harmful:
        yield f"repeat: {kind or 'permitted'}, and a world with a second effect"
    if kind is None and not view.worlds & view.universe.mask("a repeat acts"):
        yield "repeat: permitted, and it can act in no world"
    if kind is Kind.HARM and refusal is not None:
        yield from _witness(view, refusal, harmful, "repeat")
    yield from _repeat_reason(view, kind)


def _repeat_reason(view: View, kind: Kind | None) -> Iterator[str]:
    """The kind of refusal is the first that holds of: settled, successor, harm, manners."""
    applied = view.universe.mask("applied", view.stage.timeline.last_gap)
    if kind is None and view.rude():
        yield "repeat: permitted against the recipient's manners"
    if kind is Kind.MANNERS and not view.rude():
        yield "repeat: refused for manners that nobody asks for"
    if kind is Kind.SETTLED and view.worlds & ~applied and view.worlds & ~view.universe.mask("ended"):
        yield "repeat: settled, and a world neither applied nor closed"
    if kind not in (Kind.SETTLED, view.successor_kind) and view.successor_kind is not None:
        yield "repeat: a successor is open, and that is not the reason"
    if kind in {Kind.CONFLICT, Kind.UNPROVEN, Kind.NO_CHANNEL, Kind.SUCCESSOR} - {view.successor_kind}:
        yield f"repeat: {kind} is no reason here"


def _propose_new(view: View, refusal: Refusal | None) -> Iterator[str]:
    harmful = harmed(view, Action.PROPOSE_NEW)
    kind = None if refusal is None else refusal.kind
    if kind is None and harmful:
        yield "propose_new: permitted, and a world with a second effect"
    if kind is Kind.SETTLED and view.worlds & ~view.universe.mask("applied", view.stage.timeline.last_gap):
        yield "propose_new: settled, and a world without an effect"
    if kind not in (Kind.SETTLED, view.successor_kind) and view.successor_kind is not None:
        yield "propose_new: a successor is open, and that is not the reason"
    if kind not in (None, Kind.SETTLED, Kind.HARM, view.successor_kind):
        yield f"propose_new: {kind} is no reason here"
    if kind is Kind.HARM and refusal is not None:
        yield from _witness(view, refusal, harmful, "propose_new")


def _witness(view: View, refusal: Refusal, harmful: int, action: str) -> Iterator[str]:
    if not harmful:
        yield f"{action}: refused for a harm that no world has"
        return
    fates = {fate.attempt: fate for fate in refusal.witness or ()}
    names = [*view.universe.names, *([OFF_RECORD] if view.incomplete else [])]
    if list(fates) != names:
        yield f"{action}: the witness does not speak of each submission once"
    elif not harmful & worlds_with(view, refusal):
        yield f"{action}: the witness leads to no second effect"


def _protection(view: View, standing: Standing) -> Iterator[str]:
    """It is absent where no world has a store; a promise that has not begun to run in any world is counted on."""
    if (standing.protection is Protection.ABSENT) != view.forgetful:
        yield "protection absent is for a recipient that recognises no repeat in any world"
    received = view.universe.mask("received", view.stage.timeline.last_gap)
    if view.promised and view.worlds and not view.worlds & received and standing.protection is not Protection.ACTIVE:
        yield "nothing has arrived in any world, and the promise is not counted on"


def _observe(view: View, verdict: Verdict) -> Iterator[str]:
    refusal = verdict[Action.OBSERVE]
    kind = None if refusal is None else refusal.kind
    if kind is not (None if view.setting.askable else Kind.NO_CHANNEL):
        yield f"observe: {kind or 'permitted'}, and the contract says otherwise of its channels"


def _successor(view: View, verdict: Verdict) -> Iterator[str]:
    """While a successor is open it may act in some world, so whatever sends would act beside it."""
    if view.successor_kind is None:
        return
    for action in (Action.REPEAT, Action.PROPOSE_NEW, Action.EXCEPT):
        if verdict[action] is None:
            yield f"{action}: permitted beside an open successor"

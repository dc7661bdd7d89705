"""A witness is replayed: one world with exactly these fates, run again in front of everybody who said something.

The masks say that such a world exists. Here one of them is taken out and run once more: every answer of the scenario
has to be honest in it when asked of the simulator itself, and the refused action has to lead to two effects.
"""

from collections.abc import Callable

from operations.core.actions import Action
from operations.core.permitted import Refusal
from tests.simulator.plans import REPEAT
from tests.simulator.recipient import Answers, Copy, Recipient, Submission, World
from tests.simulator.sayings import STRANGER, Saying
from tests.simulator.terms import repeat_acts
from tests.simulator.timeline import event, gap, gap_at
from tests.simulator.view import View


def worlds_with(view: View, refusal: Refusal) -> int:
    """Return the mask of the worlds in which everything has exactly the fate that the witness gives it."""
    universe = view.universe
    worlds = universe.everything
    for number, fate in enumerate(refusal.witness or ()):
        place = 0 if fate.at is None else gap_at(fate.at, timeline=view.stage.timeline)
        worlds &= universe.mask("fate", number, str(fate.fate), place)
    return worlds


def taken_from(view: View, worlds: int) -> World:
    """Return one of these worlds; where the contract says that nothing is recognised, without a store."""
    world = view.universe.examples[(worlds & -worlds).bit_length() - 1][0]
    return world._replace(store=None) if view.forgetful else world


def harmed(view: View, action: Action) -> int:
    """Return the mask of the worlds of this record in which the action would lead to a second effect."""
    if action is Action.REPEAT:
        return view.worlds & repeat_acts(view.setting.terms, view.universe)
    return view.worlds & view.universe.mask("acts")  # what is new acts beside it, whatever a store remembers


def honest(view: View, world: World) -> bool:
    """Return whether everything that was said, and is believed, could honestly be said in this world."""
    answers = Answers(Recipient(world))
    return all(_allows(answers, saying, event(place)) for saying, place in view.believed)


def _allows(answers: Answers, saying: Saying, at: float) -> bool:
    name = "?" if saying.attempt == STRANGER else saying.attempt or ""
    asked: dict[str, Callable[[float], bool]] = {
        "applied": answers.applied,
        "closed": answers.closed,
        "active": answers.active,
        "received": answers.was_active,
        "absent": lambda moment: not answers.applied(moment),
        "refused": lambda moment: answers.refused(name, moment),
        "left": lambda _: answers.left(name),
        "stranger": lambda _: answers.left(name),
        "unsent": lambda _: not answers.left(name),
        "anything": lambda _: True,
    }
    return asked[saying.admits or "anything"](at)


def effects_with(view: View, world: World, action: Action) -> int:
    """Return how many effects the operation and its successor have in this world if the action is taken now.

    A repeat arrives under the identity of the operation, if that is known; a new operation has its own.
    """
    timeline = view.stage.timeline
    known = action is Action.REPEAT and view.setting.terms.identity_known
    key = "k" if known else "another identity"
    moments = (timeline.arrival, gap(timeline.last_gap + 3))
    copies = [Copy(timeline.arrival, acts=acts, kept=False) for acts in moments]
    sent = [Submission(REPEAT, timeline.now, (copy,), key) for copy in copies]
    return max([len(Recipient(world._replace(submissions=(*world.submissions, one))).effects) for one in sent])

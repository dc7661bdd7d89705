"""What waits for a second signature, in words: who proposed what, what changed since, and whose signature it waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from escalation.decisions.places import may_repeat, why_two
from escalation.decisions.signing import may_of, moved
from escalation.decisions.stake import at_stake
from escalation.models import SecondSignature, User
from escalation.models.second_signature import State
from escalation.policy import EVERY_RECIPIENT, May, Reads, not_the_signer, why_not
from escalation.screens.decided_words import ACTIONS, lines_of
from escalation.screens.seen import says
from escalation.screens.stood import Stood, stood
from operations.core.actions import Action
from operations.core.closing import Closing

if TYPE_CHECKING:
    from escalation.models.money import Money
    from escalation.screens.doors import Door
    from escalation.screens.sight import Sight

MOST_WAITING: Final = 200
MOST_ENDED: Final = 50
MOST_SHOWN: Final = 20
_PEOPLE: Final = ("proposed_by", "ended_by", "operation__recipient")
_UNUSED: Final = ("operation__body", "operation__arguments", "operation__headers", "typed")
_DOORS: Final[Mapping[Action | Closing, May]] = {
    Action.RECORD: May.REPAIR_RECORD,
    Action.LEAVE_UNRESOLVED: May.LEAVE_UNRESOLVED,
    Closing.CLOSE_ORIGINAL: May.CLOSE_ORIGINAL,
    Action.PROPOSE_NEW: May.AUTHORISE_NEW,
}
_STATES: Final = {one.value: one for one in State}


@dataclass(frozen=True, slots=True)
class Shown:
    """One proposal: what it would do, by its action's name, and where it stands.

    `moved`: it waits, and what is known is otherwise since, so that nobody can sign it.
    """

    row: SecondSignature
    state: State
    name: str
    moved: bool

    @property
    def waits(self) -> bool:
        """Whether somebody may still sign it."""
        return self.state is State.WAITING


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One proposal as the second person reads it: what was to be decided, on what, and what changed `since`.

    `voids` are the changes for which it can't be signed any more.
    """

    shown: Shown
    decided: tuple[tuple[str, str], ...]
    stood: Stood
    voids: tuple[str, ...]
    since: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits, by whom it waits for: this person, others for what this person proposed, and others.

    `moved` can't be signed any more, by anybody.
    """

    yours: tuple[Shown, ...]
    proposed: tuple[Shown, ...]
    others: tuple[Shown, ...]
    moved: tuple[Shown, ...]


def shown(row: Any) -> Shown:
    """Return a proposal that was read with its state."""
    state, here = _STATES[row.state], row.operation
    then = (row.standing["evidence"], row.standing["finality"], row.standing["conflict_kind"])
    moved = state is State.WAITING and then != (here.evidence, here.finality, here.conflict)
    return Shown(row, state, ACTIONS[row.action], moved)


def _rows(now: datetime, *, reads: Reads) -> Any:
    rows = SecondSignature.objects.with_state(now).filter(reads.at("operation__recipient_id"))
    return rows.select_related(*_PEOPLE).defer(*_UNUSED).order_by("-id")


def with_two(cards: Sequence[Door], sight: Sight) -> list[Door]:
    """Return the cards of the operation's page, each that leads on with the rule by which it takes two people."""
    amount = at_stake(sight.operation)
    return [replace(card, two=_two(card, sight, amount)) for card in cards]


def _two(card: Door, sight: Sight, amount: Money | None) -> str | None:
    repeats = card.action is Action.REPEAT
    may = may_repeat(sight.operation) if repeats else _DOORS.get(card.action)
    return None if card.way is None or may is None else why_two(may, sight.operation, amount=amount)


def waiting_at(sight: Sight, *, may: May | None = None) -> list[Shown]:
    """Return what waits for a second signature at an operation, the newest first; `may` narrows it to one door."""
    rows = _rows(sight.now, reads=EVERY_RECIPIENT).filter(
        operation=sight.operation.id, ended_as="", lapses_at__gt=sight.now
    )
    return [shown(row) for row in (rows if may is None else rows.filter(may=may.value))[:MOST_SHOWN]]


def of_operation(sight: Sight) -> list[Shown]:
    """Return everything that was proposed at an operation, in the order in which it was."""
    return [shown(row) for row in _rows(sight.now, reads=EVERY_RECIPIENT).filter(operation=sight.operation.id)][::-1]


def waiting(person: User, *, now: datetime, reads: Reads) -> Waiting:
    """Return what waits for a second signature at the recipients that somebody `reads`, the newest first."""

    @cache
    def may(what: May, recipient: int) -> bool:
        return why_not(person, what, recipient=recipient) is None

    def kind(one: Shown) -> str:
        row = one.row
        if one.moved:
            return "moved"
        if not_the_signer(person, first=row.proposed_by) is not None:
            return "proposed"
        return "yours" if may(may_of(row), row.operation.recipient_id) else "others"

    rows = _rows(now, reads=reads).filter(ended_as="", lapses_at__gt=now)[:MOST_WAITING]
    kinds = [(kind(one), one) for one in map(shown, rows)]
    return Waiting(
        *[tuple([one for at, one in kinds if at == name]) for name in ("yours", "proposed", "others", "moved")]
    )


def ended(*, now: datetime, reads: Reads) -> list[Shown]:
    """Return what waits no more, the newest first."""
    return [shown(row) for row in _rows(now, reads=reads).exclude(state=State.WAITING.value)[:MOST_ENDED]]


def one(number: int, *, now: datetime, reads: Reads) -> Shown | None:
    """Return one proposal as it stands now, None where there is none."""
    rows = SecondSignature.objects.with_state(now).filter(reads.at("operation__recipient_id"), pk=number)
    row = rows.select_related(*_PEOPLE).first()
    return None if row is None else shown(row)


def opened(found: Shown, sight: Sight) -> Opened:
    """Return one proposal beside its operation as it stands now."""
    return Opened(
        shown=found,
        decided=lines_of(found.row.content),
        stood=stood(found.row.standing),
        voids=tuple(moved(found.row, sight.read, now=sight.now)) if found.waits else (),
        since=tuple(_since(found.row, sight)),
    )


def _since(row: SecondSignature, sight: Sight) -> Iterator[str]:
    """Yield what came on record since an operation was proposed on, the oldest first."""
    names = sight.names
    came = [(one.observation.position, one) for _, one in sight.readings if one.position >= row.position]
    for position, reading in sorted(came, key=lambda pair: pair[0]):
        new = "" if position >= row.position else ", read anew by a corrected contract"
        number, channel = names[reading.observation_id], reading.observation.channel
        yield f"Observation {number} ({channel}){new}: {says(reading)}."
    for attempt in sight.attempts:
        if attempt.position >= row.position:
            yield f"Attempt {attempt.number} to send it was put on record."
    for decision in sight.operation.decisions.order_by("position"):
        if decision.position >= row.position and decision.pk != row.signature_id:
            yield f"{decision.decided_by} decided under “{ACTIONS[decision.action]}”."

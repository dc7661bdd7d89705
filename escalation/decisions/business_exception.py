"""Accepting a risk: one person names what may be true, what is at stake and who bears it; another accepts it.

semantics.md, Permitted actions: an exception is a person's acceptance of a stated risk; it proves nothing and changes no
fact. What it excuses it excuses once, in time, and only while nothing may be true that was not named.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from escalation.decisions.taking import Door, Taker, take
from escalation.models import BusinessException
from escalation.models.business_exception import Excuses, Loss, State
from escalation.models.money import Money
from escalation.policy import May
from operations import reading, recording
from operations.core.actions import Action
from operations.core.histories import histories
from operations.core.permitted import permitted

if TYPE_CHECKING:
    from escalation.models import User
    from operations.core.standing import Standing
    from operations.models import Decision

NAME = "business_exception"


class NotLater(Exception):
    """The review or the end is not to come; the message says which."""


class AcceptedAlready(Exception):
    """A risk is accepted here that was not used yet."""


class NotUsable(Exception):
    """This exception excuses nothing now; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """What somebody proposes to accept: `exposure` is an amount or words, `bearer` a name, times are aware."""

    excuses: Excuses
    loss: Loss
    exposure: Money | str
    reason: str
    bearer: str
    review_at: datetime
    expires_at: datetime

    def columns(self) -> dict[str, Any]:
        """Return it as the row holds it."""
        money = self.exposure if isinstance(self.exposure, Money) else None
        return {
            "excuses": self.excuses.value,
            "loss": self.loss.value,
            "exposure_amount": None if money is None else money.amount,
            "exposure_currency": "" if money is None else money.currency,
            "exposure_words": "" if isinstance(self.exposure, Money) else self.exposure,
            "reason": self.reason,
            "bearer": self.bearer,
            "review_at": self.review_at,
            "expires_at": self.expires_at,
        }

    def content(self) -> dict[str, Any]:
        """Return it as JSON, for the operation's chain: amounts as text, times in UTC."""
        amount = str(self.exposure.amount) if isinstance(self.exposure, Money) else None
        times = {name: getattr(self, name).astimezone(UTC).isoformat() for name in ("review_at", "expires_at")}
        return {**self.columns(), "exposure_amount": amount, **times}


def in_words(state: str) -> str:
    """Return where an exception stands, to be said in the middle of a sentence."""
    return {one.value: one.sentence for one in State}[state].lower()


def named(standing: Standing) -> list[dict[str, str | None]]:
    """Return the histories that are possible at this standing, as an exception keeps them."""
    return [{"kind": one.kind.value, "assuming": one.assuming, "sentence": one.sentence} for one in histories(standing)]


def propose(operation_id: UUID, taker: Taker, *, risk: Risk) -> BusinessException:
    """Propose to accept a risk, with the histories that are possible under the lock; nothing is excused by it yet.

    A newer proposal replaces one that waits. Raises what `take` raises, `NotLater` and `AcceptedAlready`; then nothing
    is written.
    """

    def write(pen: recording.Pen, decision: Decision) -> BusinessException:
        _require_later(risk, now=taker.now)
        _require_none_is_open(operation_id, now=taker.now)
        return BusinessException.objects.create(
            operation=pen.operation,
            decision=decision,
            histories=named(pen.read().standing(now=taker.now)),
            proposed_at=taker.now,
            proposed_by=taker.person,
            **risk.columns(),
        )

    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Action.EXCEPT, may=May.PROPOSE_EXCEPTION),
        content=risk.content(),
        write=write,
        again=lambda decision: BusinessException.objects.get(decision=decision),
    )


def _require_later(risk: Risk, *, now: datetime) -> None:
    if risk.review_at <= now:
        raise NotLater("The review must be to come.")
    if risk.expires_at <= now:
        raise NotLater("The time until which it may be used must be to come.")


def _require_none_is_open(operation_id: UUID, *, now: datetime) -> None:
    if usable(operation_id, now=now) is not None:
        raise AcceptedAlready("A risk is accepted here already, and its excuse was not used yet.")


def _why_not_now(exception: BusinessException, standing: Standing) -> str | None:
    """Return None, or why what was accepted does not cover this standing."""
    refusal = permitted(standing)[Action.EXCEPT]
    if refusal is not None:
        return refusal.sentence
    accepted = [one["sentence"] for one in exception.histories]
    new = [one["sentence"] for one in named(standing) if one["sentence"] not in accepted]
    return f"Something may be true that nobody named when the risk was accepted: {new[0]}" if new else None


def usable(operation_id: UUID, now: datetime) -> BusinessException | None:
    """Return the approved, unexpired and unused exception that excuses a second operation now, None where there is none.

    It excuses nothing once the core shuts the door, or once something may be true that was not named in it. Raises
    `reading.NoSuchOperation`.
    """
    rows = BusinessException.objects.with_state(now).select_related("approved_by", "proposed_by", "decision")
    mine = rows.filter(operation=operation_id, excuses=Excuses.SECOND_OPERATION.value, state=State.USABLE.value)
    found: BusinessException | None = mine.order_by("-id").first()
    if found is None:
        return None
    standing = reading.operation(operation_id).standing(now=now)
    return found if _why_not_now(found, standing) is None else None


def use(pen: recording.Pen, exception: BusinessException, *, successor: UUID, by: User) -> BusinessException:
    """Use an exception up for one second operation (`successor`), in the caller's transaction and under its lock.

    The caller writes the decision that rests on it, with the exception's id in its content, and links the successor
    after this: while one is open, the core permits no exception. Raises `NotUsable` and recording's `NotPermitted`;
    then nothing is written.
    """
    recording.require(pen, Action.EXCEPT)
    row = BusinessException.objects.select_for_update(of=("self",)).with_state(pen.now).get(pk=exception.pk)
    if row.operation_id != pen.operation.id or row.excuses != Excuses.SECOND_OPERATION:
        raise NotUsable("This exception excuses something else.")
    if row.state != State.USABLE:
        raise NotUsable(f"This exception excuses nothing now: {in_words(row.state)}.")
    refused = _why_not_now(row, pen.read().standing(now=pen.now))
    if refused is not None:
        raise NotUsable(refused)
    row.used_at, row.used_by, row.successor_id = pen.now, by, successor
    row.save(update_fields=("used_at", "used_by", "successor"))
    used: BusinessException = row
    return used

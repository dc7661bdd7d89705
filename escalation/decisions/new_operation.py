"""Authorising a new operation: another identity carries the intent of an original, which stays as it is. Nothing is sent.

semantics.md, Permitted actions: `propose_new` opens the separate question of authority for another operation. Where the
core refuses it, an accepted risk may excuse one; both go through the core's own verdict under the lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from escalation.decisions.business_exception import usable, use
from escalation.decisions.proposing import WrongProposal, bound
from escalation.decisions.taking import Door, Taker, take
from escalation.models import NewOperation
from escalation.policy import May
from operations import recording
from operations.core.actions import Action
from operations.core.prose import can_still_happen, happened
from operations.core.standing import Situation, Standing

if TYPE_CHECKING:
    from escalation.models import BusinessException
    from operations.core.representation import Representation
    from operations.models import Decision, Operation

NAME: Final = "new_operation"
# How long the agent has to begin the first attempt; after that an operator gives leave on the new operation's own page.
AGENT_WITHIN: Final = timedelta(minutes=15)
_SAYS: Final = {
    Situation.CONFLICT: "The recipient contradicts itself about the original.",
    Situation.APPLIED: "The recipient says that the original happened.",
    Situation.CLOSED: "The recipient says that the original ended without effect, for good.",
    Situation.NOTHING_CAN_ACT: "Nothing that was sent of the original can act: it was refused for good or never left.",
    Situation.OPEN: "The recipient has established neither that the original happened nor that it can't any more.",
}


class NoExcuse(Exception):
    """The accepted risk that this was to rest on excuses nothing now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """What permits a new operation, as somebody typed it; `preconditions` are what was checked, each with by whom."""

    authority: str
    because: str
    reference: str
    preconditions: tuple[tuple[str, str], ...]

    def columns(self) -> dict[str, Any]:
        """Return it as the row and the decision hold it."""
        return {
            "authority": self.authority,
            "because": self.because,
            "reference": self.reference,
            "preconditions": [{"what": what, "by": by} for what, by in self.preconditions],
        }


def established(standing: Standing) -> str:
    """Return what the recipient established about the original, told from its standing."""
    return (
        f"{_SAYS[standing.situation]} Did it happen? {happened(standing)}."
        f" Could it still happen? {can_still_happen(standing)}."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """What one decision writes beside itself, step by step."""

    request: Representation
    authority: Authority
    taker: Taker
    by_exception: bool
    excuse: int | None

    def row(self, pen: recording.Pen, decision: Decision) -> NewOperation:
        """Bind the new operation, use the excuse up, link both, and write the door's row."""
        told = established(pen.read().standing(now=pen.now))
        successor = self._bound(pen, decision)
        exception = self._excuse(pen, successor) if self.by_exception else None
        recording.name_successor(pen, decision, successor=successor, by=self.taker.person.username)
        return NewOperation.objects.create(
            decision=decision,
            operation=pen.operation,
            successor=successor,
            established=told,
            exception=exception,
            **self.authority.columns(),
        )

    def _bound(self, pen: recording.Pen, decision: Decision) -> Operation:
        binding = bound(pen.operation, self.request, authority=self.authority.authority)
        try:
            return recording.succeed(
                pen,
                decision,
                binding=binding,
                grant_ends_at=pen.now + AGENT_WITHIN,
                by=self.taker.person.username,
            )
        except recording.IdentityTaken as taken:
            raise WrongProposal("identity", str(taken)) from None

    def _excuse(self, pen: recording.Pen, successor: Operation) -> BusinessException:
        found = usable(pen.operation.id, self.taker.now)
        if found is None or found.pk != self.excuse:
            raise NoExcuse("The accepted risk that it was to rest on excuses no second operation now.")
        return use(pen, found, successor=successor.id, by=self.taker.person)


def authorise_new(
    operation_id: UUID, taker: Taker, *, request: Representation, authority: Authority, by_exception: bool = False
) -> NewOperation:
    """Authorise one new operation in place of an original; `by_exception`: by the accepted risk, which it uses up.

    Raises what `take` raises, `WrongProposal`, `NoExcuse` and business_exception's `NotUsable`; then nothing is written.
    """
    found = usable(operation_id, taker.now) if by_exception else None
    excuse = None if found is None else found.pk
    stated = {} if excuse is None else {"exception_id": excuse}
    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Action.EXCEPT if by_exception else Action.PROPOSE_NEW, may=May.AUTHORISE_NEW),
        content={
            "request_number": request.identity,
            "request_digest": request.digest,
            **authority.columns(),
            **stated,
        },
        write=_Writing(request=request, authority=authority, taker=taker, by_exception=by_exception, excuse=excuse).row,
        again=lambda decision: NewOperation.objects.get(decision=decision),
        request=request,
    )

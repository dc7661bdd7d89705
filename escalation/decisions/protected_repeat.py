"""The same request goes out once more, by this desk or by the agent that sent before: authorised here, sent elsewhere.

semantics.md, Permitted actions: the identical representation in the identical scope under the identical identity. Both
ways end before protection does; what comes of it is the dispatch's, or the grant's use, to say.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from django.db import transaction
from kombu.exceptions import OperationalError

from escalation.decisions.places import may_repeat
from escalation.decisions.taking import Door, Taker, take
from escalation.models import ProtectedRepeat
from escalation.models.protected_repeat import AGENT, DESK
from operations import dispatch, reading, recording, tasks
from operations.core.actions import Action
from operations.recording import dispatching, granting

if TYPE_CHECKING:
    from operations.models import Decision

NAME = "protected_repeat"
# How long this desk may take to begin, and an agent to fetch its grant and begin; less where protection ends first.
DESK_WITHIN: Final = timedelta(minutes=2)
AGENT_WITHIN: Final = timedelta(minutes=15)
_SHORT_OF_THE_END: Final = timedelta(seconds=1)

log = logging.getLogger(__name__)


class TooLate(Exception):
    """The window closes before a repeat could begin; the message is a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writing:
    """What one decision writes beside itself."""

    executor: str
    taker: Taker

    def row(self, pen: recording.Pen, decision: "Decision") -> ProtectedRepeat:
        """Write the door's row with the attempt of this desk, or with the grant for the agent."""
        standing = recording.require(pen, Action.REPEAT, scope=pen.operation.scope)
        ends_at = _ends_at(reading.moment(standing.protection_until), now=pen.now, executor=self.executor)
        if dispatching.under_way(pen.operation.id) is not None:
            raise dispatching.UnderWay("This desk is sending it already; see below how far it has come.")
        made = self._sent_here if self.executor == DESK else self._granted
        return made(pen, decision, ends_at)

    def _sent_here(self, pen: recording.Pen, decision: "Decision", ends_at: datetime) -> ProtectedRepeat:
        ready = dispatch.prepared(pen.operation)
        attempt, _ = dispatching.authorise_send(
            pen,
            address=ready.reach.address,
            credential=ready.credential,
            send_by=ends_at,
            by=f"desk, for {self.taker.person.username}",
        )
        transaction.on_commit(lambda: _announce(attempt.id))
        return ProtectedRepeat.objects.create(
            decision=decision, operation=pen.operation, executor=DESK, attempt=attempt
        )

    def _granted(self, pen: recording.Pen, decision: "Decision", ends_at: datetime) -> ProtectedRepeat:
        given = granting.grant(pen, decision, ends_at=ends_at, by=self.taker.person.username)
        return ProtectedRepeat.objects.create(decision=decision, operation=pen.operation, executor=AGENT, grant=given)


def _ends_at(protected_until: datetime | None, *, now: datetime, executor: str) -> datetime:
    within = now + (DESK_WITHIN if executor == DESK else AGENT_WITHIN)
    ends_at = within if protected_until is None else min(within, protected_until - _SHORT_OF_THE_END)
    if ends_at <= now:
        raise TooLate("The time in which it is safe to send again ends before it could begin.")
    return ends_at


def _announce(attempt: UUID) -> None:
    """A hint to the workers; without a broker the sweep finds the send a few seconds later (design.md, rule 5)."""
    try:
        tasks.send.apply_async((str(attempt),), retry=False)
    except OperationalError as error:
        log.warning("a send wasn't announced, the sweep will: %s", error)


def protected_repeat(operation_id: UUID, taker: Taker, *, executor: str) -> ProtectedRepeat:
    """Authorise one repeat; `executor` is `desk` or `agent`. Nothing is sent in here, and nothing before it is on record.

    Raises what `take` raises, `TooLate`, dispatching's `UnderWay` and dispatch's `CannotSend`; then nothing is written.
    """
    bound = reading.operation(operation_id).operation
    return take(
        operation_id,
        taker,
        door=Door(name=NAME, action=Action.REPEAT, may=may_repeat(bound)),
        content={"executor": executor, "digest": bound.digest, "scope": bound.scope},
        write=_Writing(executor=executor, taker=taker).row,
        again=lambda decision: ProtectedRepeat.objects.get(decision=decision),
    )

"""One act at the door, whether it came alone or in a batch: what was asked becomes a value, and recording writes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations import reading, recording
from operations.api import said
from operations.api.asked import Begin, Register, Reply, Request, Say, WireFact
from operations.api.door import Visit
from operations.api.fields import desk_time, lines
from operations.api.other_bytes import other_bytes
from operations.api.problems import Problem, wrong_field
from operations.binding import binding_of
from operations.channels.received import DROPPED
from operations.contracts.channel import Kind
from operations.core.facts import Sends
from operations.core.representation import Representation
from operations.needing import ask_for_a_person, tell_of_other_bytes
from operations.recording import Binding, Intent, Origin, Report, dispatching
from operations.reporting import WORDS_CHANNEL, channel_of, report, say

if TYPE_CHECKING:
    from operations.models import Contract, Operation


# A reply's lines that hand a secret out are kept by nobody, whoever asked.
SECRET: Final = frozenset(name.decode() for name in DROPPED)


@dataclass(slots=True)
class Act:
    """The acts of one visit. Contracts in force are looked up once a recipient."""

    visit: Visit
    _contracts: dict[int, Contract] = field(default_factory=dict)

    def contract(self, recipient: str) -> Contract:
        """Return the contract in force of a recipient that the key is for."""
        row_id = self.visit.recipient(recipient)
        if row_id not in self._contracts:
            found = reading.contract_in_force(row_id)
            if found is None:
                raise Problem(409, "no_contract", f"No contract of the recipient {recipient} is published.")
            self._contracts[row_id] = found
        return self._contracts[row_id]

    def wanted(self, asked: Register) -> tuple[Binding, Intent]:
        """Return what is to be registered; raises what `binding_of` raises."""
        self._require_may_send(asked.attempt.sends)
        origin = asked.origin
        binding = binding_of(
            self.contract(asked.recipient),
            _representation(asked.request, identity=asked.identity),
            origin=Origin(agent=origin.agent, run=origin.run, call=origin.call, tool=origin.tool),
            authorised_by=asked.authorised_by,
            deadline=asked.deadline,
        )
        return binding, self._intent(asked.attempt.id, asked.attempt.sends, asked.request.scope, asked)

    def register(self, asked: Register) -> recording.Registered:
        """Register alone; raises what `recording.register` raises."""
        binding, intent = self.wanted(asked)
        if asked.attempt.unasked:
            try:
                return recording.register_unasked(
                    binding, intent=intent, now=self.visit.now, by=self.visit.caller.source
                )
            except recording.NewProposal as error:
                self._tell_of_other_bytes(asked, binding.representation, error)
                raise
        return recording.register(binding, intent=intent, now=self.visit.now, by=self.visit.caller.source)

    def _tell_of_other_bytes(self, asked: Register, went_out: Representation, error: recording.NewProposal) -> None:
        """Keep what the record of the operation can't hold, as words about it, which call a person."""
        told = Report(
            event=f"other:{asked.attempt.id}",
            channel=WORDS_CHANNEL,
            received_at=desk_time(asked.attempt.begun_at, clock=asked.clock, now=self.visit.now),
            authentic=False,
            words=other_bytes(asked.attempt, went_out, error.comparison),
        )
        tell_of_other_bytes(error.operation_id, told, now=self.visit.now, source=self.visit.caller.source)

    def begin(self, operation_id: UUID, asked: Begin) -> said.Begun:
        """Begin a further attempt; raises what `recording.begin` raises."""
        self._require_may_begin(asked)
        row = self._bound(operation_id)
        if asked.digest is not None and asked.digest != row.digest:
            raise Problem(
                409,
                "new_proposal",
                "What would be sent is not what this operation is bound to. Nothing was recorded: do not send.",
                more={"operation": str(row.id), "digest": row.digest},
            )
        scope = row.scope if asked.scope is None else asked.scope
        intent = self._intent(asked.id, asked.sends, scope, asked)
        attempt = recording.begin(
            row.id,
            intent,
            now=self.visit.now,
            by=self.visit.caller.source,
            grant=asked.grant,
            digest=asked.digest,
        )
        return said.Begun(
            operation=row.id,
            created=attempt.recorded_at == self.visit.now,  # what was on record was recorded before this visit
            number=attempt.number,
            attempt=said.AttemptSaid(id=attempt.attempt, recorded=True),
        )

    def reply(self, operation_id: UUID, asked: Reply) -> said.Observed:
        """Store what came on the connection of an attempt."""
        row = self._bound(operation_id)
        _require_not_ours(row, asked.attempt)
        channel = channel_of(reading.in_force(row), Kind.REPLY, named=asked.channel)
        return self._report(
            row,
            Report(
                event=f"reply:{asked.event}",
                channel=channel,
                received_at=desk_time(asked.received_at, clock=asked.clock, now=self.visit.now),
                authentic=True,
                attempt=asked.attempt,
                status=asked.status,
                headers=tuple([line for line in lines(asked.headers) if line[0].lower() not in SECRET]),
                payload=asked.body,
                truncated=asked.truncated,
            ),
        )

    def wire_fact(self, operation_id: UUID, asked: WireFact) -> said.Observed:
        """Store what the owner of the socket knows of its own side."""
        row = self._bound(operation_id)
        _require_not_ours(row, asked.attempt)
        return self._report(
            row,
            Report(
                event=f"fact:{asked.event}",
                channel=channel_of(reading.in_force(row), Kind.CLIENT),
                received_at=desk_time(asked.at, clock=asked.clock, now=self.visit.now),
                authentic=True,
                attempt=asked.attempt,
                fact=asked.fact,
            ),
        )

    def say(self, operation_id: UUID, asked: Say) -> said.Observed:
        """Store words, which are never evidence."""
        row = self._bound(operation_id)
        told = self._words(asked, event=f"words:{asked.event}")
        found = say(row.id, told, now=self.visit.now, source=self.visit.caller.source)
        return said.Observed(operation=row.id, observation=found.observation_id, created=found.created)

    def ask_for_a_person(self, operation_id: UUID, asked: Say) -> said.Observed:
        """Store words that call a person, and are never evidence either."""
        row = self._bound(operation_id)
        told = self._words(asked, event=f"person:{asked.event}")
        found = ask_for_a_person(row.id, told, now=self.visit.now, source=self.visit.caller.source)
        return said.Observed(operation=row.id, observation=found.observation_id, created=found.created)

    def _words(self, asked: Say, *, event: str) -> Report:
        return Report(
            event=event,
            channel=WORDS_CHANNEL,
            received_at=desk_time(asked.said_at, clock=asked.clock, now=self.visit.now),
            authentic=False,
            attempt=asked.attempt,
            words=asked.words,
        )

    def seal(self, operation_id: UUID) -> said.Sealed:
        """Record that the writers begin no further attempt without a grant."""
        row = self._bound(operation_id)
        recording.seal(row.id, now=self.visit.now, by=self.visit.caller.source)
        return said.Sealed(operation=row.id)

    def standing(self, operation_id: UUID) -> said.Standing:
        """Return what is known of an operation that was found already."""
        return said.standing_said(reading.operation(operation_id), now=self.visit.now)

    def _bound(self, operation_id: UUID) -> Operation:
        return reading.bound(operation_id, recipients=self.visit.recipients)

    def _report(self, row: Operation, told: Report) -> said.Observed:
        visit = self.visit
        found = report(row.id, told, now=visit.now, source=visit.caller.source, recipients=visit.recipients)
        return said.Observed(operation=row.id, observation=found.observation_id, created=found.created)

    def _require_may_begin(self, asked: Begin) -> None:
        """A grant is used by whoever fetches results or owns the socket, for bytes that they name."""
        self._require_may_send(asked.sends)
        if asked.grant is None:
            return
        self.visit.require_scope("transport", "collect", to="use a grant")
        if asked.digest is None:
            raise wrong_field("/digest", "missing", "is required with a grant")

    def _require_may_send(self, sends: str) -> None:
        if sends == Sends.ONE:
            self.visit.require_scope("transport", to="say that an attempt is sent once")

    def _intent(self, attempt: str, sends: str, scope: str, asked: Register | Begin) -> Intent:
        begun_at = asked.attempt.begun_at if isinstance(asked, Register) else asked.begun_at
        at = desk_time(begun_at, clock=asked.clock, now=self.visit.now)
        return Intent(attempt=attempt, sends=Sends(sends), scope=scope, begun_at=at)


def _require_not_ours(row: Operation, attempt: str) -> None:
    """Raise the problem of an attempt that this desk sends: nobody else owned its socket (design.md, rule 3a)."""
    if dispatching.sends(row.id, attempt):
        raise Problem(
            409,
            "sent_by_this_desk",
            "This desk sends that attempt itself, and records what comes of it. Nothing was recorded.",
        )


def registered_said(found: recording.Registered, *, attempt: str) -> said.Registered:
    """Return what a registration led to."""
    return said.Registered(
        operation=found.operation_id,
        created=found.created,
        attempt=said.AttemptSaid(id=attempt, recorded=found.begun),
        confronts=found.confronts,
    )


def _representation(asked: Request, *, identity: str) -> Representation:
    return Representation(
        method=asked.method,
        target=asked.target,
        headers=lines(asked.headers),
        body=asked.body,
        arguments=asked.arguments,
        scope=asked.scope,
        identity=identity,
    )

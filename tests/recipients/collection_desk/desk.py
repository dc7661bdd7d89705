"""The desk and the road to it, as one machine: the same commands at the same times give the same state.

Each command is one step that is told the time; `running` puts it into the journal first. A message that is held waits
here by the id of its passage, at one of three stages: on its way in, in work, or with its reply on the way back.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from tests.recipients.collection_desk import answers
from tests.recipients.collection_desk.cache import AbsentCache
from tests.recipients.collection_desk.clerk import Clerk
from tests.recipients.collection_desk.ledger import Did, Ledger, Passage
from tests.recipients.collection_desk.programme import PLAIN, Instruction
from tests.recipients.collection_desk.reads import Reads
from tests.recipients.collection_desk.strict import made
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import Answer, DeskError, Door, Identity, Request

MOST_HELD: Final = 10_000
Stage = Literal["request", "work", "reply"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A message that waits for control. `answer`: the reply that is held."""

    passage: Passage
    instruction: Instruction
    stage: Stage
    answer: Answer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happens on the connection: an answer, whole or truncated, an ending without one, or waiting for control."""

    answer: Answer | None = None
    truncated: bool = False
    ending: str = "closed"
    held: str | None = None


class Desk:
    """Everything that the collection desk is, without threads, sockets or a clock."""

    def __init__(self, terms: Terms | None = None) -> None:
        self.ledger = Ledger()
        self.clerk = Clerk(self.ledger, terms or Terms())
        self.reads = Reads(self.clerk)
        self.cache = AbsentCache()
        self.holds: dict[str, Hold] = {}

    def identity(self, *, key: str | None, account: str | None) -> Identity | None:
        """Return the identity that a key names for this account; None where no keys are kept."""
        if key is None or account is None or self.clerk.terms.mechanism == "none":
            return None
        return Identity(account if self.clerk.terms.key_scope == "credential" else "desk", key)

    # The road in.

    def receive(self, request: Request, *, instruction: Instruction = PLAIN, now: float) -> Outcome:
        """Let a request set out, and return what becomes of its connection."""
        return self._set_out(request, instruction=instruction, now=now)

    def copy(self, passage_id: str, *, now: float) -> Answer | None:
        """Let a copy of an earlier request arrive; returns what the desk answers, which nobody reads."""
        original = self.ledger.passages.get(passage_id)
        if original is None:
            raise DeskError(f"No request {passage_id} was sent.")
        return self._set_out(original.request, instruction=PLAIN, now=now, copy_of=passage_id).answer

    def _set_out(
        self, request: Request, *, instruction: Instruction, now: float, copy_of: str | None = None
    ) -> Outcome:
        identity = self.identity(key=request.key, account=request.account)
        passage = self.ledger.pass_on(request, at=now, identity=identity, copy_of=copy_of)
        if instruction.request == "held":
            return self._hold(Hold(passage=passage, instruction=instruction, stage="request"), now)
        if instruction.request == "lost":
            self._note(Did.LOST, passage, now, message="request")
            return Outcome(ending=instruction.ending)
        return self._arrive(passage, instruction, now)

    def _arrive(self, passage: Passage, instruction: Instruction, now: float) -> Outcome:
        if passage.request.door is not Door.TICKETS:
            return self._reply(passage, instruction, self._asked(passage, instruction, now), now)
        answer = self.clerk.receive(passage, instruction=instruction, now=now)
        if answer is None and instruction.work == "held":
            return self._hold(Hold(passage=passage, instruction=instruction, stage="work"), now)
        if answer is None:
            answer = self.clerk.complete(passage, instruction=instruction, now=now)
        return self._reply(passage, instruction, answer, now)

    def _asked(self, passage: Passage, instruction: Instruction, now: float) -> Answer:
        away = self.clerk.told_away(passage, instruction=instruction, now=now)
        if away is not None:
            return away
        if passage.request.door is Door.CLOSE:
            return self._close(passage, now)
        if passage.request.door is not Door.OPERATION or instruction.says:
            return self.reads.answer(passage, says=instruction.says, now=now)
        seconds = self.clerk.terms.absent_cached_for
        return self.cache.answer(
            passage, kept_for=seconds, now=now, ask=lambda: self.reads.answer(passage, says=None, now=now)
        )

    def _close(self, passage: Passage, now: float) -> Answer:
        if passage.identity is None:
            return answers.no_identity(passage, as_of=now)
        if not self.reads.operation(passage.identity, as_of=now)["tickets"]:
            self.clerk.close(passage.identity, now=now)
        return Answer(status=200, body=self.reads.operation(passage.identity, as_of=now))

    # The road back.

    def _reply(self, passage: Passage, instruction: Instruction, answer: Answer, now: float) -> Outcome:
        self._note(Did.ANSWERED, passage, now, status=answer.status, reply=instruction.reply)
        if instruction.reply == "held":
            return self._hold(Hold(passage=passage, instruction=instruction, stage="reply", answer=answer), now)
        if instruction.reply == "lost":
            return Outcome(ending=instruction.ending)
        return Outcome(answer=answer, truncated=instruction.reply == "truncated", ending=instruction.ending)

    def _hold(self, hold: Hold, now: float) -> Outcome:
        if len(self.holds) >= MOST_HELD:
            raise DeskError(f"{MOST_HELD} messages are held already.")
        self.holds[hold.passage.id] = hold
        self._note(Did.HELD, hold.passage, now, message=hold.stage)
        return Outcome(held=hold.passage.id)

    def _note(self, did: Did, passage: Passage, now: float, **detail: Any) -> None:
        """Write what befell a message; what only reads is counted, not written."""
        if passage.request.door.writes:
            self.ledger.write(did, at=now, passage=passage.id, **detail)

    # What control says.

    def release(self, passage_id: str, *, now: float) -> Outcome:
        """Let a held message go on, and return what becomes of its connection."""
        hold = self._let_go(passage_id)
        instruction, passage = hold.instruction, hold.passage
        self._note(Did.RELEASED, passage, now, message=hold.stage)
        if hold.stage == "request":
            return self._arrive(passage, replace(instruction, request="delivered"), now)
        if hold.stage == "work":
            answer = self.clerk.complete(passage, instruction=instruction, now=now)
            return self._reply(passage, instruction, answer, now)
        return Outcome(answer=hold.answer)

    def lose(self, passage_id: str, *, now: float) -> Outcome:
        """Let a held message get lost: what is in work then ends without a ticket."""
        hold = self._let_go(passage_id)
        if hold.stage == "work":
            self.clerk.abandon(hold.passage, now=now)
        self._note(Did.LOST, hold.passage, now, message=hold.stage)
        return Outcome(ending=hold.instruction.ending)

    def _let_go(self, passage_id: str) -> Hold:
        if passage_id not in self.holds:
            raise DeskError(f"Nothing is held of {passage_id}.")
        return self.holds.pop(passage_id)

    def finish(self, passage_id: str, *, handling: str, now: float) -> None:
        """End what was accepted for later: `issue`, `refuse` or `fail_before`."""
        if handling not in ("issue", "refuse", "fail_before"):
            raise DeskError("handling must be issue, refuse or fail_before.")
        self.clerk.finish(passage_id, handling=handling, now=now)

    def collect(self, number: str, *, now: float) -> None:
        """Hand a parcel over."""
        self.ledger.collect(number, at=now)

    def forget(self, key: str, *, account: str, now: float) -> None:
        """Forget a key before its time."""
        identity = self.identity(key=key, account=account)
        if identity is None:
            raise DeskError("This desk keeps no keys.")
        self.clerk.forget(identity, now=now)

    def catch_up(self, *, now: float) -> None:  # noqa: ARG002 - every command is told the time
        """Bring the index up to date where the terms hold it."""
        self.reads.catch_up()

    def change_terms(self, *, now: float, **changes: Any) -> None:  # noqa: ARG002 - every command is told the time
        """Change some of the terms; what is done stays done."""
        terms = made(Terms, {**asdict(self.clerk.terms), **changes})
        if terms.search_lag == "held" and self.clerk.terms.search_lag != "held":
            self.reads.catch_up()
        self.clerk.terms = terms

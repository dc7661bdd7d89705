"""What the desk does with a request for a ticket once it has come in.

A request passes the checks in the order of CHECKS; the first that answers ends it without a ticket. What passes all of
them is in work until it is completed, which may be much later: closing is checked once more before anything is issued.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple
from urllib.parse import quote

from tests.recipients.collection_desk import answers
from tests.recipients.collection_desk.keys import Keys, Standing
from tests.recipients.collection_desk.ledger import Did, Ledger, Passage
from tests.recipients.collection_desk.programme import Instruction
from tests.recipients.collection_desk.record import Record, view
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import Answer, DeskError, Identity, is_name

REPLAYED: Final = ("Idempotent-Replayed", "true")


class Closure(NamedTuple):
    """One closing of an identity."""

    at: float
    covers: str


class Arrival(NamedTuple):
    """A passage as it comes in: when, and what is to be done with it."""

    passage: Passage
    instruction: Instruction
    now: float


class Clerk:
    """Serves passages against a ledger and a store of keys; `terms` may change at any time."""

    def __init__(self, ledger: Ledger, terms: Terms) -> None:
        self.terms = terms
        self.ledger = ledger
        self.keys = Keys(ledger.exists)
        self.pending: dict[str, Passage] = {}
        self._closures: dict[Identity, list[Closure]] = defaultdict(list)
        self._refused: set[tuple[Identity | None, str]] = set()

    def receive(self, passage: Passage, *, instruction: Instruction, now: float) -> Answer | None:
        """Take a request in; returns what a check answers, or None: it is in work and to be completed."""
        self.ledger.write(Did.RECEIVED, at=now, passage=passage.id, identity=passage.identity)
        for check in CHECKS:
            answer = check(self, Arrival(passage, instruction, now))
            if answer is not None:
                self._write_end(passage, answer, now)
                return answer
        if passage.identity is not None:
            arguments = passage.request.arguments
            assert arguments is not None, "checked before"
            self.keys.begin(passage.identity, passage=passage.id, arguments=arguments, terms=self.terms, now=now)
        return None

    def _write_end(self, passage: Passage, answer: Answer, now: float) -> None:
        did = Did.TURNED_AWAY
        if dict(answer.headers).get(REPLAYED[0]):
            did = Did.REPLAYED
        elif answer.body and answer.body.get("covers_copies"):
            did = Did.REFUSED
        self.ledger.write(did, at=now, passage=passage.id, identity=passage.identity, status=answer.status)

    # The checks.

    def _credential(self, arrival: Arrival) -> Answer | None:
        if arrival.passage.request.account is not None:
            return None
        answer = answers.refusal(arrival.passage, 401, "no-credential", as_of=arrival.now)
        return answer.with_headers(("WWW-Authenticate", "Bearer"))

    def _told_away(self, arrival: Arrival) -> Answer | None:
        return self.told_away(arrival.passage, instruction=arrival.instruction, now=arrival.now)

    def told_away(self, passage: Passage, *, instruction: Instruction, now: float) -> Answer | None:
        """Return what turns a request at any door away this time, if that was told."""
        if instruction.handling != "turn_away":
            return None
        return self._later(answers.refusal(passage, instruction.status or 429, "turned-away", as_of=now), now)

    def _well_formed(self, arrival: Arrival) -> Answer | None:
        passage = arrival.passage
        if self.terms.mechanism == "key" and not is_name(passage.request.key):
            return answers.refusal(passage, 400, "no-key", as_of=arrival.now)
        if passage.request.arguments is None:
            return answers.refusal(passage, 422, "malformed", as_of=arrival.now, covers_copies=True)
        return None

    def _not_closed(self, arrival: Arrival) -> Answer | None:
        if not self.is_closed_for(arrival.passage):
            return None
        return answers.refusal(arrival.passage, 410, "closed", as_of=arrival.now)

    def _not_refused(self, arrival: Arrival) -> Answer | None:
        passage = arrival.passage
        if (passage.identity, passage.request.digest) not in self._refused:
            return None
        return answers.refusal(passage, 422, "refused", as_of=arrival.now, covers_copies=True)

    def _key(self, arrival: Arrival) -> Answer | None:
        passage = arrival.passage
        if passage.identity is None:
            return None
        standing = self.keys.standing(passage.identity, terms=self.terms, now=arrival.now)
        if standing is Standing.FORGOTTEN and self.terms.after == "refused":
            return answers.refusal(passage, 412, "key-expired", as_of=arrival.now)
        if standing in (Standing.UNKNOWN, Standing.FORGOTTEN):
            return None
        changed = self.keys.arguments(passage.identity) != passage.request.arguments
        if changed and self.terms.changed_arguments == "refused":
            return answers.refusal(passage, 422, "changed-arguments", as_of=arrival.now)
        if standing is Standing.KEPT:
            return self.keys.answer(passage.identity).with_headers(REPLAYED)
        if self.terms.concurrent_use == "unprotected":
            return None
        return self._later(answers.refusal(passage, 409, "key-in-use", as_of=arrival.now), arrival.now)

    def _later(self, answer: Answer, now: float) -> Answer:
        if answer.status not in (409, 429, 503):
            return answer
        return answer.with_headers(answers.retry_after(self.terms, now=now))

    def is_closed_for(self, passage: Passage) -> bool:
        """Whether a closure covers this passage: for good, or because it was sent before."""
        closures = self._closures.get(passage.identity, []) if passage.identity else []
        return any(one.covers == "identity" or passage.sent_at <= one.at for one in closures)

    # What is in work.

    def complete(self, passage: Passage, *, instruction: Instruction, now: float) -> Answer:
        """End the work on a passage as it was told; what was closed meanwhile ends without a ticket."""
        closed = self._not_closed(Arrival(passage, instruction, now))
        if closed is not None:
            self._write_end(passage, closed, now)
            self._end(passage, None)
            return closed
        answer, ticket = self._handled(passage, instruction=instruction, now=now)
        kept = instruction.kept if instruction.kept is not None else self._is_kept(answer)
        self._end(passage, answer if kept else None, ticket=ticket)
        return answer

    def _is_kept(self, answer: Answer) -> bool:
        return answer.succeeded or self.terms.covers == "every_outcome"

    def _end(self, passage: Passage, answer: Answer | None, *, ticket: str | None = None) -> None:
        if passage.identity is not None:
            self.keys.finish(passage.identity, passage=passage.id, answer=answer, ticket=ticket)

    def _handled(self, passage: Passage, *, instruction: Instruction, now: float) -> tuple[Answer, str | None]:
        if instruction.handling == "accept":
            return self._accepted(passage, now), None
        if instruction.handling == "refuse":
            self._refused.add((passage.identity, passage.request.digest))
            self.ledger.write(Did.REFUSED, at=now, passage=passage.id, identity=passage.identity)
            return answers.refusal(passage, 422, "refused", as_of=now, covers_copies=True), None
        if instruction.handling == "fail_before":
            self.ledger.write(Did.FAILED, at=now, passage=passage.id, identity=passage.identity)
            return answers.refusal(passage, instruction.status or 500, "failed", as_of=now), None
        ticket = self.ledger.issue(passage, at=now)
        if instruction.handling == "fail_after":
            return answers.refusal(passage, instruction.status or 500, "failed", as_of=now), ticket.number
        told = view(
            Record(tickets=[ticket.number], admitted_at=now),
            key=passage.identity.key if passage.identity else None,
            arguments=passage.request.arguments,
            tickets=[ticket],
            as_of=now,
        )
        return Answer(status=201, body=told, headers=(("Location", f"/tickets/{ticket.number}"),)), ticket.number

    def _accepted(self, passage: Passage, now: float) -> Answer:
        self.ledger.write(Did.PENDING, at=now, passage=passage.id, identity=passage.identity)
        self.pending[passage.id] = passage
        told = view(
            Record(pending={passage.id}, admitted_at=now),
            key=passage.identity.key if passage.identity else None,
            arguments=passage.request.arguments,
            tickets=[],
            as_of=now,
        )
        where = ("Location", location(passage))
        return Answer(status=202, body=told, headers=(where, answers.retry_after(self.terms, now=now)))

    # What control and closing requests do.

    def finish(self, passage_id: str, *, handling: str, now: float) -> None:
        """End what is pending: `issue`, `refuse` or `fail_before`; its outcome replaces the one kept at acceptance."""
        passage = self.pending.pop(passage_id, None)
        if passage is None:
            raise DeskError(f"{passage_id} is not pending.")
        if passage.identity is not None:
            self.keys.unkeep(passage.identity)
        self.complete(passage, instruction=Instruction(handling=handling), now=now)  # type: ignore[arg-type]

    def abandon(self, passage: Passage, *, now: float) -> None:
        """The one who had it in work is gone: no ticket, and nothing kept."""
        self.ledger.write(Did.FAILED, at=now, passage=passage.id, identity=passage.identity)
        self._end(passage, None)

    def close(self, identity: Identity, *, now: float) -> None:
        """End an operation: what is covered by the terms' closure issues nothing from now on, pending or on its way."""
        covers = self.terms.closure
        self._closures[identity].append(Closure(now, covers))
        self.ledger.write(Did.CLOSED, at=now, identity=identity, covers=covers)
        for passage_id in [name for name, passage in self.pending.items() if passage.identity == identity]:
            del self.pending[passage_id]
            self.keys.unkeep(identity)

    def forget(self, identity: Identity, *, now: float) -> None:
        """Drop an identity from the store before its time."""
        if not self.keys.drop(identity):
            raise DeskError(f"No key {identity.key} is kept.")
        self.ledger.write(Did.FORGOTTEN, at=now, identity=identity)


def location(passage: Passage) -> str:
    """Where the status of an accepted request is read: by its key, or by its number where the desk keeps no keys."""
    if passage.identity is None:
        return f"/requests/{passage.id}"
    return f"/operations/{quote(passage.identity.key, safe='')}"


CHECKS: Final[tuple[Callable[[Clerk, Arrival], Answer | None], ...]] = (
    Clerk._credential,
    Clerk._told_away,
    Clerk._well_formed,
    Clerk._not_closed,
    Clerk._not_refused,
    Clerk._key,
)

"""What can be asked: the strong record, the list of what exists now, the lagging index, the keys. Nothing changes."""

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from tests.recipients.collection_desk import answers
from tests.recipients.collection_desk.clerk import Clerk
from tests.recipients.collection_desk.keys import Standing
from tests.recipients.collection_desk.ledger import Act, Did, Passage, Ticket
from tests.recipients.collection_desk.record import record_of, ticket_view, view
from tests.recipients.collection_desk.values import Answer, Arguments, Identity, stamp

COVERS: Final = (
    "Every request that was admitted under this key up to as_of, tickets that were collected included. "
    "A request that has not been received yet may still come."
)
PAGE: Final = 100
INVENTED: Final = "T-0"


class Reads:
    """Answers from what a clerk and its ledger hold. The index follows the tickets at the distance of the terms."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._ledger = clerk.ledger
        self._changes: list[Act] = []
        self._seen = 0
        self._held_at = 0

    def answer(self, passage: Passage, *, says: str | None, now: float) -> Answer:
        """Answer what this passage asks."""
        if passage.request.account is None:
            return answers.no_identity(passage, as_of=now)
        if says is not None:
            return self._untrue(passage, says, now)
        return ASKED[passage.request.door.value](self, passage, now)

    # One operation, one request.

    def _operation(self, passage: Passage, now: float) -> Answer:
        if passage.identity is None:
            return answers.no_identity(passage, as_of=now)
        told = self.operation(passage.identity, as_of=now)
        return self._absent(passage, now) if told["state"] == "absent" else self._tagged(passage, told, now)

    def operation(self, identity: Identity, *, as_of: float, up_to: int | None = None) -> dict[str, Any]:
        """The operation as the record shows it, or as it showed it after act number `up_to`."""
        acts = [act for act in self._ledger.acts_of(identity) if up_to is None or act.number <= up_to]
        return self._view(acts, key=identity.key, as_of=as_of)

    def told_of(self, act: Act) -> dict[str, Any]:
        """What the record shows right after this act, of its operation or, where no keys are kept, of its request."""
        if act.identity is not None:
            return self.operation(act.identity, as_of=act.at, up_to=act.number)
        acts = self._ledger.acts_by(act.passage or "")
        return self._view([one for one in acts if one.number <= act.number], key=None, as_of=act.at)

    def _view(self, acts: list[Act], *, key: str | None, as_of: float) -> dict[str, Any]:
        record = record_of(acts)
        tickets = [self._ledger.tickets[number] for number in record.tickets]
        return view(record, key=key, arguments=self._arguments(acts, tickets), tickets=tickets, as_of=as_of)

    def _arguments(self, acts: list[Act], tickets: list[Ticket]) -> Arguments | None:
        if tickets:
            return Arguments(tickets[0].place, tickets[0].parcel)
        sent = [self._ledger.passages[act.passage] for act in acts if act.passage is not None]
        return next((one.request.arguments for one in sent if one.request.arguments), None)

    def _absent(self, passage: Passage, now: float) -> Answer:
        key = passage.identity.key if passage.identity else None
        return answers.problem(404, "no-such-record", as_of=now, key=key, state="absent", covers=COVERS)

    def _tagged(self, passage: Passage, told: dict[str, Any], now: float) -> Answer:
        state = {name: value for name, value in told.items() if name != "as_of"}
        tag = '"' + hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16] + '"'
        headers = [("ETag", tag), ("Cache-Control", "no-cache")]
        if told["state"] in ("received", "pending"):
            headers.append(answers.retry_after(self._clerk.terms, now=now))
        if passage.request.if_none_match == tag:
            return Answer(status=304, headers=tuple(headers))
        return Answer(status=200, body=told, headers=tuple(headers))

    def _request(self, passage: Passage, now: float) -> Answer:
        asked = self._ledger.passages.get(passage.request.subject)
        if asked is None or asked.request.account != passage.request.account:
            return answers.problem(404, "no-such-record", as_of=now)
        key = asked.identity.key if asked.identity else None
        told = self._view(self._ledger.acts_by(asked.id), key=key, as_of=now)
        if told["state"] == "absent":
            return answers.problem(404, "no-such-record", as_of=now)
        return self._tagged(passage, told, now)

    def _untrue(self, passage: Passage, says: str, now: float) -> Answer:
        """Say a state that was told, with what the desk holds where that fits and invented where it doesn't."""
        if says == "absent" or passage.identity is None:
            return self._absent(passage, now)
        told = self.operation(passage.identity, as_of=now)
        told |= {"state": says, "covers_copies": says == "refused"}
        if says != "issued":
            told |= {"ticket": None, "tickets": []}
        elif told["ticket"] is None:
            told["ticket"] = {"number": INVENTED, "place": told["place"], "parcel": told["parcel"]}
            told["tickets"] = [told["ticket"]]
        told["closure"] = {"closed_at": stamp(now), "covers": self._clerk.terms.closure} if says == "closed" else None
        return self._tagged(passage, told, now)

    # Tickets.

    def _ticket(self, passage: Passage, now: float) -> Answer:
        ticket = self._ledger.tickets.get(passage.request.subject)
        if ticket is None or not self._may_see(passage, ticket):
            return answers.problem(404, "no-such-record", as_of=now)
        return Answer(status=200, body={**self._with_key(ticket), "state": "issued", "as_of": stamp(now)})

    def _with_key(self, ticket: Ticket) -> dict[str, Any]:
        """A ticket with the identity as far as the desk knows it."""
        return {"key": ticket.identity.key if ticket.identity else None, **ticket_view(ticket)}

    def _may_see(self, passage: Passage, ticket: Ticket) -> bool:
        return self._clerk.terms.key_scope == "desk" or ticket.account == passage.request.account

    def _place(self, passage: Passage, now: float) -> Answer:
        asked = passage.request
        wanted = [
            ticket
            for ticket in self._ledger.tickets.values()
            if ticket.place == asked.subject
            and ticket.collected_at is None
            and self._may_see(passage, ticket)
            and ticket.parcel == asked.query.get("parcel", ticket.parcel)
        ]
        return self._page(passage, wanted, now, place=asked.subject)

    def _page(self, passage: Passage, wanted: list[Ticket], now: float, **more: Any) -> Answer:
        after = passage.request.query.get("after")
        numbers = [ticket.number for ticket in wanted]
        start = numbers.index(after) + 1 if after in numbers else 0
        page = wanted[start : start + PAGE]
        following = page[-1].number if start + PAGE < len(wanted) else None
        told = {**more, "tickets": [self._with_key(ticket) for ticket in page], "next_after": following}
        return Answer(status=200, body={**told, "as_of": stamp(now)})

    # The index.

    def _all_changes(self) -> list[Act]:
        """The acts that change what the index should show; each is looked at once."""
        acts = self._ledger.acts
        self._changes += [act for act in acts[self._seen :] if act.did in (Did.ISSUED, Did.COLLECTED)]
        self._seen = len(acts)
        return self._changes

    def _indexed(self) -> list[Act]:
        lag, changes = self._clerk.terms.search_lag, self._all_changes()
        return changes[: self._held_at] if lag == "held" else changes[: max(0, len(changes) - lag)]

    def catch_up(self) -> None:
        """Bring an index that is held to what is true now."""
        self._held_at = len(self._all_changes())

    def _search(self, passage: Passage, now: float) -> Answer:
        indexed = self._indexed()
        gone = {act.ticket for act in indexed if act.did is Did.COLLECTED}
        shown = [act.ticket for act in indexed if act.did is Did.ISSUED and act.ticket not in gone]
        tickets = [self._ledger.tickets[number] for number in shown if number is not None]
        parcel = passage.request.query.get("parcel")
        wanted = [one for one in tickets if one.parcel == parcel and self._may_see(passage, one)]
        return self._page(passage, wanted, now, parcel=parcel)

    # Keys.

    def _key(self, passage: Passage, now: float) -> Answer:
        identity, keys, terms = passage.identity, self._clerk.keys, self._clerk.terms
        if identity is None:
            return answers.no_identity(passage, as_of=now)
        standing = keys.standing(identity, terms=terms, now=now)
        first = keys.first_received(identity)
        if first is None:
            return answers.problem(404, "no-such-record", as_of=now, key=identity.key)
        state = "forgotten" if standing is Standing.FORGOTTEN else "kept"
        told = {"key": identity.key, "state": state, "first_received_at": stamp(first)}
        told["kept_until"] = stamp(keys.kept_until(identity, terms=terms)) if state == "kept" else None
        return Answer(status=200, body={**told, "as_of": stamp(now)})


ASKED: Final[dict[str, Callable[[Reads, Passage, float], Answer]]] = {
    "operation": Reads._operation,
    "request": Reads._request,
    "ticket": Reads._ticket,
    "place": Reads._place,
    "search": Reads._search,
    "key": Reads._key,
}

"""The desk's truth in JSON, for control alone: what was sent, done and issued, with times in seconds."""

from dataclasses import asdict
from typing import Any

from tests.recipients.collection_desk.desk import Desk, Hold
from tests.recipients.collection_desk.ledger import Act, Ledger, Passage, Ticket


def passage_json(passage: Passage) -> dict[str, Any]:
    """One request that was sent."""
    request, arguments = passage.request, passage.request.arguments
    return {
        "id": passage.id,
        "at": passage.at,
        "sent_at": passage.sent_at,
        "door": request.door.value,
        "key": request.key,
        "account": request.account,
        "place": request.subject if arguments else None,
        "parcel": arguments.parcel if arguments else None,
        "digest": request.digest,
        "copy_of": passage.copy_of,
    }


def act_json(act: Act) -> dict[str, Any]:
    """One thing done; `key` is the identity under which the desk did it."""
    return {
        "number": act.number,
        "at": act.at,
        "did": act.did.value,
        "passage": act.passage,
        "key": act.identity.key if act.identity else None,
        "scope": act.identity.scope if act.identity else None,
        "ticket": act.ticket,
        **act.detail,
    }


def ticket_json(ticket: Ticket) -> dict[str, Any]:
    """One ticket; `key` is what its request carried, whether the desk keeps keys or not."""
    told = asdict(ticket)
    del told["identity"]
    return told


def hold_json(hold: Hold) -> dict[str, Any]:
    """One message that waits for control: at the stage `request`, `work` or `reply`."""
    return {"stage": hold.stage, **passage_json(hold.passage)}


def tickets_by_key(ledger: Ledger) -> dict[str, list[str]]:
    """The numbers issued for requests that carried this key, for every key that was sent."""
    numbers: dict[str, list[str]] = {}
    for passage in ledger.passages.values():
        if passage.request.key is not None:
            numbers.setdefault(passage.request.key, [])
    for ticket in ledger.tickets.values():
        if ticket.key is not None:
            numbers[ticket.key].append(ticket.number)
    return numbers


def truth(desk: Desk, *, now: float, key: str | None = None) -> dict[str, Any]:
    """Everything that is so; with a `key`, of the requests that carried it (or asked to close it)."""
    ledger = desk.ledger
    sent = [one for one in ledger.passages.values() if key in (None, one.request.key)]
    names = {one.id for one in sent}
    acts = [act_json(act) for act in ledger.acts if key is None or act.passage in names or _is_under(act, key)]
    return {
        "now": now,
        "terms": asdict(desk.clerk.terms),
        "tickets": [ticket_json(ticket) for ticket in ledger.tickets.values() if key in (None, ticket.key)],
        "tickets_by_key": {name: found for name, found in tickets_by_key(ledger).items() if key in (None, name)},
        "passages": [passage_json(passage) for passage in sent],
        "acts": acts,
        "pending": [passage_json(one) for one in desk.clerk.pending.values() if one.id in names],
        "holds": [hold_json(hold) for hold in desk.holds.values() if key in (None, hold.passage.request.key)],
        "reads": dict(ledger.reads),
    }


def _is_under(act: Act, key: str) -> bool:
    return act.identity is not None and act.identity.key == key

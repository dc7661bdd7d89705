"""The port for whoever rehearses: it sets the stage and knows the truth. The product under test never gets its token."""

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from tests.recipients.collection_desk.desk import Outcome
from tests.recipients.collection_desk.ledger import LedgerFull
from tests.recipients.collection_desk.programme import Instruction
from tests.recipients.collection_desk.running import RunningDesk
from tests.recipients.collection_desk.serving import Message, plain
from tests.recipients.collection_desk.strict import made
from tests.recipients.collection_desk.truth import hold_json, truth
from tests.recipients.collection_desk.values import DeskError
from tests.recipients.collection_desk.webhooks import Outbox, Target

Said = Mapping[str, Any]


class Control:
    """What control may say. Each method takes what the path names, and the body or the query as `said`."""

    def __init__(self, desk: RunningDesk, outbox: Outbox) -> None:
        self._desk = desk
        self._outbox = outbox

    def truth(self, _: str, said: Said) -> Any:
        """Everything that is so, or of one key: passages, acts, tickets."""
        with self._desk.looking() as desk:
            return truth(desk, now=self._desk.now(), key=said.get("key"))

    def terms(self, _: str, said: Said) -> Any:
        """The terms, after what was said about them."""
        if said:
            self._desk.command("change_terms", **said)
        with self._desk.looking() as desk:
            return asdict(desk.clerk.terms)

    def clock(self, _: str, said: Said) -> Any:
        """The time, after it was moved forward by `advance` seconds."""
        if said:
            self._desk.advance(said.get("advance", ""))
        return {"now": self._desk.now()}

    def tell(self, _: str, said: Said) -> Any:
        """Add an instruction to the programme."""
        with self._desk.looking():
            self._desk.programme.tell(made(Instruction, said))
            return self._desk.programme.as_json()

    def programme(self, _: str, said: Said) -> Any:  # noqa: ARG002
        """What is still to be done."""
        with self._desk.looking():
            return self._desk.programme.as_json()

    def clear(self, _: str, said: Said) -> Any:  # noqa: ARG002
        """Forget what was still to be done."""
        with self._desk.looking():
            self._desk.programme.clear()
        return []

    def holds(self, _: str, said: Said) -> Any:
        """What is held (of `key`), after waiting `within` seconds at most for the first of it."""
        found = self._desk.held(key=said.get("key"), within=float(said.get("within", 0)))
        return [hold_json(hold) for hold in found]

    def release(self, passage_id: str, said: Said) -> Any:  # noqa: ARG002
        """Let a held message go on."""
        return _outcome(self._desk.let_go(passage_id, lost=False))

    def lose(self, passage_id: str, said: Said) -> Any:  # noqa: ARG002
        """Let a held message get lost."""
        return _outcome(self._desk.let_go(passage_id, lost=True))

    def copy(self, passage_id: str, said: Said) -> Any:  # noqa: ARG002
        """Let a copy of an earlier request arrive."""
        return _outcome(Outcome(answer=self._desk.copy(passage_id)))

    def finish(self, passage_id: str, said: Said) -> Any:
        """End what was accepted: `handling` issue, refuse or fail_before."""
        self._desk.command("finish", passage_id=passage_id, handling=said.get("handling", "issue"))
        return {}

    def collect(self, number: str, said: Said) -> Any:  # noqa: ARG002
        """Hand a parcel over."""
        self._desk.command("collect", number=number)
        return {}

    def forget(self, key: str, said: Said) -> Any:
        """Forget a key of `account` now."""
        self._desk.command("forget", key=key, account=said.get("account", ""))
        return {}

    def catch_up(self, _: str, said: Said) -> Any:  # noqa: ARG002
        """Bring a held index up to date."""
        self._desk.command("catch_up")
        return {}

    def events(self, _: str, said: Said) -> Any:  # noqa: ARG002
        """Every status event, sent or not."""
        return self._outbox.as_json()

    def aim(self, _: str, said: Said) -> Any:
        """Send events to `url`, signed with `secret`, `mode` held or prompt."""
        self._outbox.aim(made(Target, said))
        return {}

    def deliver(self, _: str, said: Said) -> Any:
        """Send `events` (ids) in this order, as often as they are named, `stamped` now or then."""
        sent = self._outbox.deliver(list(said.get("events", [])), stamped=said.get("stamped", "now"))
        return [asdict(delivery) for delivery in sent]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    """What the sender would have got, whether anybody waited for it or not."""
    answer = outcome.answer
    return {
        "status": answer.status if answer else None,
        "body": answer.body if answer else None,
        "held": outcome.held,
    }


ROUTES: Final[dict[tuple[str, tuple[str, ...]], Callable[[Control, str, Said], Any]]] = {
    ("GET", ("truth",)): Control.truth,
    ("GET", ("terms",)): Control.terms,
    ("PATCH", ("terms",)): Control.terms,
    ("GET", ("clock",)): Control.clock,
    ("POST", ("clock",)): Control.clock,
    ("GET", ("programme",)): Control.programme,
    ("POST", ("programme",)): Control.tell,
    ("DELETE", ("programme",)): Control.clear,
    ("GET", ("holds",)): Control.holds,
    ("POST", ("holds", "*", "release")): Control.release,
    ("POST", ("holds", "*", "lose")): Control.lose,
    ("POST", ("passages", "*", "copy")): Control.copy,
    ("POST", ("pending", "*", "finish")): Control.finish,
    ("POST", ("tickets", "*", "collect")): Control.collect,
    ("POST", ("keys", "*", "forget")): Control.forget,
    ("POST", ("search", "catch_up")): Control.catch_up,
    ("GET", ("events",)): Control.events,
    ("PUT", ("events", "target")): Control.aim,
    ("POST", ("events", "deliver")): Control.deliver,
}


def route_of(message: Message) -> tuple[Callable[[Control, str, Said], Any] | None, str]:
    """Return what a request asks of control, and what its path names."""
    path = message.path
    if len(path) == 3:
        return ROUTES.get((message.method, (path[0], "*", path[2]))), path[1]
    return ROUTES.get((message.method, path)), ""


def said_in(message: Message) -> Said:
    """Return the body of a request, or its query where it has none; raises DeskError unless it is an object."""
    try:
        said = json.loads(message.body) if message.body else dict(message.query)
    except ValueError:
        raise DeskError("The body isn't JSON.") from None
    if not isinstance(said, dict):
        raise DeskError("The body must be an object.")
    return said


def control(desk: RunningDesk, outbox: Outbox, *, token: str) -> Callable[[Message], Outcome]:
    """Return what answers the control port."""
    stage = Control(desk, outbox)
    expected = f"Bearer {token}"

    def respond(message: Message) -> Outcome:
        if not hmac.compare_digest(message.headers.get("authorization", "").encode(), expected.encode()):
            return plain(401, title="Control has its own token.")
        method, name = route_of(message)
        if method is None:
            return plain(404, title="Control has no such word.")
        try:
            return plain(200, result=method(stage, name, said_in(message)))
        except LedgerFull as full:
            return plain(507, title=str(full))
        except (DeskError, TypeError, ValueError) as wrong:
            return plain(422, title=str(wrong))

    return respond

"""The collection desk as a `Recipient`, on whatever terms it is opened."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tests.recipients.client import WAIT, Facts
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.desk_control import DeskControl
from tests.recipients.desk_public import DeskPublic, status, told
from tests.recipients.recipient import Capability, Intent

C = Capability
ALWAYS: Final = frozenset({C.LOSES_MESSAGES, C.ACTS_THEN_FAILS, C.COPIES_ARRIVE_LATE})
BY_KEY: Final = frozenset({C.PROTECTS, C.FORGETS, C.CLOSES, C.SHOWS_A_RECORD})


def capabilities_of(terms: Terms) -> frozenset[Capability]:
    """What a desk on these terms does."""
    if terms.mechanism == "none":
        return ALWAYS
    by_terms = {
        C.KEEPS_ERRORS: terms.covers == "every_outcome",
        C.FENCES_WORK_IN_PROGRESS: terms.concurrent_use == "protected",
        C.COMPARES_ARGUMENTS: terms.changed_arguments == "refused",
        C.REFUSES_AFTER_FORGETTING: terms.after == "refused",
    }
    return ALWAYS | BY_KEY | {capability for capability, holds in by_terms.items() if holds}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskRecipient:
    """One account's view of a desk, and control's."""

    public: DeskPublic
    control: DeskControl
    terms: Terms
    _numbers: count = field(default_factory=lambda: count(1))  # type: ignore[type-arg]

    @property
    def capabilities(self) -> frozenset[Capability]:
        return capabilities_of(self.terms)

    def intent(self) -> Intent:
        return Intent(identity=f"order-{next(self._numbers)}", subject="Cedar")

    def changed(self, intent: Intent) -> Intent:
        return Intent(identity=intent.identity, subject="Elm")

    def send(self, intent: Intent) -> Facts:
        return self.public.ask_for_ticket(intent.identity, parcel=intent.subject)

    def effects(self, intent: Intent) -> list[str]:
        return self.control.tickets(intent.identity)

    def effect_told(self, facts: Facts) -> str:
        number = told(facts)["ticket"]["number"]
        assert isinstance(number, str)
        return number

    def turned_away(self, facts: Facts) -> bool:
        return status(facts) in (409, 410, 412, 422)

    def lose_request(self, intent: Intent) -> None:
        self.control.tell(key=intent.identity, request="lost")

    def lose_reply(self, intent: Intent) -> None:
        self.control.tell(key=intent.identity, reply="lost")

    def fail_after_acting(self, intent: Intent) -> None:
        self.control.tell(key=intent.identity, handling="fail_after")

    @contextmanager
    def in_work(self, intent: Intent) -> Iterator[None]:
        self.control.tell(key=intent.identity, work="held")
        with sending(self, intent):
            [hold] = self.control.held(intent.identity)
            yield
            self.control.release(hold["id"])

    def forget(self, intent: Intent) -> None:
        if isinstance(self.terms.keeps_for, str):
            self.control.forget(intent.identity)
        else:
            self.control.advance(self.terms.keeps_for)

    def close(self, intent: Intent) -> Facts:
        return self.public.close(intent.identity)

    def copy_arrives(self, intent: Intent) -> None:
        self.control.copy(self.control.truth(intent.identity)["passages"][0]["id"])

    def has_record_of(self, intent: Intent) -> bool:
        return bool(self.public.operation(intent.identity)["state"] == "issued")


@contextmanager
def sending(recipient: DeskRecipient, intent: Intent) -> Iterator[list[Facts]]:
    """Send in the background; after the block its facts are in the list."""
    facts: list[Facts] = []
    sender = threading.Thread(target=lambda: facts.append(recipient.send(intent)))
    sender.start()
    try:
        yield facts
    finally:
        sender.join(timeout=2 * WAIT)
        assert not sender.is_alive(), "what was held was never let go"

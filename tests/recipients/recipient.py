"""What tests need to know of a recipient, and to be able to do to it. Each kind of recipient implements it once."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from tests.recipients.client import Facts


class Capability(StrEnum):
    """What a recipient does, or what can be done to it here. A behaviour names those that it needs."""

    LOSES_MESSAGES = "messages to and from it can be lost"
    PROTECTS = "a repeat under the same identity acts once"
    KEEPS_ERRORS = "an error that followed an effect is given again"
    ACTS_THEN_FAILS = "it can be told to act and then answer an error"
    FENCES_WORK_IN_PROGRESS = "a repeat is turned away while the original is in work"
    COMPARES_ARGUMENTS = "other arguments under the same identity are refused"
    FORGETS = "an identity can be made to lapse"
    REFUSES_AFTER_FORGETTING = "a repeat after that is refused, not run"
    CLOSES = "an operation can be ended for good"
    COPIES_ARRIVE_LATE = "a copy of an earlier request can be made to arrive"
    SHOWS_A_RECORD = "it can be asked what happened under an identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One intended effect under an identity of its own. `subject`: its bound arguments, in whatever words."""

    identity: str
    subject: str


class Recipient(Protocol):
    """A recipient with the means to disturb it. Only what its capabilities name is ever called."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What it does and what can be done to it."""
        ...

    def intent(self) -> Intent:
        """Return an intent that was never sent."""
        ...

    def changed(self, intent: Intent) -> Intent:
        """Return the same identity with other arguments (COMPARES_ARGUMENTS)."""
        ...

    def send(self, intent: Intent) -> Facts:
        """Make one attempt on one fresh connection."""
        ...

    def effects(self, intent: Intent) -> list[str]:
        """Return the references of the effects that really exist or existed, from the recipient's own store."""
        ...

    def effect_told(self, facts: Facts) -> str:
        """Return the reference that a successful reply names."""
        ...

    def turned_away(self, facts: Facts) -> bool:
        """Return whether this reply says that the request was not carried out."""
        ...

    def lose_request(self, intent: Intent) -> None:
        """Let the next attempt be lost before the recipient sees it (LOSES_MESSAGES)."""
        ...

    def lose_reply(self, intent: Intent) -> None:
        """Let the next attempt's reply be lost after it acted (LOSES_MESSAGES)."""
        ...

    def fail_after_acting(self, intent: Intent) -> None:
        """Let the next attempt act and answer an error (ACTS_THEN_FAILS)."""
        ...

    def in_work(self, intent: Intent) -> AbstractContextManager[None]:
        """Make one attempt and keep it in work inside the block; it is done after it (FENCES_WORK_IN_PROGRESS)."""
        ...

    def forget(self, intent: Intent) -> None:
        """Let the identity lapse (FORGETS)."""
        ...

    def close(self, intent: Intent) -> Facts:
        """Ask for the operation to be ended (CLOSES)."""
        ...

    def copy_arrives(self, intent: Intent) -> None:
        """Let a copy of the first attempt arrive now (COPIES_ARRIVE_LATE)."""
        ...

    def has_record_of(self, intent: Intent) -> bool:
        """Ask whether it knows of an effect under this identity (SHOWS_A_RECORD)."""
        ...

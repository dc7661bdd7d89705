"""What the desk remembers of identities in order not to do the same thing twice: the store that protects."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from tests.recipients.collection_desk.terms import Terms
from tests.recipients.collection_desk.values import Answer, Arguments, Identity


class Standing(StrEnum):
    """What the store makes of an identity: `unknown` is run, `forgotten` is run or refused as the terms say."""

    UNKNOWN = "unknown"
    IN_WORK = "in_work"
    KEPT = "kept"
    FORGOTTEN = "forgotten"


@dataclass(slots=True)
class Entry:
    """What is held under one identity since its first receipt. `answer` None: no outcome is kept (yet)."""

    first_received: float
    arguments: Arguments
    in_work: set[str] = field(default_factory=set)
    answer: Answer | None = None
    ticket: str | None = None
    dropped: bool = False


class Keys:
    """The store; `exists` says whether a ticket is still there, for keys that are kept as long."""

    def __init__(self, exists: Callable[[str | None], bool]) -> None:
        self._entries: dict[Identity, Entry] = {}
        self._exists = exists

    def standing(self, identity: Identity, *, terms: Terms, now: float) -> Standing:
        """Return what the store makes of this identity now."""
        entry = self._entries.get(identity)
        if entry is None:
            return Standing.UNKNOWN
        if self._is_over(entry, terms=terms, now=now):
            return Standing.FORGOTTEN
        if entry.in_work:
            return Standing.IN_WORK
        return Standing.KEPT if entry.answer is not None else Standing.UNKNOWN

    def _is_over(self, entry: Entry, *, terms: Terms, now: float) -> bool:
        if entry.dropped:
            return True
        if terms.keeps_for == "unlimited":
            return False
        if terms.keeps_for == "while_exists":
            return entry.ticket is not None and not self._exists(entry.ticket)
        return now - entry.first_received >= terms.keeps_for

    def kept_until(self, identity: Identity, *, terms: Terms) -> float | None:
        """Return when this identity will be forgotten; None where no time is set for it."""
        entry = self._entries.get(identity)
        if entry is None or isinstance(terms.keeps_for, str):
            return None
        return entry.first_received + terms.keeps_for

    def first_received(self, identity: Identity) -> float | None:
        """Return when the entry that is held began."""
        entry = self._entries.get(identity)
        return None if entry is None else entry.first_received

    def arguments(self, identity: Identity) -> Arguments:
        """Return what the identity was first used for."""
        return self._entries[identity].arguments

    def answer(self, identity: Identity) -> Answer:
        """Return the outcome that is kept under a KEPT identity."""
        answer = self._entries[identity].answer
        assert answer is not None, "asked for what is not kept"
        return answer

    def begin(self, identity: Identity, *, passage: str, arguments: Arguments, terms: Terms, now: float) -> None:
        """Take a passage in work: what is unknown or forgotten starts anew, and with it the clock of a forgotten one."""
        entry = self._entries.get(identity)
        if entry is None or self._is_over(entry, terms=terms, now=now):
            entry = self._entries[identity] = Entry(now, arguments)
        if not entry.in_work and entry.answer is None:
            entry.arguments = arguments
        entry.in_work.add(passage)

    def finish(self, identity: Identity, *, passage: str, answer: Answer | None, ticket: str | None = None) -> None:
        """End the work on a passage and keep its outcome; None: keep nothing of it."""
        entry = self._entries.get(identity)
        if entry is None:
            return
        entry.in_work.discard(passage)
        entry.ticket = ticket or entry.ticket
        if answer is not None:
            entry.answer = answer

    def unkeep(self, identity: Identity) -> None:
        """Keep no outcome under this identity any more; the clock runs on."""
        if identity in self._entries:
            self._entries[identity].answer = None

    def drop(self, identity: Identity) -> bool:
        """Forget an identity now; False if nothing was held under it."""
        entry = self._entries.get(identity)
        if entry is None or entry.dropped:
            return False
        entry.dropped = True
        return True

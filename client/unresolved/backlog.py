"""What the desk was not told yet, and what came of what it was told. An operation's events are told in their order."""

import json
import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from unresolved.desk import Answer
from unresolved.journal import Journal
from unresolved.kept import Begun, Delivered

MOST_ITEMS: Final = 500
MOST_BYTES: Final = 8 * 1024 * 1024
# Seconds after which whoever asked about an attempt is taken to have gone, though a process of its number is there.
ASKING: Final = 120.0
_OPENING: Final = ("register", "begin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One event that the desk was not told yet."""

    key: int
    operation: int
    attempt: int
    kind: str
    item: str

    @property
    def opens(self) -> bool:
        """Whether what follows of its operation can only be told once this is on record."""
        return self.kind in _OPENING


_PENDING: Final = """
SELECT e.key, e.operation, e.attempt, e.kind, e.item FROM events e
WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.key) {narrowed}
AND e.operation NOT IN (SELECT value FROM json_each(?)) ORDER BY e.key LIMIT 5000
"""
_WAITING: Final = """
SELECT count(*) FROM events e WHERE NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.key)
AND (? IS NULL OR e.operation = ?)
"""
_OPENED_IN_VAIN: Final = """
SELECT 1 FROM events e JOIN deliveries d ON d.event = e.key
WHERE e.attempt = ? AND e.kind IN ('register', 'begin') AND d.came_to = 'refused'
"""


def waiting(journal: Journal, *, operation: int | None = None) -> int:
    """Return how many events wait, of one operation or of all."""
    with journal.reading() as connection:
        [found] = connection.execute(_WAITING, [operation, operation]).fetchone()
    return int(found)


def pending(journal: Journal, *, operation: int | None = None, without: Collection[int] = ()) -> list[Waiting]:
    """Return what waits, oldest first, of one operation or of all but some; of very much, the beginning."""
    narrowed, values = ("", []) if operation is None else ("AND e.operation = ?", [operation])
    with journal.reading() as connection:
        rows = connection.execute(_PENDING.format(narrowed=narrowed), [*values, json.dumps([*without])]).fetchall()
    return [Waiting(**dict(row)) for row in rows]


def was_refused(journal: Journal, attempt: int) -> bool:
    """Return whether the desk did not take this attempt on record, so that nothing else of it can be told."""
    with journal.reading() as connection:
        return connection.execute(_OPENED_IN_VAIN, [attempt]).fetchone() is not None


def wave(journal: Journal, *, at: float, operation: int | None = None, without: Collection[int] = ()) -> list[Waiting]:
    """Return what can be told in one call: of each operation up to what has to be on record before the rest."""
    found: list[Waiting] = []
    closed: set[int] = set()
    size = 0
    for one in pending(journal, operation=operation, without=without):
        if one.operation in closed:
            continue
        if one.opens and is_being_asked(journal, one.attempt, at=at):
            closed.add(one.operation)
            continue
        size += len(one.item)
        if found and (len(found) == MOST_ITEMS or size > MOST_BYTES):
            break
        found.append(one)
        if one.opens:
            closed.add(one.operation)
    return found


def is_being_asked(journal: Journal, attempt: int, *, at: float) -> bool:
    """Return whether somebody still waits for the desk's word on an attempt; its own answer decides whether it goes out."""
    begun = _attempt(journal, attempt)
    return not begun.marks and not is_left(begun, host=journal.host, at=at)


def is_left(begun: Begun, *, host: str, at: float) -> bool:
    """Return whether the process that began an attempt is gone, as far as can be told from here."""
    if at - begun.at > ASKING:
        return True
    return begun.host == host and not _is_alive(begun.process)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _attempt(journal: Journal, key: int) -> Begun:
    return journal.attempts_by_key(key)[0]


def item_of(waiting: Waiting, *, unasked: bool = True) -> dict[str, Any]:
    """Return the item as the desk takes it; what goes out without its word (`unasked`), or may have, says so."""
    item: dict[str, Any] = json.loads(waiting.item)
    if unasked and waiting.kind == "register":
        item["attempt"]["unasked"] = True
    return item


def delivered(event: int, answer: Answer, *, came_to: str | None = None) -> Delivered:
    """Return what is recorded of an answer to an event."""
    said = json.dumps(dict(answer.body), ensure_ascii=False)
    return Delivered(event=event, came_to=came_to or came_to_of(answer), status=answer.status, answer=said)


def opening(journal: Journal, attempt: int) -> Waiting:
    """Return the event that tells of an attempt, whatever came of it."""
    with journal.reading() as connection:
        row = connection.execute(
            "SELECT key, operation, attempt, kind, item FROM events WHERE attempt = ? ORDER BY key LIMIT 1", [attempt]
        ).fetchone()
    return Waiting(**dict(row))


def desk_id(journal: Journal, operation: int) -> str | None:
    """Return the desk's id of an operation, once the desk has said it."""
    with journal.reading() as connection:
        rows = connection.execute(
            "SELECT d.answer FROM deliveries d JOIN events e ON e.key = d.event"
            " WHERE e.operation = ? AND d.status IN (200, 201) ORDER BY d.event",
            [operation],
        ).fetchall()
    return next((str(found) for row in rows if (found := json.loads(row["answer"]).get("operation"))), None)


def never_left(journal: Journal, operation: int) -> bool:
    """Return whether every attempt that this journal has was kept back, and the desk has said nothing of any other."""
    attempts = journal.attempts(operation)
    kept_back = bool(attempts) and all("unsent" in one.marks for one in attempts)
    return kept_back and desk_id(journal, operation) is None


def came_to_of(answer: Answer) -> str:
    """Return what an answer means for an event; an attempt that the desk knows nothing of has nothing to be told about."""
    if answer.is_done:
        attempt = answer.body.get("attempt", {})
        return "recorded" if attempt.get("recorded", True) else "refused"
    return "moot" if answer.status == 404 else "refused"


_REFUSED: Final = """
SELECT e.kind, d.status, d.answer FROM events e JOIN deliveries d ON d.event = e.key
WHERE d.came_to = 'refused' AND e.kind <> 'deliver' AND e.attempt = ? AND NOT EXISTS
  (SELECT 1 FROM marks m WHERE m.attempt = e.attempt AND m.mark = 'unsent') ORDER BY e.key DESC LIMIT 1
"""


def refusal(journal: Journal, attempt: int) -> str | None:
    """Return why the desk did not take something of an attempt on record that may have been sent; None if it took all."""
    with journal.reading() as connection:
        row = connection.execute(_REFUSED, [attempt]).fetchone()
    if row is None:
        return None
    told = Answer(status=row["status"], body=json.loads(row["answer"]))
    return f"the desk did not put its {row['kind']} on record: {told.rule} {told.body.get('detail', '')}".rstrip()

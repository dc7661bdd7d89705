"""An agent asks for a person to look at its operation: words that are kept, that call somebody, and that prove nothing.

The asking is a line of the operation's chain like all words, told again it changes nothing, and it stands until a person
decides something or the outcome is established. How often one operation may ask is bounded: who asks on and on is not
heard better.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final
from uuid import UUID

from operations.core.standing import Evidence, Finality
from operations.reading.needing import NEEDS_PERSON, asked_since
from operations.recording import Observed, Pen, Report, writing
from operations.reporting import say_with

if TYPE_CHECKING:
    from datetime import datetime

MOST: Final = 5  # so often may be asked about one operation
WITHIN: Final = timedelta(hours=1)


class NothingOpen(Exception):
    """What became of the operation is established, so that nobody has to look at it; nothing was written."""


class AskedTooOften(Exception):
    """It was asked `MOST` times within `WITHIN`; `wait` is how many seconds to wait. Nothing was written."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"asked too often; wait {wait} seconds")
        self.wait = wait


def ask_for_a_person(operation_id: UUID, told: Report, *, now: datetime, source: str) -> Observed:
    """Store words that ask for a person; the same event again changes nothing.

    Raises `NothingOpen`, `AskedTooOften`, `recording.EventDiffers` and `reading.NoSuchOperation`; then nothing is written.
    """
    with writing(operation_id, now=now) as pen:
        if pen.observed(told.event) is None:
            _require_open(pen)
            _require_seldom(pen)
        return say_with(pen, replace(told, fact=NEEDS_PERSON), source=source)


def tell_of_other_bytes(operation_id: UUID, told: Report, *, now: datetime, source: str) -> None:
    """Store words about bytes that went out unasked under the operation's identity and are not its own.

    They call a person as far as an agent's asking would, and are kept in any case; told again they change nothing.
    """
    with writing(operation_id, now=now) as pen:
        if pen.observed(told.event) is not None:
            return
        with suppress(NothingOpen, AskedTooOften):
            _require_open(pen)
            _require_seldom(pen)
            told = replace(told, fact=NEEDS_PERSON)
        say_with(pen, told, source=source)


def _require_open(pen: Pen) -> None:
    standing = pen.read().standing(now=pen.now)
    if standing.evidence is Evidence.APPLIED or standing.finality is Finality.EXCLUDED:
        raise NothingOpen(str(pen.operation.id))


def _require_seldom(pen: Pen) -> None:
    asked = asked_since(pen.operation, since=pen.now - WITHIN)
    if len(asked) >= MOST:
        raise AskedTooOften(max(1, round((asked[-MOST] + WITHIN - pen.now).total_seconds())))

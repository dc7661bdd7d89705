"""Contradictions of every kind that semantics.md names (Conflict), as a recipient's answers make them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from operations.core.conflicts import ConflictKind
from tests.escalation.building import T0, Made

MINUTE: Final = timedelta(minutes=1)


def _z(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.000Z"


def nothing_recorded(made: Made, *, now: datetime) -> None:
    """The desk's record holds nothing under the request number."""
    body = {"type": "urn:collection-desk:no-such-record", "state": "absent", "key": made.identity, "as_of": _z(now)}
    made.learns("record", now=now, asked_at=now - timedelta(seconds=1), status=404, body=body, by="desk")


def refused(made: Made, *, now: datetime) -> None:
    """The desk refuses the attempt, late copies too."""
    body = {"type": "urn:collection-desk:not-acceptable", "covers_copies": True, "key": made.identity}
    body |= {"place": "East", "parcel": made.parcel, "as_of": _z(now)}
    made.learns("reply", now=now, attempt="a1", status=422, body=body)


def _applied_and_closed(made: Made, first: datetime) -> None:
    made.issued("T-1", now=first)
    made.recorded("closed", now=first + MINUTE)


def _applied_then_absent(made: Made, first: datetime) -> None:
    made.issued("T-1", now=first)
    nothing_recorded(made, now=first + MINUTE)


def _active_after_closed(made: Made, first: datetime) -> None:
    made.recorded("closed", now=first)
    made.recorded("pending", now=first + MINUTE)


def _active_after_every_attempt_refused(made: Made, first: datetime) -> None:
    refused(made, now=first)
    made.recorded("pending", now=first + MINUTE)


def _applied_though_refused(made: Made, first: datetime) -> None:
    refused(made, now=first)
    made.recorded("issued", now=first + MINUTE, ticket="T-1")


_MADE: Final[Mapping[ConflictKind, Callable[[Made, datetime], None]]] = {
    ConflictKind.APPLIED_AND_CLOSED: _applied_and_closed,
    ConflictKind.APPLIED_THEN_ABSENT: _applied_then_absent,
    ConflictKind.ACTIVE_AFTER_CLOSED: _active_after_closed,
    ConflictKind.ACTIVE_AFTER_EVERY_ATTEMPT_REFUSED: _active_after_every_attempt_refused,
    ConflictKind.APPLIED_THOUGH_EVERY_ATTEMPT_WAS_REFUSED: _applied_though_refused,
}


def contradict(made: Made, kind: ConflictKind, *, first: datetime = T0 + MINUTE) -> None:
    """Have the recipient contradict itself in this way, its first statement at `first`, the other a minute later."""
    _MADE[kind](made, first)

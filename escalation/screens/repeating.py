"""Sending the same request again: exact bytes, window, what will most likely come back, and how far a send has come.

Authorised is never shown as happened: what is said of a send is read off its dispatch, of a grant off its use.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from escalation.models import CloseOriginal, ProtectedRepeat
from escalation.screens.doors import Door, doors
from escalation.screens.sight import Sight
from escalation.screens.taken_back import may_take_back
from operations import dispatch, reading
from operations.core.actions import Action
from operations.core.fates import late_copies
from operations.core.standing import Situation
from operations.recording import granting

if TYPE_CHECKING:
    from operations import models

SHOWN: Final = 20_000  # characters of a body that a page carries


@dataclass(frozen=True, slots=True)
class Going:
    """What would go out: where to, the lines that are stored and those that the desk adds, and the body."""

    address: str
    first_line: str
    bound: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, str], ...]
    body: str
    body_bytes: int
    credential: str


@dataclass(frozen=True, slots=True)
class Repeating:
    """The page. `going` is None where this desk can't send, `cannot` says why. `warned`: it closes another operation, and
    the contract did not rule out then that this takes back what happened."""

    door: Door
    first: bool
    until: datetime | None
    interval: float
    likely: tuple[str, ...]
    late: tuple[str, ...]
    going: Going | None
    cannot: str | None
    warned: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """One repeat that was decided on, and how far it has come; `open` while that can change by itself."""

    decision: "models.Decision"
    executor: str
    said: str
    because: str
    open: bool
    facts: tuple[tuple[str, str], ...]
    until: datetime | None = None


def repeating(sight: Sight) -> Repeating:
    """Return what the page of a repeat shows, open or shut."""
    door = next(one for one in doors(sight) if one.action is Action.REPEAT)
    going, cannot = _going(sight)
    return Repeating(
        door=door,
        first=sight.standing.situation is Situation.NOTHING_CAN_ACT,
        until=reading.moment(sight.standing.protection_until),
        interval=sight.read.facts.contract.protection.min_interval,
        likely=tuple(_likely(sight)),
        late=late_copies(sight.standing),
        going=going,
        cannot=cannot,
        warned=may_take_back(sight.operation),
    )


def _going(sight: Sight) -> tuple[Going | None, str | None]:
    try:
        return going(dispatch.prepared(sight.operation)), None
    except dispatch.CannotSend as refused:
        return None, str(refused)


def going(ready: dispatch.Prepared) -> Going:
    """Return what would go out as it is shown."""
    out = ready.written
    return Going(
        address=ready.reach.address,
        first_line=f"{out.method} {out.target} HTTP/1.1",
        bound=out.bound,
        added=out.added,
        body=out.body.decode("utf-8", errors="backslashreplace")[:SHOWN],
        body_bytes=len(out.body),
        credential=ready.credential,
    )


def _likely(sight: Sight) -> Iterator[str]:
    name, word = sight.operation.recipient.name, sight.document.effect.word
    if sight.standing.situation is Situation.NOTHING_CAN_ACT:
        yield f"Nothing that was sent before can act, so this is the one that may: at most one {word}."
    else:
        yield f"If the original arrived, {name} recognises the request number and gives the answer that it kept. No second {word} is made."
        yield f"If it never arrived, this one is carried out: one {word}."
        yield "If the original is being worked on, the answer may be that the request number is in use. That settles nothing."
    yield "It may be that no answer comes. Then the outcome stays unknown, and nothing is sent again by itself."


def progress(operation: "models.Operation", *, now: datetime) -> list[Progress]:
    """Return the repeats that were decided on, the newest first."""
    rows = ProtectedRepeat.objects.filter(operation=operation).select_related(
        "decision", "attempt__dispatch", "grant__use__attempt"
    )
    return [progress_of(row, now=now) for row in rows.order_by("-decision__position")]


def progress_of(row: ProtectedRepeat | CloseOriginal, *, now: datetime) -> Progress:
    """Return how far a send has come that was decided on, by this desk or with a grant."""
    if row.grant is not None:
        return _of_grant(row, row.grant, now=now)
    assert row.attempt is not None  # noqa: S101  # a constraint of the table
    return _of_dispatch(row, row.attempt.dispatch)


_UNUSED: Final = {
    granting.Unusable.ENDED: "The agent did not use it in time. Nothing was sent with it.",
    granting.Unusable.SUPERSEDED: "A later decision took its place before it was used. Nothing was sent with it.",
}


def _of_grant(row: ProtectedRepeat | CloseOriginal, found: "models.Grant", *, now: datetime) -> Progress:
    why, used = granting.state_of(found, now=now), getattr(found, "use", None)
    if used is not None:
        said = f"The agent began attempt {used.attempt.number} with it. What came of that is among the observations."
    else:
        said = "The agent has not fetched it yet. Nothing is sent." if why is None else _UNUSED[why]
    begun = (("The agent began", _precisely(used.used_at)),) if used is not None else ()
    return Progress(
        decision=row.decision,
        executor=row.executor,
        said=said,
        because="",
        open=why is None,
        facts=begun,
        until=found.ends_at if why is None else None,
    )


def _precisely(at: datetime) -> str:
    """Return date and time to the millisecond: the steps of one send lie close together."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} UTC"


_STEPS: Final = (
    ("Name resolved", "resolved_at"),
    ("Connected", "connected_at"),
    ("TLS agreed on", "secured_at"),
    ("First byte written", "first_byte_written_at"),
    ("Last byte written", "last_byte_written_at"),
    ("First byte of an answer", "first_byte_read_at"),
    ("Ended", "ended_at"),
)
_ENDED: Final = {
    "answered": "Sent once, and answered. What the answer says is among the observations.",
    "not_sent": "Not sent: no byte of it left.",
    "timeout": "Sent once, and no answer came in time. The outcome is unknown.",
    "reset": "The connection was torn. The outcome is unknown.",
    "closed": "Sent once, and the connection was closed without an answer. The outcome is unknown.",
    "truncated": "Sent once, and what came back is no whole answer. The outcome is unknown.",
    "lapsed": "The outcome is unknown: this desk stopped while it was sending.",
}


def _of_dispatch(row: ProtectedRepeat | CloseOriginal, found: "models.Dispatch") -> Progress:
    facts = tuple([(name, _precisely(at)) for name, column in _STEPS if (at := getattr(found, column)) is not None])
    return Progress(
        decision=row.decision,
        executor=row.executor,
        said=_ENDED[found.ended_as] if found.ended_as else _under_way(found),
        because=found.because,
        open=found.live,
        facts=facts,
        until=found.send_by if not found.claimed_by and found.live else None,
    )


def _under_way(found: "models.Dispatch") -> str:
    if not found.claimed_by:
        return "Authorised, not sent yet: it waits for a worker of this desk."
    if found.last_byte_written_at is not None:
        return "Being sent: everything was written, and the answer is awaited."
    return "Being sent: a worker of this desk has taken it up."

"""Whoever changes what is known of an operation plans its next ask in the same transaction, by `core.schedule`.

The plan is made from the row's inferred columns, from what was asked so far and from the contract's pacing; it changes
no verdict. `settings.ASKING` is how patient this desk is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Final

from django.conf import settings

from operations import models
from operations.contracts.channel import Channel, Kind, Pacing
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.core.facts import Authority, Seconds
from operations.core.inquiry import Askable, Backoff, Inquiry, Question
from operations.core.schedule import Plan, opens_at, plan
from operations.core.standing import Evidence, Finality, FurtherEffect, Situation
from operations.models.due import PLANNED
from operations.reading import judging, moment, seconds
from operations.recording.heeding import AT, ETAG, FRESH_UNTIL, NOT_BEFORE, Said, heed
from operations.recording.tables import made

# Where a contract states no pacing: seldom, and one at a time.
UNSTATED: Final = Pacing(min_interval=5, longest_wait=600, per_second=1, at_once=1)
FACTOR: Final = 2.0
JITTER: Final = 0.25
CANNOT: Final = "cannot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often and for how long this desk asks by itself; times in seconds (`core.inquiry.Inquiry`)."""

    asks_allowed: int
    expected_within: Seconds
    ask_ahead: Seconds
    call_ahead: Seconds
    watch_every: Seconds
    watch_for: Seconds


def patience() -> Patience:
    """Return the desk's patience as its settings say."""
    return Patience(**settings.ASKING)


def _lead(operation: models.Operation, desk: Patience) -> tuple[Seconds, Seconds]:
    """Return how long before an end the desk asks once more, and calls a person, at this recipient.

    Where the settings name another time for it, the ask comes as long before the call as everywhere else.
    """
    named = settings.CALL_AHEAD_FOR.get(key_of(operation.recipient_id)) if settings.CALL_AHEAD_FOR else None
    if named is None:
        return desk.ask_ahead, desk.call_ahead
    return named + (desk.ask_ahead - desk.call_ahead), named


@lru_cache(maxsize=512)
def key_of(recipient: int) -> str:
    """Return a recipient's key, which never changes."""
    return models.Recipient.objects.values_list("key", flat=True).get(pk=recipient)


def pacing_of(channel: Channel) -> Pacing:
    """Return how a channel wants to be asked."""
    return channel.pacing or UNSTATED


@lru_cache(maxsize=512)
def asked_by_itself(text: str) -> tuple[tuple[str, Pacing], ...]:
    """Return the channels of a contract that the desk asks by itself, in the contract's order."""
    channels = document_of(text).channels.items()
    return tuple(
        [(name, pacing_of(channel)) for name, channel in channels if channel.pollable and channel.asks is not None]
    )


# Whose claims of what became of it may count (semantics.md, Claims).
_TELLING: Final = frozenset({Authority.HISTORY, Authority.CURRENT, Authority.DERIVED})


@lru_cache(maxsize=512)
def listens(text: str) -> bool:
    """Whether by a contract the recipient tells of itself what became of an operation."""
    channels = document_of(text).channels.values()
    return any(channel.kind is Kind.WEBHOOK and channel.authority in _TELLING for channel in channels)


def question_of(operation: models.Operation) -> Question:
    """Return what is still open about an operation, read off its inferred columns (semantics.md, What can still act)."""
    if operation.situation == Situation.CONFLICT:
        return Question.CONFLICT
    if operation.evidence == Evidence.APPLIED:
        return Question.FURTHER_EFFECT if operation.further_effect == FurtherEffect.POSSIBLE else Question.NONE
    if operation.finality == Finality.EXCLUDED:
        return Question.NONE
    return Question.PENDING if operation.evidence == Evidence.PENDING else Question.UNKNOWN


def opened_at(operation: models.Operation, attempts: Iterable[models.Attempt]) -> datetime:
    """Return from when the question is open: the last attempt's beginning, as far as it had begun when it was told."""
    return max((min(row.begun_at, row.recorded_at) for row in attempts), default=operation.created_at)


def planned(operation: models.Operation, due: models.Due, *, now: datetime) -> bool:
    """Write the plan into `due`, which is not saved; say whether anything is left to ask or anybody needed."""
    found = plan(_inquiry(operation, due, patience()), now=seconds(now))
    _write(due, found, now=seconds(now))
    return due.at is not None or due.person_at is not None


def _write(due: models.Due, found: Plan, *, now: Seconds) -> None:
    """Those needs that hold by now are told in this transaction; `call_at` is when the next one begins to hold."""
    due.at = moment(found.ask_at)
    due.channel = found.channel or ""
    due.why = found.because
    due.person_at = moment(found.person_at)
    due.person_because = found.needs[0].reason if found.needs else ""
    due.needs = found.needs
    due.call_at = next((moment(need.at) for need in found.needs if need.at > now), None)


def _inquiry(operation: models.Operation, due: models.Due, desk: Patience) -> Inquiry:
    text = judging(operation).document
    channels = [(name, pacing) for name, pacing in asked_by_itself(text) if CANNOT not in due.asked.get(name, {})]
    since = seconds(due.since)
    until = operation.protection_until
    ask_ahead, call_ahead = _lead(operation, desk)
    return Inquiry(
        question=question_of(operation),
        since=since,
        expected_by=since + _expected_within(document_of(text), desk),
        channels=tuple([_askable(name, pacing, due.asked.get(name, {})) for name, pacing in channels]),
        backoff=_backoff(channels[0][1] if channels else UNSTATED, seed=str(operation.id)),
        asks_made=due.asks_made,
        asks_allowed=desk.asks_allowed,
        ask_ahead=ask_ahead,
        call_ahead=call_ahead,
        protection_until=None if until is None else seconds(until),
        deadline=None if operation.deadline is None else seconds(operation.deadline),
        watch_every=desk.watch_every or None,
        watch_until=since + desk.watch_for,
        listens=listens(text),
    )


def expected_by(operation: models.Operation, due: models.Due) -> datetime:
    """Return until when what was last sent may usually take, by the contract or else by this desk's settings."""
    return due.since + timedelta(seconds=_expected_within(document_of(judging(operation).document), patience()))


def _expected_within(document: Document, desk: Patience) -> Seconds:
    return desk.expected_within if document.expected_time is None else document.expected_time.seconds


def _backoff(pacing: Pacing, *, seed: str) -> Backoff:
    first = pacing.min_interval
    return Backoff(first=first, factor=FACTOR, cap=max(first, pacing.longest_wait), jitter=JITTER, seed=seed)


def _askable(name: str, pacing: Pacing, asked: dict[str, Any]) -> Askable:
    return Askable(
        channel=name,
        min_interval=pacing.min_interval,
        last_asked_at=asked.get(AT),
        not_before=asked.get(NOT_BEFORE),
        fresh_until=asked.get(FRESH_UNTIL),
    )


def soonest(operation: models.Operation, due: models.Due) -> tuple[datetime, str] | None:
    """Return from when and through which channel the desk may ask by itself; None where it can't."""
    askable = _inquiry(operation, due, patience()).channels
    if due.at is None or not askable:
        return None
    first = min(askable, key=opens_at)
    return datetime.fromtimestamp(max(opens_at(first), 0), tz=UTC), first.channel


def first_due(operation: models.Operation, attempt: models.Attempt, *, now: datetime) -> models.Due | None:
    """Return the plan of a new operation with its first attempt, not yet written; None where nothing is to be asked."""
    due = _new(operation, since=opened_at(operation, [attempt]))
    return due if planned(operation, due, now=now) else None


def _new(operation: models.Operation, *, since: datetime) -> models.Due:
    values = {"operation_id": operation.id, "recipient_id": operation.recipient_id, "since": since}
    return made(models.Due, values)


def learnt(
    operation: models.Operation,
    due: models.Due | None,
    attempts: Iterable[models.Attempt],
    *,
    said: Said | None = None,
    now: datetime,
) -> models.Due | None:
    """Return the plan after something was learnt or begun, not yet written; None where nothing is left to ask.

    A further attempt opens the question anew. What could not be asked is tried anew: a reference may be known now.
    `said`: the answer that it was learnt from.
    """
    since = opened_at(operation, attempts)
    due = due or _new(operation, since=since)
    if since > due.since:
        due.since, due.asks_made = since, 0
    due.asked = {name: {key: at for key, at in asked.items() if key != CANNOT} for name, asked in due.asked.items()}
    if said is not None:
        heed(due, said, text=judging(operation).document, now=now)
    return due if planned(operation, due, now=now) else None


def forget_answers(operation: models.Operation) -> None:
    """Forget of which answers the recipient may say that nothing changed: another version may ask for something else."""
    due = models.Due.objects.select_for_update().filter(operation_id=operation.id).first()
    if due is not None:
        due.asked = {
            name: {mark: at for mark, at in asked.items() if mark not in {ETAG, FRESH_UNTIL}}
            for name, asked in due.asked.items()
        }
        due.save(update_fields=["asked"])


def keep(
    operation: models.Operation,
    attempts: Iterable[models.Attempt],
    *,
    said: Said | None = None,
    now: datetime,
) -> models.Due | None:
    """Write the plan of one locked operation after something was learnt or begun, and return it."""
    known = models.Due.objects.select_for_update().filter(operation_id=operation.id).first()
    due = learnt(operation, known, attempts, said=said, now=now)
    if due is not None:
        due.save(**({"force_insert": True} if known is None else {"update_fields": PLANNED}))
    elif known is not None:
        known.delete()
    return due

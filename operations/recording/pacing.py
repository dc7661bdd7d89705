"""A recipient is asked no faster than its contract says by all workers together, and not at all while it gives no answer.

After `BREAKS_AFTER` asks without an answer in a row the recipient is paused; one ask at a time tries it again, later and
later. People see the pause, make one and end one (issue "Recipient contracts and status channels", Asking).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from django.db import transaction

from operations import models, reading
from operations.contracts.channel import Pacing
from operations.contracts.http_semantics import PACING
from operations.contracts.waits import Lines, retry_after
from operations.core.inquiry import Backoff
from operations.models.pace import PACED
from operations.reading import seconds
from operations.recording.planning import UNSTATED, asked_by_itself

BREAKS_AFTER: Final = 5
PROBES: Final = {"first": 30.0, "factor": 2.0, "cap": 900.0, "jitter": 0.25}
SENTENCE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """How one ask ended for the recipient's pace: answered, or not and why; `not_before`: its wish to be left alone."""

    at: datetime
    failure: str = ""
    not_before: datetime | None = None
    status: int | None = None


def as_heard(*, at: datetime, status: int | None, headers: Lines, failure: str = "") -> Heard:
    """Return how an ask ended; a wish to be left alone is the recipient's where it answers 429 or 503 (RFC 9110, 6585)."""
    wait = retry_after(headers, received_at=seconds(at)) if status in PACING else None
    not_before = None if wait is None else at + timedelta(seconds=wait)
    return Heard(at=at, failure=failure, not_before=not_before, status=status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What one claim may do at a recipient: `places` at once, `most` asks, the first at `first_at`, `gap` seconds apart.

    `failures` are the asks without an answer so far, `breaks_after` how many in a row end the asking. `trial`: the
    recipient is paused, and this is the one ask that tries whether it answers again.
    """

    recipient_id: int
    places: int
    most: int
    first_at: datetime
    gap: float
    failures: int = 0
    breaks_after: int = BREAKS_AFTER
    trial: bool = False


def pace_of(recipient_id: int) -> models.Pace:
    """Return the pace of a recipient; one that nobody asked yet is at rest, and not written for that."""
    return models.Pace.objects.filter(recipient_id=recipient_id).first() or models.Pace(recipient_id=recipient_id)


def pacing_of(recipient_id: int) -> Pacing:
    """Return the strictest pacing among the channels that the contract in force lets the desk ask by itself."""
    contract = reading.contract_in_force(recipient_id)
    stated = [] if contract is None else [pacing for _, pacing in asked_by_itself(contract.document)]
    if not stated:
        return UNSTATED
    per_second, at_once = min(one.per_second for one in stated), min(one.at_once for one in stated)
    return stated[0].model_copy(update={"per_second": per_second, "at_once": at_once})


def allowed(pace: models.Pace, *, most: int, within: float, now: datetime) -> Allowed | None:
    """Return what a claim may do during the next `within` seconds at a recipient that is not paused, or None."""
    pacing = pacing_of(pace.recipient_id)
    trial = pace.paused_since is not None
    places = 1 if trial else pacing.at_once - _places_held(pace, now=now)
    first_at = max(now, pace.next_at or now)
    left = (now + timedelta(seconds=within) - first_at).total_seconds()
    most = min(1 if trial else most, ceil(left * pacing.per_second))
    if places < 1 or most < 1:
        return None
    return Allowed(
        recipient_id=pace.recipient_id,
        places=min(places, most),
        most=most,
        first_at=first_at,
        gap=1 / pacing.per_second,
        failures=pace.failures,
        trial=trial,
    )


def _places_held(pace: models.Pace, *, now: datetime) -> int:
    return sum(places for places, until in pace.held.values() if until > seconds(now))


def take(pace: models.Pace, allowance: Allowed, *, asks: int, lease: str, until: datetime, now: datetime) -> None:
    """Write on a locked row what a claim of so many asks takes: places until the lease ends, and the rate's time."""
    living = {one: held for one, held in pace.held.items() if held[1] > seconds(now)}
    pace.held = {**living, lease: [min(allowance.places, asks), seconds(until)]}
    pace.next_at = allowance.first_at + timedelta(seconds=asks * allowance.gap)
    if allowance.trial:
        pace.probe_at = until  # nobody else tries meanwhile; a worker that dies leaves the next trial to others
    pace.save(update_fields=("held", "next_at", "probe_at"))


def give_back(lease: str, recipients: Iterable[int], *, until: datetime) -> None:
    """The places that a lease held until then are free, and so is the trial that it took and did not make."""
    with transaction.atomic():
        for pace in _locked(recipients):
            if pace.held.pop(lease, None) is not None:
                if pace.probe_at == until:
                    pace.probe_at = pace.next_at  # what was claimed could not be asked: others can
                pace.save(update_fields=("held", "probe_at"))


def _locked(recipients: Iterable[int]) -> list[models.Pace]:
    """Return the rows locked, in one order for everybody."""
    rows = models.Pace.objects.select_for_update(of=("self",)).select_related("recipient")
    return list(rows.filter(recipient_id__in=set(recipients)).order_by("recipient_id"))


def note(heard: Mapping[int, list[Heard]]) -> None:
    """Write how asks ended, by recipient, in the caller's transaction."""
    for pace in _locked(heard):
        for one in heard[pace.recipient_id]:
            _answered(pace, one) if not one.failure else _unanswered(pace, one)
        pace.save(update_fields=PACED)


def note_answer(recipient_id: int, heard: Heard) -> None:
    """Write what an answer outside of the polling says about leaving the recipient alone, in the caller's transaction."""
    if heard.status in PACING:
        models.Pace.objects.bulk_create([models.Pace(recipient_id=recipient_id)], ignore_conflicts=True)
        note({recipient_id: [heard]})


def _answered(pace: models.Pace, heard: Heard) -> None:
    pace.failures, pace.answered_at = 0, heard.at
    if pace.paused_since is not None and not pace.paused_by:
        _end_pause(pace)
    if heard.not_before is not None and (pace.not_before is None or heard.not_before > pace.not_before):
        pace.not_before = heard.not_before
        pace.not_before_because = f"It answered {heard.status} and asked to be left alone until then."


def _unanswered(pace: models.Pace, heard: Heard) -> None:
    pace.failures += 1
    pace.failed_at, pace.failure = heard.at, heard.failure[:SENTENCE]
    if pace.paused_by:
        return
    if pace.paused_since is not None:
        pace.probes += 1
        pace.probe_at = _probe_at(pace, heard.at)
    elif pace.failures >= BREAKS_AFTER:
        pace.paused_since = heard.at
        pace.paused_because = f"{pace.failures} asks in a row got no answer. The last: {heard.failure}"[:SENTENCE]
        pace.probe_at = _probe_at(pace, heard.at)


def _probe_at(pace: models.Pace, at: datetime) -> datetime:
    wait = Backoff(seed=f"pause of {pace.recipient_id}", **PROBES).wait_before(pace.probes)
    return at + timedelta(seconds=wait)


def _end_pause(pace: models.Pace) -> None:
    pace.paused_since = pace.probe_at = None
    pace.paused_because = pace.paused_by = ""
    pace.probes = 0


def pause(recipient_id: int, *, because: str, by: str, now: datetime) -> models.Pace:
    """Nobody asks this recipient by itself any more until a person resets it."""
    with transaction.atomic():
        pace = _own(recipient_id)
        if pace.paused_since is None:
            pace.paused_since = now
        pace.paused_because, pace.paused_by, pace.probe_at, pace.probes = because[:SENTENCE], by, None, 0
        pace.changed_by, pace.changed_at = by, now
        pace.save(update_fields=PACED)
    return pace


def reset(recipient_id: int, *, by: str, now: datetime) -> models.Pace:
    """The recipient is asked again, from now on: pause, failures and its wish to be left alone are forgotten.

    So is what of the rate is used up, which a clock that ran ahead may have put far off.
    """
    with transaction.atomic():
        pace = _own(recipient_id)
        _end_pause(pace)
        pace.failures, pace.next_at, pace.not_before, pace.not_before_because = 0, None, None, ""
        pace.changed_by, pace.changed_at = by, now
        pace.save(update_fields=PACED)
    return pace


def _own(recipient_id: int) -> models.Pace:
    models.Pace.objects.bulk_create([models.Pace(recipient_id=recipient_id)], ignore_conflicts=True)
    return _locked([recipient_id])[0]

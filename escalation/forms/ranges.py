"""The time and the recipient that a page of figures was asked for, as they stand in its address."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Final

from escalation.overview.ranges import DAY, Asked, Span, begins
from escalation.policy import Reads
from operations import versions

# What may stand for `from`: so long before the end.
PRESETS: Final[Mapping[str, timedelta]] = {
    "24h": DAY,
    "7d": 7 * DAY,
    "30d": 30 * DAY,
    "90d": 90 * DAY,
}
USUAL: Final = "7d"
LONGEST: Final = 366 * DAY
_LONGEST_TYPED: Final = 40
_KEY: Final = re.compile(r"[-a-zA-Z0-9_]{1,64}\Z")
_NO_TIME: Final = "Give a day (2026-11-30) or a time in UTC (2026-11-30T14:00)."


class NotARange(Exception):
    """What was asked for is no time, or no recipient that the reader may read: `errors` by field, a sentence each."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join([f"{field}: {error}" for field, error in errors.items()]))
        self.errors = errors


class _Wrong(Exception):
    """One field is wrong; the message is a sentence."""


def asked_of(typed: Mapping[str, str], *, reads: Reads, now: datetime) -> Asked:
    """Return what was asked for; raises `NotARange` with every field that is wrong.

    `from` is one of `PRESETS`, a day or a time, `to` a day, which is taken whole, or a time; UTC where no zone is given.
    Nothing for `from` is `USUAL`, nothing for `to` is now.
    """
    errors: dict[str, str] = {}
    until, since, narrowed = now, now, reads
    with _marked(errors, "to"):
        until = _until(typed.get("to", ""), now)
    with _marked(errors, "from"):
        since = _since(typed.get("from", ""), until)
        if "to" not in errors:
            _check(since, until)
    with _marked(errors, "recipient"):
        narrowed = _narrowed(typed.get("recipient", ""), reads)
    if errors:
        raise NotARange(errors)
    return Asked(span=Span(since=since, until=until), reads=narrowed, now=now)


@contextmanager
def _marked(errors: dict[str, str], field: str) -> Iterator[None]:
    try:
        yield
    except _Wrong as wrong:
        errors[field] = str(wrong)


def _until(typed: str, now: datetime) -> datetime:
    if not typed.strip():
        return now
    found = _time(typed)
    if isinstance(found, datetime):
        if found > now:
            raise _Wrong("This time is still to come.")
        return found
    if begins(found) > now:
        raise _Wrong("This day is still to come.")
    return min(begins(found) + DAY, now)


def _since(typed: str, until: datetime) -> datetime:
    length = PRESETS.get(typed.strip() or USUAL)
    if length is not None:
        return until - length
    found = _time(typed)
    return found if isinstance(found, datetime) else begins(found)


def _time(typed: str) -> datetime | date:
    """Return the day or the time, UTC where it names no zone, that was typed."""
    written = typed.strip()
    if len(written) > _LONGEST_TYPED or not written.isascii():
        raise _Wrong(_NO_TIME)
    try:
        return date.fromisoformat(written)
    except ValueError:
        pass
    try:
        at = datetime.fromisoformat(written)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Wrong(_NO_TIME) from None


def _check(since: datetime, until: datetime) -> None:
    if since >= until:
        raise _Wrong("The time ends before it begins.")
    if until - since > LONGEST:
        raise _Wrong(f"Choose a time of at most {LONGEST.days} days.")


def _narrowed(key: str, reads: Reads) -> Reads:
    """Return the reader's recipients, or the one with this key; one that they may not read is as if it were not there."""
    if not key:
        return reads
    refused = _Wrong("There is no recipient with this key that you may read.")
    if not _KEY.match(key):
        raise refused
    try:
        return Reads(frozenset([versions.recipient(key, among=reads.ids).id]))
    except versions.NoSuchRecipient:
        raise refused from None

"""A statement is never dated later than it was made, and no closer than it was written.

semantics.md, Claims: `as_of`. Times are seconds since 1970 (UTC).

*Dates of limited precision.* A date written to the second (or to a millisecond) stands for the interval from itself to
the next one that could have been written, [d, d + precision). Its start is what a statement is dated by, with one
exception. An attempt is dated to the microsecond, so the start of the second in which an attempt went out lies before
the attempt, and what the recipient said of that attempt would look as if it had been said of an earlier one that is not
on record. Such a statement is dated by the sending of the attempt that it can speak of (`placed`), if that lies within
the interval: by then it was sent, and nothing says that the statement was made before. The date never leaves what the
recipient wrote, so it makes nothing fresh by more than the precision. What this is applied to, and from when on an
answer can speak of an attempt, is in `dating.py`.
"""

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final, NamedTuple

from operations.contracts.channel import TimeForm
from operations.contracts.places import Found, as_text
from operations.core.facts import Seconds
from operations.core.strict_json import NumberText

# 9999-12-31T23:59:59Z
_LATEST: Final = 253_402_300_799
_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_WHOLE: Final = re.compile(r"[0-9]{1,15}")


class Stated(NamedTuple):
    """A time as it is written: it stands for [at, at + precision). Precision 0 is an instant."""

    at: Seconds
    precision: Seconds = 0


def time(found: Found, *, form: TimeForm) -> Seconds | None:
    """Return the time that is written there, the start of its interval; None if it isn't written in this form."""
    text = as_text(found)
    if text is None:
        return None
    at = _EPOCHS[form](text, found) if form in _EPOCHS else _DATES[form](text)
    return at if at is not None and 0 <= at <= _LATEST else None


def stated(found: Found, *, form: TimeForm) -> Stated | None:
    """Return the time that is written there with how closely it is written; None if it isn't written in this form."""
    at = time(found, form=form)
    return None if at is None else Stated(at, _precision(str(found), form))


_FRACTION: Final = re.compile(r"\.([0-9]+)")
_EXPONENT: Final = re.compile("[eE]")
# Python keeps no more of a fraction than this, and a float of today's dates little more.
_FINEST: Final = 6


def _precision(text: str, form: TimeForm) -> Seconds:
    """Return how far the next time that could be written lies; 0 where the digits don't show it."""
    unit = 1e-3 if form is TimeForm.EPOCH_MILLISECONDS else 1.0
    if form is TimeForm.HTTP_DATE:
        return unit
    if _EXPONENT.search(text):
        return 0
    fraction = _FRACTION.search(text)
    return unit if fraction is None else unit * 10.0 ** -min(len(fraction[1]), _FINEST)


def placed(stated_at: Stated, *, sent_at: Seconds | None, by: Seconds) -> Seconds:
    """Return the date of a statement: its start, or the sending of an attempt within its interval, never after `by`."""
    at, precision = stated_at
    if sent_at is not None and at < sent_at < at + precision and sent_at <= by:
        return sent_at
    return min(at, by)


def _seconds(text: str, found: Found) -> Seconds | None:
    if not isinstance(found, NumberText) and not _WHOLE.fullmatch(text):
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return float(value) if 0 <= value <= _LATEST * 1000 else None


def _milliseconds(text: str, found: Found) -> Seconds | None:
    value = _seconds(text, found)
    return None if value is None else value / 1000


def _rfc_3339(text: str) -> Seconds | None:
    if not _RFC_3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(_microseconds(text.upper())).timestamp()
    except ValueError:
        return None


def _microseconds(text: str) -> str:
    """Cut a fraction to the six digits that Python takes: earlier, never later."""
    return re.sub(r"(\.[0-9]{6})[0-9]+", r"\1", text)


def _http_date(text: str) -> Seconds | None:
    """RFC 9110, section 5.6.7, the obsolete forms included, all of them in GMT; RFC 2822 with its zone."""
    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


_EPOCHS: Final = {TimeForm.EPOCH_SECONDS: _seconds, TimeForm.EPOCH_MILLISECONDS: _milliseconds}
_DATES: Final = {TimeForm.RFC_3339: _rfc_3339, TimeForm.HTTP_DATE: _http_date}


def spelt(at: Seconds, *, form: TimeForm) -> str:
    """Return the time written in this form, cut to the whole second below."""
    if form is TimeForm.EPOCH_SECONDS:
        return str(int(at))
    if form is TimeForm.EPOCH_MILLISECONDS:
        return str(int(at) * 1000)
    moment = datetime.fromtimestamp(int(at), tz=UTC)
    if form is TimeForm.HTTP_DATE:
        return format_datetime(moment, usegmt=True)
    return moment.isoformat().replace("+00:00", "Z")


class UndatedAnswer(Exception):
    """An answer whose date can't be told; the message is a sentence."""

"""A statement is never dated later than it was made: by the recipient's own date, or by its question less its age.

semantics.md, Claims: `as_of`. Times are seconds since 1970 (UTC).
"""

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final

from operations.contracts.channel import TimeForm
from operations.contracts.places import Found, Gap, as_text
from operations.core.facts import Seconds
from operations.core.strict_json import Json, NumberText

# 9999-12-31T23:59:59Z
_LATEST: Final = 253_402_300_799
_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_WHOLE: Final = re.compile(r"[0-9]{1,15}")


def time(found: Found, *, form: TimeForm) -> Seconds | None:
    """Return the time that is written there; None if it isn't written in this form."""
    text = as_text(found)
    if text is None:
        return None
    at = _EPOCHS[form](text, found) if form in _EPOCHS else _DATES[form](text)
    return at if at is not None and 0 <= at <= _LATEST else None


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


def asked_less_age(asked_at: Seconds, *, headers: dict[str, Json]) -> Seconds:
    """Return the time of a question less the age of its answer (RFC 9111, sections 4.2.3 and 5.1).

    A `Date` that lies more than the second it is written in before the question tells of a cache that says no Age.
    Raises UndatedAnswer where an Age is given that can't be read: the answer came from a cache, and how old it is
    nobody knows.
    """
    age = headers.get("age")
    if age is not None:
        text = str(age)
        if not _WHOLE.fullmatch(text):
            raise UndatedAnswer(f"It came from a cache and its Age can't be read: {text[:40]!r}.")
        asked_at -= int(text)
    date = time(headers.get("date"), form=TimeForm.HTTP_DATE)
    return date if date is not None and date + 1 < asked_at else asked_at


def is_gap(found: Found) -> bool:
    """Say whether there is nothing to read a time from."""
    return found is None or isinstance(found, Gap)

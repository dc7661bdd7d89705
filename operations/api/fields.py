"""The fields of what is asked: read strictly, bounded, and refused in words that say what would be right."""

import base64
import binascii
import re
from datetime import datetime, timedelta
from typing import Annotated, Final, TypeAlias
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

LONGEST_BYTES: Final = 1024 * 1024
_RFC_3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_EARLIEST: Final = 2000


class Asked(BaseModel):
    """One object of a request: every field is known, and none is converted from another type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise PydanticCustomError("no_control", "must hold no line break or other control character")
    return text


def _no_nul(text: str) -> str:
    if "\x00" in text:
        raise PydanticCustomError("no_nul", "must hold no NUL character")
    return text


def uuid_of(what: str) -> BeforeValidator:
    """Return what reads the id of `what` in its one long form; strict reading takes no text for an id by itself."""

    def read(value: object) -> object:
        try:
            return UUID(value) if isinstance(value, str) and len(value) == 36 else value
        except ValueError:
            raise PydanticCustomError("uuid", f"must be {what}'s id") from None

    return BeforeValidator(read)


def _attempt_id(text: str) -> str:
    if text == "?":
        raise PydanticCustomError("reserved", "must not be '?', which stands for a submission that is not on record")
    return text


def _moment(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str) and _RFC_3339.fullmatch(value):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            found = None
        if found is not None and _EARLIEST <= found.year < 9999:
            return found
    raise PydanticCustomError("rfc_3339", "must be a time since 2000 as in RFC 3339, with its offset")


def _bytes(value: object) -> object:
    if not isinstance(value, str):
        raise PydanticCustomError("base64", "must be text in base64")
    try:
        return base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        raise PydanticCustomError("base64", "must be base64 with padding, without line breaks") from None


Bytes: TypeAlias = Annotated[
    bytes,
    BeforeValidator(_bytes),
    Field(max_length=LONGEST_BYTES),
    WithJsonSchema({"type": "string", "contentEncoding": "base64", "maxLength": (LONGEST_BYTES + 2) // 3 * 4}),
]
Moment: TypeAlias = Annotated[
    datetime, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})
]
Label: TypeAlias = Annotated[str, Field(max_length=200), AfterValidator(_one_line)]
Scope: TypeAlias = Annotated[str, Field(max_length=255), AfterValidator(_one_line)]
Identity: TypeAlias = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(_one_line)]
RecipientKey: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[-a-zA-Z0-9_]+$")]
GrantId: TypeAlias = Annotated[UUID, uuid_of("a grant"), WithJsonSchema({"type": "string", "format": "uuid"})]
AttemptId: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=128), AfterValidator(_one_line), AfterValidator(_attempt_id)
]
# Shorter than the column: the kind of report stands before it there.
EventId: TypeAlias = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_one_line)]
Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_no_nul)]
HeaderPart: TypeAlias = Annotated[str, Field(max_length=8192), AfterValidator(_no_nul)]
HeaderLine: TypeAlias = Annotated[list[HeaderPart], Field(min_length=2, max_length=2)]


def lines(headers: list[list[str]]) -> tuple[tuple[str, str], ...]:
    """Return header lines as pairs of name and value."""
    return tuple([(name, value) for name, value in headers])


def desk_time(at: datetime | None, *, clock: datetime | None, now: datetime) -> datetime:
    """Return a time of the caller's clock on the desk's, never later than `now`; `now` where none is given.

    semantics.md: times are seconds on the desk's clock. `clock` is what the caller's clock showed as it sent the call:
    the difference moves `at`, so that a clock that is an hour wrong neither opens nor closes a window.
    """
    if at is None:
        return now
    moved = timedelta(0) if clock is None else now - clock
    try:
        return min(at + moved, now)
    except OverflowError:
        return now

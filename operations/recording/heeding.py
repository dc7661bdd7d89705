"""What an answer says about being asked again is noted on the plan: a wish to wait, and how long a cache may repeat it.

Retry-After (RFC 9110, 10.2.3) of an answer to a question is about its channel. That of a reply to an attempt (202 above
all: the follow-up is ours) is about every channel through which this operation is asked about, and about no other
operation: who reports replies for one must not be able to silence the desk about the rest. 429 and 503 that the desk was
answered itself are about the recipient, too (`pacing`). Freshness (RFC 9111) is of answers to questions alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from operations import models
from operations.contracts.channel import Kind
from operations.contracts.loading import document_of
from operations.contracts.waits import fresh_for, retry_after
from operations.core.facts import Seconds
from operations.reading import seconds

AT: Final = "at"
NOT_BEFORE: Final = "not_before"
FRESH_UNTIL: Final = "fresh_until"
ETAG: Final = "etag"
LONGEST_TAG: Final = 260

Marks: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One answer, as far as it is about asking: `asked_at` for one to a question; not `answered_at` where none came.

    `kept`: it is on record; a 304 is not, and neither is what could not be stored.
    """

    channel: str
    asked_at: datetime | None
    answered_at: datetime | None
    headers: tuple[tuple[str, str], ...] = ()
    kept: bool = True


def heed(due: models.Due, said: Said, *, text: str, now: datetime) -> None:
    """Note on the plan, which is not saved, that a channel was asked and what was said about asking again.

    `text` is the contract that reads the operation. A wish that is dated in the future counts from now.
    """
    changed = dict(_asked(due, said, text, now) if said.asked_at is not None else _replied(due, said, text, now))
    due.asked = {**due.asked, **changed}


def _asked(due: models.Due, said: Said, text: str, now: datetime) -> Iterator[tuple[str, Marks]]:
    known = due.asked.get(said.channel, {})
    marks = {**known, **({} if said.asked_at is None else {AT: seconds(said.asked_at)})}
    channel = document_of(text).channels.get(said.channel)
    if said.answered_at is not None:
        at = seconds(min(said.answered_at, now))
        fresh = 0.0 if channel is None else fresh_for(said.headers, channel=channel)
        told = {
            NOT_BEFORE: known.get(NOT_BEFORE) if (wish := _not_before(said, at)) is None else wish,
            FRESH_UNTIL: at + fresh if fresh else None,
            ETAG: _tag(said) if said.kept else known.get(ETAG),
        }
        marks = {name: mark for name, mark in {**marks, **told}.items() if mark is not None}
    yield said.channel, marks


def _tag(said: Said) -> str | None:
    """Return the tag of this very answer: another's would have a 304 stand for what is not on record, or not the last."""
    tag = next((value for name, value in said.headers if name == "etag"), "")
    return tag if 0 < len(tag) <= LONGEST_TAG else None


def _replied(due: models.Due, said: Said, text: str, now: datetime) -> Iterator[tuple[str, Marks]]:
    channels = document_of(text).channels
    if said.answered_at is None or said.channel not in channels or channels[said.channel].kind is not Kind.REPLY:
        return
    wish = _not_before(said, seconds(min(said.answered_at, now)))
    for name, channel in channels.items():
        if wish is not None and channel.pollable and channel.asks is not None:
            known = due.asked.get(name, {})
            yield name, {**known, NOT_BEFORE: max(wish, known.get(NOT_BEFORE, wish))}


def _not_before(said: Said, at: Seconds) -> Seconds | None:
    wait = retry_after(said.headers, received_at=at)
    return None if wait is None else at + wait

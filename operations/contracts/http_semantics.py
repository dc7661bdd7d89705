"""What HTTP itself says of an answer, once for every recipient: its age, when to ask again, where to ask, what is wrong.

RFC 9110 (semantics), RFC 9111 (caching), RFC 7240 (preferences), RFC 9457 (problem details). Nothing here is a claim
about an effect: HTTP carries answers and makes none. Pure; headers come as `read_headers` gives them, times are seconds.
"""

import re
from collections.abc import Mapping
from typing import Final

from operations.contracts.channel import TimeForm
from operations.contracts.dates import Stated, UndatedAnswer, time
from operations.core.facts import Seconds
from operations.core.strict_json import Json

Headers = Mapping[str, Json]

REDIRECTIONS: Final = frozenset(range(300, 400))
NOT_MODIFIED: Final = 304
# Answers of the moment about the asking, never about what was asked (RFC 9110, 15.6.4; RFC 6585, 4).
PACING: Final = frozenset({429, 503})
# A recipient that wants to be left alone for longer than this is asked by a person.
LONGEST_WAIT: Final = 7 * 86_400.0
LONGEST_LOCATION: Final = 2000
_WHOLE: Final = re.compile(r"[0-9]{1,15}")


def asked_less_age(asked_at: Seconds, *, headers: Headers) -> Stated:
    """Return the time of a question less the age of its answer: RFC 9111, 4.2.3, seen from the question.

    There the age on arrival is the greater of the apparent age (arrival less Date) and Age plus the time since the
    question. Taken from the arrival that leaves the earlier of Date and question less Age. Date is written to the
    second: one that lies within a second of the question tells of no cache. Cache-Control never makes an answer younger:
    a cache that keeps what it must not is still a cache.
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
    return Stated(date, 1) if date is not None and date + 1 < asked_at else Stated(asked_at)

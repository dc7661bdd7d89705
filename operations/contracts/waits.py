"""How long an answer asks us to wait: what the recipient wishes, and for how long a cache may give the same answer again.

RFC 9110, 10.2.3 (Retry-After) and RFC 9111, 4.2 (freshness). Both are about asking and neither is a claim about an
effect. Pure; header lines come as they are stored, names in any case, times are seconds.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from operations.contracts.channel import AUTHORIZATION, Asks, Channel, TimeForm
from operations.contracts.dates import time
from operations.core.facts import Seconds

Lines: TypeAlias = Iterable[tuple[str, str]]

# A recipient that wants to be left alone for longer than this is asked by a person.
LONGEST_WAIT: Final = 86_400.0
_WHOLE: Final = re.compile(r"[0-9]{1,15}")
_UNKEPT: Final = frozenset({"no-store", "no-cache", "private"})
# RFC 9111, 3.5: what lets a shared cache answer with what it kept of a request that carried Authorization.
_SHARED: Final = frozenset({"public", "must-revalidate", "s-maxage"})


def retry_after(lines: Lines, *, received_at: Seconds) -> Seconds | None:
    """Return how many seconds after `received_at` the recipient wants to be left alone; None if it doesn't say.

    RFC 9110, 10.2.3: seconds or a date. A date is measured from the answer's own Date where there is one, because both
    were read off one clock. Of several wishes the longest; what is neither is no wish, and none is longer than
    LONGEST_WAIT.
    """
    found = _values(lines, "retry-after", "date")
    since = next((at for text in found["date"] if (at := _date(text)) is not None), received_at)
    waits = [wait for text in found["retry-after"] if (wait := _wait(text.strip(), since)) is not None]
    return max(waits, default=None)


def _values(lines: Lines, *names: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, value in lines:
        if (key := name.lower()) in found:
            found[key].append(value)
    return found


def _date(text: str) -> Seconds | None:
    return time(text, form=TimeForm.HTTP_DATE)


def _wait(text: str, since: Seconds) -> Seconds | None:
    if _WHOLE.fullmatch(text):
        return min(float(text), LONGEST_WAIT)
    until = _date(text)
    return None if until is None else _bounded(until - since)


def _bounded(wait: Seconds) -> Seconds:
    return min(max(wait, 0.0), LONGEST_WAIT)


def fresh_for(lines: Lines, *, channel: Channel) -> Seconds:
    """Return for how long after its arrival a cache on the way may give this answer again to this channel's question.

    RFC 9111, 4.2: s-maxage, else max-age, else Expires less Date, each less Age; of two of a name the first. It is 0
    where asking reaches the recipient anyway: the question only ever gets there (`reaches_the_recipient`), the answer is
    not to be kept, or not by a cache that others share, which is any cache on the way of a desk that keeps none itself;
    and where a request with Authorization is answered without leave to share (3.5), unless its Age shows that it is kept
    all the same. What a cache guesses (4.2.2) nobody knows, so an answer that doesn't say is not waited for.
    """
    found = _values(lines, "cache-control", "age", "expires", "date")
    told = _directives(found["cache-control"])
    if reaches_the_recipient(channel.asks) or not _UNKEPT.isdisjoint(told):
        return 0.0
    if _is_authorized(channel) and _SHARED.isdisjoint(told) and not found["age"]:
        return 0.0
    return _bounded(_lifetime(told, found) - (_whole(found["age"][0]) if found["age"] else 0.0))


def reaches_the_recipient(asks: Asks | None) -> bool:
    """Say whether no cache may answer this question by itself: a POST (RFC 9110, 9.3.3), or one that forbids it.

    RFC 9111, 5.2.1: `no-cache`, or `max-age=0`. An If-None-Match alone does not: a cache may answer it out of what is
    fresh (4.3.2).
    """
    if asks is None or asks.method == "POST":
        return True
    told = _directives([value for name, value in asks.headers.items() if name == "cache-control"])
    return "no-cache" in told or told.get("max-age") == "0"


def _is_authorized(channel: Channel) -> bool:
    return channel.credential is not None and channel.credential_header == AUTHORIZATION


def _directives(values: Iterable[str]) -> Mapping[str, str]:
    """Return the directives of Cache-Control, names in lower case (RFC 9111, 5.2); of two of a name the first."""
    found: dict[str, str] = {}
    for part in ",".join(values).split(","):
        name, _, value = part.strip().partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def _lifetime(told: Mapping[str, str], found: Mapping[str, list[str]]) -> Seconds:
    for name in ("s-maxage", "max-age"):
        if name in told:
            return _whole(told[name])
    expires, date = (_date(found[name][0]) if found[name] else None for name in ("expires", "date"))
    return 0.0 if expires is None or date is None else expires - date


def _whole(text: str) -> Seconds:
    return float(text) if _WHOLE.fullmatch(text.strip()) else 0.0

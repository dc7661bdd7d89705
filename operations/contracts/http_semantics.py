"""What HTTP itself says of an answer, once for every recipient: its age, what it honoured, where to ask, what is wrong.

RFC 9110 (semantics), RFC 9111 (caching), RFC 7240 (preferences), RFC 9457 (problem details); when to ask again is in
`waits.py`. Nothing here is a claim about an effect: HTTP carries answers and makes none. Pure; headers come as
`read_headers` gives them, times are seconds.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias
from urllib.parse import SplitResult, urljoin, urlsplit

from operations.contracts.channel import Asks, TimeForm
from operations.contracts.dates import Stated, UndatedAnswer, time
from operations.contracts.places import UNREADABLE, Found
from operations.core.facts import Seconds
from operations.core.strict_json import Json, NumberText

Headers: TypeAlias = Mapping[str, Json]

REDIRECTIONS: Final = frozenset(range(300, 400))
NOT_MODIFIED: Final = 304
# Answers of the moment about the asking, never about what was asked (RFC 9110, 15.6.4; RFC 6585, 4).
PACING: Final = frozenset({429, 503})
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


def is_redirection(status: int | None) -> bool:
    """Say whether an answer sends us elsewhere; redirections are never followed (304 is none of them)."""
    return status is not None and status in REDIRECTIONS and status != NOT_MODIFIED


def is_revalidated(status: int | None) -> bool:
    """Say whether the answer is that nothing has changed since an earlier one: no new observation (RFC 9110, 15.4.5)."""
    return status == NOT_MODIFIED


def says_nothing(status: int | None) -> str:
    """Return why HTTP lets an answer of this status mean nothing about the effect; empty where it lets it."""
    if is_revalidated(status):
        return "It hasn't changed since it was read before (304): the earlier observation stands, this is no new one."
    if is_redirection(status):
        return "It sends us to another address, and redirections are not followed."
    return "It asks us to wait, which says nothing of the effect." if status in PACING else ""


_ETAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,256}"')


def conditional_headers(asks: Asks | None, *, previous: Headers) -> tuple[tuple[str, str], ...]:
    """Return the headers that ask whether an answer has changed since `previous`; none where the contract or it don't.

    RFC 9110, 13.1.2: If-None-Match with the entity tag of the answer before. Last-Modified isn't used: it is written to
    the second and can't tell two changes within one apart (8.8.2.2).
    """
    tag = previous.get("etag")
    if asks is None or not asks.revalidate or not isinstance(tag, str) or not _ETAG.fullmatch(tag):
        return ()
    return (("if-none-match", tag),)


_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)*"?')


def preferences_applied(headers: Headers) -> frozenset[str]:
    """Return the preferences that the recipient says it honoured (RFC 7240, 3), names in lower case.

    Silence means nothing: a recipient may honour a preference without saying so, and ignore any.
    """
    said = _QUOTED.sub("", str(headers.get("preference-applied", "")))
    names = [part.partition("=")[0].strip().lower() for part in said.split(",")]
    return frozenset([name for name in names if _TOKEN.fullmatch(name)])


_PATH: Final = re.compile(r"/[!$&'()*+,;=:@/?\w.~%-]*", re.ASCII)
_DOTS: Final = re.compile(r"(?:/|^)(?:\.|%2e){1,2}(?:/|\?|$)", re.IGNORECASE)
_PORTS: Final = {"http": 80, "https": 443}


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None] | None:
    try:
        port = parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.password is not None:
        return None
    return parts.scheme, parts.hostname, port or _PORTS.get(parts.scheme)


def is_path(text: str) -> bool:
    """Say whether this is a path, and perhaps a query, that names no other host and climbs nowhere."""
    decent = len(text) <= LONGEST_LOCATION and _PATH.fullmatch(text) is not None and not text.startswith("//")
    return decent and not _DOTS.search(text) and "%" not in re.sub("%[0-9A-Fa-f]{2}", "", text)


def place_to_ask(location: str, *, address: str, target: str) -> str | None:
    """Return the target to ask at for a Location (RFC 9110, 10.2.2), None where it can't be asked at.

    `address` is where the recipient is reached, with a path before every target where it has one; `target` is that of
    the request which was answered, which a relative Location is resolved against. Only what lies at the same scheme,
    host and port, below the same path, is returned, as path and query: the desk's questions, and its credential, go
    nowhere else because an answer says so.
    """
    base = address.rstrip("/")
    try:
        there, here = urlsplit(urljoin(base + target, location)), urlsplit(base)
    except ValueError:
        return None
    origin = _origin(here)
    if not location or origin is None or origin != _origin(there) or not there.path.startswith(f"{here.path}/"):
        return None
    found = there.path[len(here.path) :] + (f"?{there.query}" if there.query else "")
    return found if is_path(found) else None


PROBLEM: Final = "application/problem+json"


def is_problem(headers: Headers) -> bool:
    """Say whether the media type is that of problem details."""
    return str(headers.get("content-type", "")).partition(";")[0].strip().lower() == PROBLEM


def problem(body: Found) -> Found:
    """Return the members that RFC 9457 (3.1) gives a problem; `body` is what the bytes say as JSON.

    A member of another type is as good as not there, as it says; `type` is about:blank where it isn't given. A
    problem that is no object can't be read.
    """
    if not isinstance(body, dict):
        return UNREADABLE
    texts: dict[str, Json] = {
        name: value for name in ("type", "title", "detail", "instance") if isinstance(value := body.get(name), str)
    }
    status = body.get("status")
    return {"type": "about:blank", **texts, **({"status": status} if isinstance(status, NumberText) else {})}

"""Who comes in: a valid key with the scope for what it asks, at its pace, with a body that is bounded before it is read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from django.http import HttpRequest
from django.utils import timezone
from ninja.parser import Parser
from ninja.security.base import AuthBase

from operations import keys
from operations.api import pace
from operations.api.problems import FieldError, Problem, wrong_fields
from operations.core.strict_json import parse

MOST_BYTES: Final = 4 * 1024 * 1024
MOST_BYTES_OF_A_BATCH: Final = 16 * 1024 * 1024
# Far more than any body here needs.
_DEEPEST: Final = 16
ANY_SCOPE: Final = ("transport", "agent", "read", "collect")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One call: who calls, and when. Everything that the call does is dated by `now`."""

    caller: keys.Caller
    now: datetime

    def require_scope(self, *scopes: str, to: str) -> None:
        """Raise the problem that names the missing scope, unless the key has one of these."""
        if self.caller.scopes.isdisjoint(scopes):
            missing = " or ".join(scopes)
            raise Problem(
                403, "missing_scope", f"This key lacks the scope {missing}, to {to}.", more={"scope": missing}
            )

    def recipient(self, key: str) -> int:
        """Return the row id of a recipient that the key is for; others, known or not, are refused alike."""
        found = self.caller.recipients.get(key)
        if found is None:
            raise Problem(
                403, "missing_recipient", f"This key is not for the recipient {key}.", more={"recipient": key}
            )
        return found

    @property
    def recipients(self) -> frozenset[int]:
        """The row ids of all recipients that the key is for."""
        return frozenset(self.caller.recipients.values())


def visit_of(request: HttpRequest) -> Visit:
    """Return the visit that the door let in."""
    return cast("Visit", request.auth)  # type: ignore[attr-defined]  # put there by ninja


class Key(AuthBase):
    """The key in `Authorization: Bearer`, with one of `scopes`; the body is bounded by `most` bytes."""

    openapi_type = "http"
    openapi_scheme = "bearer"
    openapi_bearerFormat = "unr_<id>.<secret>"  # noqa: N815  # OpenAPI's own name

    def __init__(self, *scopes: str, to: str, most: int = MOST_BYTES, query: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.scopes = scopes
        self.to = to
        self.most = most
        self.query = query

    def __call__(self, request: HttpRequest) -> Visit | None:
        """Return the visit; None without a valid key, whatever is wrong with it."""
        now = timezone.now()
        kind, _, key = request.headers.get("Authorization", "").partition(" ")
        caller = keys.caller_of(key.strip(), now=now) if kind.lower() == "bearer" else None
        if caller is None:
            return None
        visit = Visit(caller=caller, now=now)
        _keep_pace(visit)
        visit.require_scope(*self.scopes, to=self.to)
        _refuse_unknown_parameters(request, self.query)
        if request.method not in ("GET", "HEAD"):
            _refuse_body(request, self.most)
        return visit


def _keep_pace(visit: Visit) -> None:
    wait = pace.wait_of(visit.caller.id, now=visit.now.timestamp())
    if wait:
        raise Problem(
            429,
            "too_many_calls",
            f"This key has used its minute's calls. Wait {wait} s.",
            headers={"Retry-After": str(wait)},
        )


def _refuse_unknown_parameters(request: HttpRequest, known: tuple[str, ...]) -> None:
    wrong = [
        FieldError(at="query", field=name[:200], rule="extra_forbidden", message="is not a parameter here")
        for name in request.GET
        if name not in known
    ] + [
        FieldError(at="query", field=name, rule="given_twice", message="may stand once")
        for name in known
        if len(request.GET.getlist(name)) > 1
    ]
    if wrong:
        raise wrong_fields(wrong)


def _refuse_body(request: HttpRequest, most: int) -> None:
    if request.content_type != "application/json":
        raise Problem(415, "not_json", "Send Content-Type: application/json.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem(415, "encoded", "Send the body as it is, without Content-Encoding.")
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length.isascii() or not length.isdigit():
        raise Problem(411, "no_length", "Send Content-Length.")
    if len(length) > 12 or int(length) > most:
        raise Problem(413, "too_large", f"A body may have {most} bytes.", more={"most": most})


class StrictParser(Parser):
    """Reads a body as strict JSON: what two readers could understand differently is refused."""

    def parse_body(self, request: HttpRequest) -> dict[str, object]:
        """Return the body's value; StrictJsonError says where it is wrong."""
        return cast("dict[str, object]", parse(request.body, numbers="values", deepest=_DEEPEST))

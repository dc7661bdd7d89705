"""What the rings within refuse is told at the door as a problem, in one place (style.md, Errors)."""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError

from operations import reading, recording
from operations.api.problems import (
    LONGEST_SHOWN,
    FieldError,
    Problem,
    answered,
    message_of,
    shown_pointer,
    wrong_field,
    wrong_fields,
)
from operations.api.said import refusal_said
from operations.binding import NotOfThisContract
from operations.core.difference import Difference
from operations.core.facts import FactError
from operations.core.normalisation import Absent
from operations.core.strict_json import StrictJsonError
from operations.needing import MOST, AskedTooOften, NothingOpen
from operations.recording.granting import GrantRefused
from operations.reporting import NoSuchChannel

NO_KEY: Final = "Send a valid key: Authorization: Bearer unr_<id>.<secret>."
MOST_DIFFERENCES: Final = 20
_HEADER_PART: Final = {"name": "0", "value": "1"}
_INDEX: Final = re.compile(r"\[(\d+)\](?:\.(name|value))?")

log = logging.getLogger(__name__)


def _side(value: str | Absent) -> str | None:
    return None if isinstance(value, Absent) else value


def _difference(found: Difference) -> dict[str, str | None]:
    return {
        "pointer": found.pointer,
        "before": _side(found.before),
        "after": _side(found.after),
        "why": found.why,
    }


def _new_proposal(error: recording.NewProposal) -> Problem:
    found = error.comparison
    return Problem(
        409,
        "new_proposal",
        "This identity is bound to another representation. Nothing was recorded: do not send. What differs is a new"
        " proposal, for another identity.",
        more={
            "operation": str(error.operation_id),
            "differences": [_difference(one) for one in found.differences[:MOST_DIFFERENCES]],
            "total": found.total,
        },
    )


def _confronts(error: recording.ConfrontsOpenOperation) -> Problem:
    return Problem(
        409,
        "confronts_open_operation",
        "An operation about the same thing is still open. Nothing was recorded: do not send. A person has to say that"
        " both are meant, or authorise this one in its place.",
        more={"operation": str(error.operation_id)},
    )


def _attempt_differs(error: recording.AttemptDiffers) -> Problem:
    known = error.attempt
    return Problem(
        409,
        "attempt_differs",
        "This attempt is on record with other sends or another scope, as it was told before the send.",
        more={"operation": str(known.operation_id), "sends": known.sends, "scope": known.scope},
    )


def _event_differs(error: recording.EventDiffers) -> Problem:
    return Problem(
        409,
        "event_differs",
        "This event is on record with another report. Report this one under an id of its own.",
        more={"observation": str(error.observation_id)},
    )


def _grant_refused(error: GrantRefused) -> Problem:
    return Problem(409, error.why.value, f"{error.why.sentence} Nothing was recorded: do not send.")


def _not_permitted(error: recording.NotPermitted) -> Problem:
    return Problem(
        409,
        "not_permitted",
        f"Not permitted now, and nothing was recorded: do not send. {error.refusal.sentence}",
        more={"action": error.action.value, "refusal": refusal_said(error.refusal).model_dump(mode="json")},
    )


def _nothing_open(_: NothingOpen) -> Problem:
    return Problem(
        409,
        "nothing_open",
        "What became of it is established, so there is nothing for a person to look at. Nothing was recorded.",
    )


def _asked_too_often(error: AskedTooOften) -> Problem:
    return Problem(
        429,
        "asked_too_often",
        f"A person was asked for {MOST} times within an hour. Nothing was recorded.",
        headers={"Retry-After": str(error.wait)},
    )


def no_such_operation(_: reading.NoSuchOperation) -> Problem:
    """Return the problem of an operation that isn't there, or is another recipient's: the two are answered alike."""
    return Problem(404, "no_such_operation", "There is no such operation for this key.")


def _of_request(field: str) -> str:
    """Return the pointer into the body for a field of the representation: `headers[2].name` is /request/headers/2/0."""
    place = _INDEX.sub(
        lambda found: "/" + "/".join([found[1], *filter(None, [_HEADER_PART.get(found[2] or "")])]), field
    )
    return f"/{place}" if field == "identity" else f"/request/{place}"


def _not_of_this_contract(error: NotOfThisContract) -> Problem:
    return wrong_field(_of_request(error.field), error.rule, error.message)


def _fact_error(error: FactError) -> Problem:
    return wrong_field(_of_request(error.field)[:LONGEST_SHOWN], error.rule, error.message[:LONGEST_SHOWN])


def _no_such_channel(error: NoSuchChannel) -> Problem:
    return wrong_field("/channel", "channel", f"must be {error}")


def _of_ninja(error: Mapping[str, Any]) -> FieldError:
    """ninja names where a value came from, then the endpoint's own word for it."""
    at, *way = error["loc"]
    if at == "body":
        return FieldError(at=at, field=shown_pointer(way[1:]), rule=error["type"], message=message_of(error))
    field = ".".join([str(part)[:LONGEST_SHOWN] for part in way])
    return FieldError(at=str(at), field=field, rule=error["type"], message=message_of(error))


def _invalid(error: ValidationError) -> Problem:
    return wrong_fields([_of_ninja(one) for one in error.errors])


def _no_key(_: AuthenticationError) -> Problem:
    return Problem(401, "no_key", NO_KEY, headers={"WWW-Authenticate": "Bearer"})


def _unreadable(error: StrictJsonError) -> Problem:
    in_value = error.place.startswith("/") or not error.place
    detail = error.message if in_value else f"{error.message}, at {error.place}"
    return wrong_field(_shown_place(error.place) if in_value else "", error.rule, detail)


def _shown_place(place: str) -> str:
    return "/".join([part[:LONGEST_SHOWN] for part in place.split("/")])


def _http_error(error: HttpError) -> Problem:
    cause = error.__cause__
    if isinstance(cause, StrictJsonError):
        return _unreadable(cause)
    return Problem(error.status_code, "not_accepted", str(error))


def _not_now(error: OperationalError) -> Problem:
    log.warning("the database did not answer: %s", error)
    return Problem(503, "not_now", "The records can't be reached. Ask again.", headers={"Retry-After": "1"})


def _unexpected(error: Exception) -> Problem:
    log.error("a call ended unexpectedly", exc_info=error)
    return Problem(500, "unexpected", "The desk failed. What was asked may be on record: ask again with the same ids.")


_Told: TypeAlias = Callable[[Any], Problem]
_PROBLEMS: Final[Mapping[type[Exception], _Told]] = {
    Problem: lambda problem: problem,
    recording.NewProposal: _new_proposal,
    recording.ConfrontsOpenOperation: _confronts,
    recording.AttemptDiffers: _attempt_differs,
    recording.EventDiffers: _event_differs,
    GrantRefused: _grant_refused,
    recording.NotPermitted: _not_permitted,
    reading.NoSuchOperation: no_such_operation,
    NotOfThisContract: _not_of_this_contract,
    FactError: _fact_error,
    NoSuchChannel: _no_such_channel,
    NothingOpen: _nothing_open,
    AskedTooOften: _asked_too_often,
    ValidationError: _invalid,
    AuthenticationError: _no_key,
    HttpError: _http_error,
    OperationalError: _not_now,
    Exception: _unexpected,
}


def problem_of(error: Exception) -> Problem:
    """Return what to answer for any error that ended a call or an item of a batch."""
    told = next(_PROBLEMS[kind] for kind in type(error).__mro__ if kind in _PROBLEMS)
    return told(error)


def handle(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    """Answer for an error, whatever it is."""
    return answered(problem_of(error if isinstance(error, Exception) else error()))

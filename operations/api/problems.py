"""Whatever goes wrong is one shape, problem details (RFC 9457), with a sentence and the fields that are wrong."""

import json
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

from django.http import HttpResponse
from pydantic import BaseModel, Field
from pydantic import ValidationError as ShapeError

from operations.core.strict_json import pointer

CONTENT_TYPE: Final = "application/problem+json"
MOST_LISTED: Final = 20
LONGEST_SHOWN: Final = 200


class FieldError(BaseModel):
    """One field that is wrong."""

    at: Annotated[str, Field(description="body, query or path.")]
    field: Annotated[
        str, Field(description="A JSON pointer into the body, or a parameter's name; empty for the whole.")
    ]
    rule: str
    message: str


class ProblemDetails(BaseModel):
    """What went wrong (RFC 9457). Nothing was written, unless it says so."""

    type: Annotated[str, Field(description="urn:unresolved:<rule>")]
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []


class Problem(Exception):
    """Ends a call with problem details; `more` are members of its own, `headers` are the answer's."""

    def __init__(
        self,
        status: int,
        rule: str,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.rule = rule
        self.detail = detail
        self.errors = errors
        self.more = dict(more or {})
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """Return the members of the problem, ready for JSON."""
        found: dict[str, Any] = {
            "type": f"urn:unresolved:{self.rule}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }
        if self.errors:
            found["errors"] = [error.model_dump() for error in self.errors[:MOST_LISTED]]
        return found


def wrong_field(field: str, rule: str, message: str, *, at: str = "body") -> Problem:
    """Return the problem of one field that is wrong."""
    return wrong_fields([FieldError(at=at, field=field, rule=rule, message=message)])


def wrong_fields(errors: Sequence[FieldError]) -> Problem:
    """Return the problem of fields that are wrong; the first of them is the detail."""
    first = errors[0]
    named = first.field or f"the {first.at}"
    rest = f" ({len(errors)} fields are wrong)" if len(errors) > 1 else ""
    return Problem(422, "wrong_field", f"{named}: {first.message}{rest}", errors=errors)


_SAID: Final = {
    "missing": "is required",
    "extra_forbidden": "is not a field here",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
    "string_pattern_mismatch": "has a form that is not allowed",
}


def message_of(error: Mapping[str, Any]) -> str:
    """Return what would be right, for one of pydantic's errors."""
    said = _SAID.get(error["type"])
    if said is not None:
        return said
    text = str(error["msg"]).replace("Input should be", "must be")
    return text[:1].lower() + text[1:]


def shown_pointer(way: Iterable[str | int]) -> str:
    """Return a JSON pointer that can be shown, however long and strange the names are that somebody sent."""
    text = pointer([part if isinstance(part, int) else part[:LONGEST_SHOWN] for part in way])
    return text.encode(errors="backslashreplace").decode()


def shape_errors(error: ShapeError) -> list[FieldError]:
    """Return the fields that a model refuses, each as a JSON pointer from the model's own top."""
    return [
        FieldError(at="body", field=shown_pointer(one["loc"]), rule=one["type"], message=message_of(one))
        for one in error.errors(include_url=False, include_input=False, include_context=False)
    ]


def answered(problem: Problem) -> HttpResponse:
    """Return the HTTP answer of a problem."""
    response = HttpResponse(json.dumps(problem.body()), status=problem.status, content_type=CONTENT_TYPE)
    for name, value in {"Cache-Control": "no-store", **problem.headers}.items():
        response[name] = value
    return response

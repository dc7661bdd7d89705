"""What an agent may ask, field by field; whatever is wrong is told by the field and the rule that it breaks."""

from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from unresolved.request import LONGEST, NotRecordable, as_json

LONGEST_PAYLOAD: Final = 8_000  # characters of JSON; the desk takes 10,000 of words
_ONE_LINE: Final = r"^[^\x00-\x1f\x7f]*$"
_UUID: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

Asked = TypeVar("Asked", bound="Fields")
Id: TypeAlias = Annotated[str, Field(pattern=_UUID, description="The operation's id, as record_operation gave it.")]
AttemptId: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=64, pattern=_ONE_LINE, description="Your own id for this one sending.")
]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=255, pattern=_ONE_LINE)]


class WrongArguments(Exception):
    """What was asked is wrong; `fields` are the fields, each with its rule and what would be right."""

    def __init__(self, fields: list[dict[str, str]]) -> None:
        first = fields[0]
        super().__init__(f"{first['field'] or 'the arguments'}: {first['message']} ({first['rule']})")
        self.fields = fields


class Fields(BaseModel):
    """Every field is known, and none is converted from another type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Exact(Fields):
    """The exact HTTP request that the tool will send."""

    method: Annotated[str, Field(min_length=1, max_length=64, pattern=_ONE_LINE)]
    target: Annotated[str, Field(min_length=1, max_length=2048, pattern=_ONE_LINE, description="Path and query.")]
    headers: Annotated[
        dict[str, str],
        Field(max_length=50, description="The lines that bind: content type, idempotency key. Never a credential."),
    ] = {}
    body: Annotated[str | None, Field(max_length=LONGEST, description="The exact text of the body.")] = None


class RecordOperation(Fields):
    """Put an effectful call on record before it is made. Nothing may be sent before this and record_attempt answered."""

    tool: Annotated[str, Field(min_length=1, max_length=200, pattern=_ONE_LINE, description="The tool's name.")]
    arguments: Annotated[dict[str, Any], Field(description="The tool's arguments, exactly as they will be used.")]
    contract: Annotated[
        str,
        Field(
            min_length=1, max_length=64, pattern=r"^[-a-zA-Z0-9_]+$", description="The recipient's name at the desk."
        ),
    ]
    operation_key: Annotated[
        Name,
        Field(
            description="Your name for what is intended: an order, a task's step, a message id. The same intent has the"
            " same key after a restart. Never a run's or a call's id, and never made up of the arguments alone."
        ),
    ]
    request: Annotated[
        Exact | None,
        Field(description="Where the contract is about HTTP requests; else the call of an MCP tool is bound."),
    ] = None
    scope: Annotated[
        str, Field(max_length=255, pattern=_ONE_LINE, description="The account and place it goes to, in your words.")
    ] = ""


class RecordAttempt(Fields):
    """Ask before each sending. Send once if `send` is true, and never otherwise; the same id again never says so."""

    operation: Id
    attempt_id: AttemptId


class RecordObservation(Fields):
    """Report what came back, or that nothing did. It is kept and shown to people as your word, and settles nothing."""

    operation: Id
    attempt_id: AttemptId
    source: Annotated[
        Literal["model", "tool", "recipient", "person"], Field(description="Who said so, as far as you know.")
    ]
    kind: Annotated[
        Literal["result", "receipt", "error", "timeout", "cancelled", "note"],
        Field(description="What it is; an error or a timeout says nothing of whether it happened."),
    ]
    payload: Annotated[
        Any, Field(description=f"What was said, as any JSON value of at most {LONGEST_PAYLOAD} characters.")
    ]
    observation_id: Annotated[
        AttemptId | None, Field(description="Your own id for it, where the same may be said twice and both count.")
    ] = None


class AskPermittedActions(Fields):
    """Ask what is known of an operation and what may be done now, and for all else why not and until when."""

    operation: Id


class CollectResolution(Fields):
    """Fetch what is known and decided by now. It answers at once, whether or not anything is settled."""

    operation: Id
    received: Annotated[
        int | None, Field(ge=1, description="`links` of a result that you got earlier: says that it arrived.")
    ] = None


def read(model: type[Asked], arguments: object) -> Asked:
    """Return what was asked; raises `WrongArguments`."""
    try:
        asked = model.model_validate(arguments)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise WrongArguments([_field(one["loc"], one["type"], one["msg"]) for one in found]) from None
    except RecursionError:
        raise WrongArguments([_field((), "too_deep", "are nested too deeply")]) from None
    return asked


def json_of(value: object, *, field: str, most: int = LONGEST) -> bytes:
    """Return a value as strict JSON; raises `WrongArguments` where it is none, or too long."""
    try:
        found = as_json(value)
    except (NotRecordable, UnicodeEncodeError) as error:
        raise WrongArguments(
            [_field((field,), "json", f"must be JSON: {type(error.__cause__ or error).__name__}")]
        ) from None
    if len(found) > most:
        raise WrongArguments([_field((field,), "too_long", f"may have {most} bytes as JSON")])
    return found


def _field(where: tuple[int | str, ...], rule: str, message: str) -> dict[str, str]:
    place = "".join([f"/{_escaped(str(part))}" for part in where])
    return {"field": place, "rule": rule, "message": _SAID.get(rule, message.replace("Input should", "must"))}


def _escaped(part: str) -> str:
    text = part[:100].replace("~", "~0").replace("/", "~1")
    return text.encode(errors="backslashreplace").decode()


_SAID: Final = {
    "missing": "is required",
    "extra_forbidden": "is not a field here",
    "model_type": "must be an object",
    "dict_type": "must be an object",
}

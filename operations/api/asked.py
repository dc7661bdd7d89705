"""What may be asked at the agents' door, field by field. Exact bytes travel as base64."""

from typing import Annotated, Literal

from pydantic import Field

from operations.api.fields import (
    Asked,
    AttemptId,
    Bytes,
    EventId,
    GrantId,
    HeaderLine,
    Identity,
    Label,
    Moment,
    RecipientKey,
    Scope,
    Words,
)

_CLOCK = (
    "What the caller's clock showed as it sent this call: its times are moved by the difference to the desk's clock."
)
_SENDS = (
    "`one` only where the code that owns the socket knows that it sends once, which a key of scope transport may say;"
    " a library or proxy that may resend by itself is `many`."
)


class Request(Asked):
    """The exact request, as its bytes go out: what an operation is bound to."""

    method: Annotated[str, Field(min_length=1, max_length=64, description="As the recipient's protocol says: POST.")]
    target: Annotated[str, Field(min_length=1, max_length=2048, description="Path and query: /desks/East/tickets.")]
    headers: Annotated[
        list[HeaderLine], Field(max_length=100, description="The lines that bind, as [name, value].")
    ] = []
    body: Annotated[Bytes | None, Field(description="The raw bytes; null where there is none.")] = None
    arguments: Annotated[Bytes | None, Field(description="The tool's arguments as strict JSON, raw bytes.")] = None
    scope: Annotated[Scope, Field(description="Account, credential reference, host and region it goes to.")] = ""


class FirstAttempt(Asked):
    """The decision to send, recorded before the first byte."""

    id: Annotated[AttemptId, Field(description="Your own id; the same id is the same attempt.")]
    sends: Annotated[Literal["one", "many"], Field(description=_SENDS)]
    begun_at: Annotated[Moment | None, Field(description="Before the first byte; now, if not given.")] = None
    unasked: Annotated[
        bool,
        Field(
            description="It may have gone out before this desk could be asked; it is put on record whatever it meets."
        ),
    ] = False


class Provenance(Asked):
    """Where a call came from. It says nothing of what the operation is."""

    agent: Label = ""
    run: Label = ""
    call: Label = ""
    tool: Label = ""


class Register(Asked):
    """One operation and its first attempt."""

    recipient: Annotated[RecipientKey, Field(description="The recipient's name at this desk.")]
    identity: Annotated[Identity, Field(description="Your name for the intent, chosen before the first send.")]
    request: Request
    attempt: FirstAttempt
    origin: Provenance = Provenance()
    authorised_by: Annotated[Label, Field(description="Who allowed it, in your words.")] = ""
    deadline: Moment | None = None
    clock: Annotated[Moment | None, Field(description=_CLOCK)] = None


class Begin(Asked):
    """A further attempt of the same operation."""

    id: Annotated[AttemptId, Field(description="Your own id; the same id is the same attempt.")]
    sends: Annotated[Literal["one", "many"], Field(description=_SENDS)]
    grant: Annotated[GrantId | None, Field(description="The grant that a person gave for it, which this uses up.")] = (
        None
    )
    scope: Annotated[Scope | None, Field(description="The operation's own scope, if not given.")] = None
    digest: Annotated[
        str | None,
        Field(
            pattern=r"^[0-9a-f]{64}$",
            description="Digest of the representation that will be sent; required with a grant.",
        ),
    ] = None
    begun_at: Moment | None = None
    clock: Annotated[Moment | None, Field(description=_CLOCK)] = None


class Reply(Asked):
    """What the recipient answered on the connection of an attempt."""

    event: Annotated[EventId, Field(description="Your own id; the same event again changes nothing.")]
    attempt: Annotated[AttemptId, Field(description="The attempt on whose connection it came.")]
    status: Annotated[int | None, Field(ge=100, le=599)] = None
    headers: Annotated[list[HeaderLine], Field(max_length=200)] = []
    body: Bytes | None = None
    truncated: Annotated[bool, Field(description="Whether bytes are missing at the end; it then reads as nothing.")] = (
        False
    )
    received_at: Moment | None = None
    channel: Annotated[
        str | None, Field(max_length=64, description="Only where the contract lists several channels for replies.")
    ] = None
    clock: Annotated[Moment | None, Field(description=_CLOCK)] = None


class WireFact(Asked):
    """What the owner of the socket knows of its own side."""

    event: Annotated[EventId, Field(description="Your own id; the same event again changes nothing.")]
    attempt: AttemptId
    fact: Annotated[
        Literal["not_sent", "timeout", "reset", "closed", "truncated"],
        Field(description="`not_sent`: no byte of this attempt was written. The others settle nothing."),
    ]
    at: Moment | None = None
    clock: Annotated[Moment | None, Field(description=_CLOCK)] = None


class Say(Asked):
    """Words of an agent or a model. They are kept and shown, and are never evidence."""

    event: Annotated[EventId, Field(description="Your own id; the same event again changes nothing.")]
    words: Words
    attempt: AttemptId | None = None
    said_at: Moment | None = None
    clock: Annotated[Moment | None, Field(description=_CLOCK)] = None


class Seal(Asked):
    """From here on no writer begins a further attempt without a grant of the desk."""

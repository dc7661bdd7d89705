"""A channel is one route by which something is learnt: what it can speak for, how it is asked, where its answers show
whose they are."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from operations.contracts.matching import Part, When
from operations.contracts.places import AnswerPlace, RequestPlace
from operations.contracts.promises import Line, Slug, Term, Text
from operations.core.facts import Authority, Reads

Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
HeaderName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$")]
Positive: TypeAlias = Annotated[float, Field(gt=0, le=10**7)]


class Kind(StrEnum):
    """How an answer comes: on the attempt's own connection, asked for, brought, read by a person, or our own side.

    `closing`: on the connection of the request that closes the operation, which is another operation.
    """

    REPLY = "reply"
    LOOKUP = "lookup"
    WEBHOOK = "webhook"
    RECEIPTS_FILE = "receipts_file"
    INSPECTION = "inspection"
    CLIENT = "client"
    CLOSING = "closing"


# Whose answers carry a status of HTTP.
ANSWERED: Final = (Kind.REPLY, Kind.LOOKUP, Kind.CLOSING)
# Whose answers are to a question that named the operation, or what it is about.
ASKED: Final = (Kind.LOOKUP, Kind.CLOSING)


class BodyForm(StrEnum):
    """How a body is read; what doesn't read so is unreadable, and no condition on it holds."""

    JSON = "json"
    FORM = "form"
    TEXT = "text"
    XML = "xml"
    NONE = "none"


AUTHORIZATION: Final = "authorization"
# An element of an XML body by the names from the root down, or `//name` for every element of this name.
ElementPath: TypeAlias = Annotated[str, Field(pattern=r"^((/[^/\s@#]{1,100}){2,16}|//[^/\s@#]{1,100})$")]


class TimeForm(StrEnum):
    """How a time is written."""

    RFC_3339 = "rfc_3339"
    EPOCH_SECONDS = "epoch_seconds"
    EPOCH_MILLISECONDS = "epoch_milliseconds"
    HTTP_DATE = "http_date"


class CredentialAs(StrEnum):
    """How a secret is written in the one header that carries it; in a query it never goes, since queries are logged.

    `bearer`: `Bearer SECRET` (RFC 6750). `basic`: `Basic` and the base64 of the secret, which is `user:password`
    (RFC 7617). `token`: `token SECRET`. `raw`: the secret alone.
    """

    BEARER = "bearer"
    BASIC = "basic"
    TOKEN = "token"  # noqa: S105  # a scheme, no secret
    RAW = "raw"


class Since(Part):
    """A time to ask from: so many seconds before the first attempt was sent, written in this form."""

    before_first_attempt: Annotated[float, Field(ge=0, le=10**7)]
    form: TimeForm


class Asks(Part):
    """The question. `{name}` in target, query, header and body stands for a part of the stored request (`carried_by`),
    for a time (`since`), or, as `{reference}`, for the recipient's own reference to the effect, once it is known.

    Every value is percent-encoded in the target; a `{+name}` keeps its slashes. The target `{location}`, and nothing else with it, is the path that an
    answer gave in its Location, on the same origin. With `revalidate` a question carries the entity tag of the answer
    before, and a 304 is that answer again and no new one. A POST only reads if the recipient says so: `only_reads` quotes it.
    """

    method: Literal["GET", "HEAD", "POST"] = "GET"
    target: Annotated[str, Field(pattern=r"^(/[^\s#]*|\{location\})$", max_length=2000)]
    query: Mapping[str, Line] = {}
    headers: Mapping[HeaderName, Line] = {}
    body: Mapping[str, Line] | None = None
    carried_by: Mapping[Name, RequestPlace] = {}
    since: Mapping[Name, Since] = {}
    only_reads: Slug | None = None
    revalidate: bool = False


class Pacing(Part):
    """How often we may ask, in seconds and requests; the recipient's wish where it states one."""

    min_interval: Positive
    longest_wait: Positive
    per_second: Positive
    at_once: Annotated[int, Field(ge=1, le=1000)]
    source: Slug | None = None


class Dated(Part):
    """Where an answer dates itself. Without such a place a statement is dated by its question, less its Age."""

    at: AnswerPlace
    form: TimeForm


class Verification(Part):
    """How a message that comes to us is proven to be the recipient's; the secret is a reference, never a value.

    `dated`: where the signed body says when the message was sent, for a scheme that signs no time of its own. What is
    dated outside of `tolerance` (seconds, before and after) may be a replay and is refused; its statements are dated so.
    """

    scheme: Literal["standard_webhooks", "stripe", "hmac_sha256"]
    header: HeaderName
    secret: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,127}$")]
    tolerance: Positive
    event_id: AnswerPlace
    dated: Dated | None = None


class Inspection(Part):
    """What a person reads, where, whether a second person has to confirm it, and whether a picture or file of it has to
    be kept with it."""

    where: Text
    second_person: bool
    attachment: Literal["optional", "required"] = "optional"


class Shows(Part):
    """Where this channel's answers show whose they are; a rule may say otherwise."""

    identity: AnswerPlace | None = None
    arguments: Mapping[Name, AnswerPlace] = {}


class Selects(Part):
    """Picks elements of a list: those of which `where` holds, each seen as `/item`. The answer then has `/item`, the
    first, and `/found`, how many; places below `/item` are looked up in all of them."""

    each_of: AnswerPlace
    where: When | None = None


class Channel(Part):
    """One route. `pollable` channels are asked by the desk itself. `replayed` tells an answer that was kept and is
    given again from a new one. `repeats` names the elements of an XML body that are lists, whether one of them is there,
    none or more (xml_text.py). `credential` names a setting or a file, never a value; `credential_as` says how it is written in
    `credential_header`."""

    kind: Kind
    about: Text
    authority: Authority
    reads: Reads
    source: Slug | None = None
    positive_is_conclusive: Term[bool] | None = None
    pollable: bool
    body: BodyForm = BodyForm.JSON
    repeats: Annotated[tuple[ElementPath, ...], Field(max_length=32)] = ()
    asks: Asks | None = None
    credential: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,127}$")] | None = None
    credential_as: CredentialAs | None = None
    credential_header: HeaderName = AUTHORIZATION
    pacing: Pacing | None = None
    verification: Verification | None = None
    inspection: Inspection | None = None
    shows: Shows = Shows()
    selects: Selects | None = None
    replayed: When | None = None

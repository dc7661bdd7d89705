"""The contract document: what a recipient promises about one effect, each promise with its source, nothing by default.

A document that is well formed is not yet fit to be used: `refusals.py` says what is refused when it is loaded, and
`loading.py` whether it is a draft. Places in it are JSON pointers.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from operations.contracts.bound import Alike
from operations.contracts.channel import Asks, BodyForm, Channel, HeaderName, Kind, Name
from operations.contracts.matching import Part
from operations.contracts.places import RequestPlace
from operations.contracts.promises import (
    Advice,
    ClosurePromise,
    Expected,
    Line,
    Protection,
    Slug,
    Source,
    Term,
    Text,
)
from operations.contracts.rule import Rule, StrayExample

CurrencyCode: TypeAlias = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


class ChangedArguments(StrEnum):
    """What the recipient does with an identity that comes again with other arguments."""

    REFUSED = "refused"
    FIRST_ANSWER = "first_answer"
    RUN = "run"
    UNDOCUMENTED = "undocumented"


class Stake(Part):
    """Which bound arguments name what is at stake: the amount, and its currency by three letters.

    `parts`: the amount counts the currency's smallest unit, and so many of it make one; a currency that is not listed
    is not told. Without it the amount counts the currency itself.
    """

    amount: Name
    currency: Name
    parts: Annotated[Mapping[CurrencyCode, Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1)] | None = None
    source: Slug


class Effect(Part):
    """The protected effect: `word` is what one is called, `sentence` asks for it with `{argument}`s filled in,
    `reference` is what the recipient calls its own name for one. `stake` says how a request names an amount."""

    word: Line
    sentence: Annotated[str, Field(min_length=1, max_length=300)]
    reference: Line
    stake: Stake | None = None


class Owner(Part):
    """Who controls the effect and keeps its history, and whom a person may ask there."""

    name: Line
    history: Text
    source: Slug
    contact: Text | None = None


class Request(Part):
    """What a stored request looks like. `target` names its parts: `/places/{place}/tickets`; `{+key}` may hold slashes.
    `also_carries` are places that bind nothing and still travel, so that a lookup may ask by them."""

    method: Line
    target: Annotated[str, Field(pattern=r"^\S+$", max_length=2000)]
    body: BodyForm
    also_carries: tuple[RequestPlace, ...] = ()


class Carried(Part):
    """Where in the stored request something travels."""

    at: RequestPlace
    source: Slug


class BoundArgument(Part):
    """A bound argument: where the stored request carries it and how its echo is compared (exactly, if not said)."""

    at: RequestPlace
    echo: Alike = Alike.EXACT


class Comparison(Part):
    """What the recipient states about differences that don't matter: the core's `Normalisation`, rule by rule."""

    binding_headers: tuple[HeaderName, ...] | None = None
    header_order_free: bool = False
    json_by_value: tuple[str, ...] = ()
    unbound: tuple[str, ...] = ()
    any_order: tuple[str, ...] = ()
    numbers_by_value: tuple[str, ...] = ()
    null_is_absent: tuple[str, ...] = ()
    letter_case_free: tuple[str, ...] = ()
    source: Slug | None = None


class Identity(Part):
    """What names the intent at the recipient.

    `carrier` is where the request number protects, null if nothing does; `marker` is where it also travels so that
    lookups and answers can name it. `scope` are the parts that an identity is kept in (account, credential, region).
    `bound` are the arguments that make the effect this one; `subject` those that say what it is about, by which two
    operations for one thing confront each other.
    """

    carrier: Carried | None
    marker: Carried | None = None
    longest: Annotated[int, Field(ge=1, le=1024)] | None = None
    scope: tuple[Name, ...]
    scope_source: Slug | None = None
    bound: Annotated[Mapping[Name, BoundArgument], Field(min_length=1, max_length=64)]
    subject: tuple[Name, ...]
    changed_arguments: Term[ChangedArguments]
    compared: Comparison = Comparison()


class AfterEffect(StrEnum):
    """What a closing request does where the effect happened already: nothing, or it takes back what happened."""

    REFUSED = "refused"
    UNDONE = "undone"
    UNDOCUMENTED = "undocumented"


class ClosingRequest(Part):
    """The request that ends an operation at the recipient for good; it is never sent without a person.

    It is an operation of its own, under the contract that `contract` names (another document's slug); without one it is
    documented and can't be sent. `{name}` in target, headers and body stands for what the stored request carries,
    `{reference}` for the recipient's own reference, `{closing}` for the closing request's own number. `heard_on` names,
    by channel of that contract, the channel of this one (kind `closing`) by which its answers are read for the original.
    """

    sentence: Line
    method: Literal["POST", "DELETE", "PUT", "PATCH"]
    target: Annotated[str, Field(pattern=r"^/[^\s#]*$", max_length=2000)]
    headers: Mapping[HeaderName, Line] = {}
    body: Mapping[str, Line] | None = None
    carried_by: Mapping[Name, RequestPlace] = {}
    contract: Slug | None = None
    heard_on: Annotated[Mapping[Name, Name], Field(max_length=8)] = {}
    after_effect: Term[AfterEffect] | None = None
    source: Slug

    @property
    def takes_back(self) -> AfterEffect:
        """What it does where the effect happened already; what no source says is undocumented."""
        return AfterEffect.UNDOCUMENTED if self.after_effect is None else self.after_effect.value


class Answered(Part):
    """An answer of the interview, and the sources it rests on."""

    answer: Text
    sources: Annotated[tuple[Slug, ...], Field(min_length=1)]


Answer: TypeAlias = Answered | Literal["not documented"]


class Interview(Part):
    """The seven questions to which a contract is the answer."""

    effect_and_owner: Answer
    receipts: Answer
    negative_lookup: Answer
    excluding_later_effects: Answer
    identity_and_scope: Answer
    errors_replayed: Answer
    observation_later: Answer


class Specimen(Part):
    """A stored request that the examples are read against."""

    method: Line
    target: Line
    headers: Mapping[HeaderName, str] = {}
    body: JsonValue = None
    arguments: JsonValue = None
    scope: str = ""
    identity: Line


class Document(Part):
    """One contract: a recipient, one effect."""

    format: Literal[1]
    contract: Slug
    title: Line
    effect: Effect
    owner: Owner
    request: Request
    identity: Identity
    protection: Protection
    closure: ClosurePromise
    channels: Annotated[Mapping[Name, Channel], Field(min_length=1, max_length=32)]
    readings: Annotated[tuple[Rule, ...], Field(min_length=1, max_length=200)]
    expected_time: Expected | None = None
    after_guarantee: Advice | Literal["not documented"]
    conditional_replacement: Advice | Literal["not documented"]
    closing_request: ClosingRequest | Literal["not documented"]
    interview: Interview
    sources: Annotated[Mapping[Slug, Source], Field(min_length=1, max_length=200)]
    specimen: Specimen
    examples: tuple[StrayExample, ...] = ()

    def rules_of(self, channel: str) -> tuple[tuple[int, Rule], ...]:
        """Return the rules of a channel in order, each with its index in `readings`."""
        return tuple([(index, rule) for index, rule in enumerate(self.readings) if rule.channel == channel])

    def question_of(self, channel: Channel) -> Asks | ClosingRequest | None:
        """Return what the answers of a channel answer: what is asked, the request that closes, or nothing of ours."""
        if channel.kind is not Kind.CLOSING:
            return channel.asks
        return self.closing_request if isinstance(self.closing_request, ClosingRequest) else None

    def asks_by(self, asks: Asks | ClosingRequest) -> str:
        """Return what a question names: `identity`, `reference`, or `arguments`, which many operations can share.

        A Location that an answer gave is a reference, too.
        """
        carriers = [carried.at for carried in (self.identity.carrier, self.identity.marker) if carried is not None]
        if any(place in carriers for place in asks.carried_by.values()):
            return "identity"
        return "reference" if "{reference}" in asks.target or asks.target == "{location}" else "arguments"

    def asked_with(self, channel: Channel) -> frozenset[str]:
        """Return the bound arguments that a channel's question carries, so that its answer needn't repeat them."""
        asks = self.question_of(channel)
        carried = frozenset(asks.carried_by.values()) if asks is not None else frozenset()
        return frozenset([name for name, argument in self.identity.bound.items() if argument.at in carried])

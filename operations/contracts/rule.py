"""A rule says what an answer means: when it applies, what is claimed, and what ties the answer to the operation."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from pydantic import Field, JsonValue

from operations.contracts.channel import Dated, HeaderName, Name
from operations.contracts.http_semantics import PACING, says_nothing
from operations.contracts.matching import Part, When
from operations.contracts.places import AnswerPlace
from operations.contracts.promises import Line, Slug, Text
from operations.core.facts import Claim, Correlation

RuleName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]


class Boundary(StrEnum):
    """How far an answer reaches: what it shows that it can have been written by nothing nearer to us."""

    TRANSPORT = "transport"
    ACCEPTED = "accepted"
    HANDLER_FINISHED = "handler_finished"
    PROTECTED_EFFECT = "protected_effect"


class By(StrEnum):
    """What must agree for an answer to be the operation's own.

    `identity`: the answer repeats the identity. `identity_and_arguments`: and every bound argument. `question`: the
    answer repeats nothing, but it was asked for by the identity, or by a reference known to be the operation's.
    `question_and_arguments`: and it repeats every bound argument that the question doesn't carry, where a recipient
    keeps whatever came first.
    `selection`: a whole list was looked through for the identity, which the stored request carries as it is listed.
    `reference`: the answer names an effect that is known to be the operation's. `arguments`: the answer repeats
    arguments only, which proves nothing: two legitimate requests can look alike. `connection`: the answer came on the
    attempt's own connection. `connection_and_arguments`: and repeats every bound argument. `nothing`: nothing ties it.
    Whatever is repeated and differs is a mismatch under each.
    """

    IDENTITY = "identity"
    IDENTITY_AND_ARGUMENTS = "identity_and_arguments"
    QUESTION = "question"
    QUESTION_AND_ARGUMENTS = "question_and_arguments"
    SELECTION = "selection"
    REFERENCE = "reference"
    ARGUMENTS = "arguments"
    CONNECTION = "connection"
    CONNECTION_AND_ARGUMENTS = "connection_and_arguments"
    NOTHING = "nothing"


class Ties(Part):
    """What ties an answer to the operation, and where it shows that if not where the channel says.

    `promise` is the source that quotes the recipient: the reply on the connection alone binds.
    """

    by: By
    identity: AnswerPlace | None = None
    arguments: Mapping[Name, AnswerPlace] = {}
    reference: AnswerPlace | None = None
    promise: Slug | None = None


class Reference(Part):
    """Where an answer names the effect; `after` cuts off what stands before it (`/tickets/` of a Location)."""

    at: AnswerPlace
    after: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class ExampleEvidence(StrEnum):
    """Where an example answer comes from."""

    DOCUMENTED = "documented"
    RECORDED = "recorded"
    INVENTED = "invented"


class ExampleAnswer(Part):
    """An answer as it would come: `body` is what the channel's form carries, `text` is raw instead of it."""

    status: Annotated[int, Field(ge=100, le=599)] | None = None
    headers: Mapping[HeaderName, str] = {}
    body: JsonValue = None
    text: str | None = None
    fact: Name | None = None
    known_references: tuple[str, ...] = ()


class Expectation(Part):
    """What an example must be read as; without `rule` by the rule that it stands with, without `says` by its claim."""

    rule: RuleName | None = None
    says: Claim | None = None
    correlation: Correlation = Correlation.OPERATION
    effect_refs: tuple[str, ...] | None = None


class Example(Part):
    """One answer and what it must be read as; it is run whenever contracts are checked."""

    name: Line
    evidence: ExampleEvidence
    source: Slug | None = None
    answer: ExampleAnswer
    reads: Expectation = Expectation()


class StrayExample(Example):
    """An example that stands with no rule: what must not be read as anything, or by which rule it must be read."""

    channel: Name


class Rule(Part):
    """One rule; of a channel's rules the first whose `when` holds speaks.

    `covers_copies` belongs to `attempt_refused`: the recipient states that these bytes under this identity are refused
    whenever they arrive. `until` belongs to `protection_until`, `effect_ref` to `applied`. `attempt` is where an answer
    names the attempt; a reply belongs to the attempt on whose connection it came.
    """

    rule: RuleName
    channel: Name
    when: When
    says: Claim
    reaches: Boundary
    because: Line
    source: Slug
    correlation: Ties
    effect_ref: Reference | None = None
    as_of: Dated | None = None
    until: Dated | None = None
    covers_copies: bool = False
    attempt: AnswerPlace | None = None
    note: Text | None = None
    examples: Annotated[tuple[Example, ...], Field(min_length=1, max_length=50)]


def unclaimed(rule: Rule) -> bool:
    """Say whether a rule claims nothing of the effect: it settles nothing, or takes out one attempt without its copies."""
    return rule.says is Claim.INDETERMINATE or (rule.says is Claim.ATTEMPT_REFUSED and not rule.covers_copies)


def may_read(rule: Rule, *, status: int | None) -> bool:
    """Say whether HTTP lets a rule read an answer of this status; it lets all be read where there is none."""
    if not says_nothing(status) or rule.says is Claim.INDETERMINATE:
        return True
    return status in PACING and unclaimed(rule)

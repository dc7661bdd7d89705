"""A rule may claim only what its channel can carry, and settle only what is tied to the operation.

semantics.md, Claims: which authority can make which claim count, and which answers depend on the moment.
"""

from collections.abc import Iterator
from typing import Final

from operations.contracts.channel import ANSWERED, Channel, Kind
from operations.contracts.correlation import may_say
from operations.contracts.coverage import STATUS, STATUSES, TooManyWays, statuses_of, ways
from operations.contracts.document import ChangedArguments, Document
from operations.contracts.http_semantics import PACING, REDIRECTIONS
from operations.contracts.matching import DEEPEST, MOST, conditions, depth
from operations.contracts.refusals.fault import Fault
from operations.contracts.rule import Boundary, By, ExampleEvidence, Rule, unclaimed
from operations.core.facts import Claim

# Answers that depend on the moment; they never cover copies.
OF_THE_MOMENT: Final = frozenset({401, 403, 408, 409, 423, 425, 429, *range(500, 600)})
# What the reply's connection alone can tie: it settles nothing and opens no door.
BY_CONNECTION: Final = frozenset({Claim.PENDING, Claim.ACCEPTED, Claim.INDETERMINATE, Claim.PROTECTION_LOST})
_BY_ARGUMENTS: Final = frozenset(
    {By.ARGUMENTS, By.IDENTITY_AND_ARGUMENTS, By.QUESTION_AND_ARGUMENTS, By.CONNECTION_AND_ARGUMENTS}
)
_BY_QUESTION: Final = frozenset({By.QUESTION, By.QUESTION_AND_ARGUMENTS})
_BY_NUMBER_ALONE: Final = frozenset({By.IDENTITY, By.QUESTION, By.SELECTION})
# Statuses on which HTTP lets nothing be claimed, whatever a rule says.
SILENT: Final = REDIRECTIONS | PACING
SPEAKS_OF_THE_EFFECT: Final = frozenset({Claim.APPLIED, Claim.CLOSED, Claim.ABSENT})


def faults(document: Document) -> Iterator[Fault]:
    """Yield what is wrong with the rules."""
    names: set[str] = set()
    for index, rule in enumerate(document.readings):
        place = f"/readings/{index}"
        if rule.rule in names:
            yield Fault(place=f"{place}/rule", rule="unique", message=f"{rule.rule} names another rule already")
        names.add(rule.rule)
        channel = document.channels.get(rule.channel)
        if channel is None:
            yield Fault(place=f"{place}/channel", rule="unknown_channel", message=f"there is no channel {rule.channel}")
            continue
        yield from _conditions(document, rule, channel, place)
        yield from _claim(document, rule, channel, place)
        yield from _ties(document, rule, channel, place)


def _conditions(document: Document, rule: Rule, channel: Channel, place: str) -> Iterator[Fault]:
    told = list(conditions(rule.when))
    if depth(rule.when) > DEEPEST or len(told) > MOST:
        message = f"must not nest deeper than {DEEPEST} or hold more than {MOST} conditions"
        yield Fault(place=f"{place}/when", rule="too_much", message=message)
        return
    try:
        ways(rule.when)
    except TooManyWays as error:
        yield Fault(place=f"{place}/when", rule="too_much", message=str(error))
    for name in sorted({one.equals_argument for one in told if one.equals_argument} - set(document.identity.bound)):
        yield Fault(place=f"{place}/when", rule="unknown_argument", message=f"{name} is not bound")
    for part in sorted({one.at.split("/")[1] for one in told} - _shown_parts(channel)):
        yield Fault(place=f"{place}/when", rule="part", message=f"this channel's answers have no /{part}")


def _shown_parts(channel: Channel) -> frozenset[str]:
    if channel.kind is Kind.CLIENT:
        return frozenset({"fact"})
    parts = {"body"} | ({"item", "found"} if channel.selects is not None else set())
    if channel.kind in ANSWERED:
        parts |= {"status", "headers", "problem", "preferences"}
    return frozenset(parts | ({"headers"} if channel.kind is Kind.WEBHOOK else set()))


def _claim(document: Document, rule: Rule, channel: Channel, place: str) -> Iterator[Fault]:
    if rule.says is not Claim.INDETERMINATE and not may_say(channel, rule.says):
        message = f"a channel of authority {channel.authority} can't carry {rule.says}"
        yield Fault(place=f"{place}/says", rule="beyond_authority", message=message)
    if rule.says in SPEAKS_OF_THE_EFFECT and rule.reaches is not Boundary.PROTECTED_EFFECT:
        message = f"{rule.says} speaks of the effect; what reaches only {rule.reaches} can't say it"
        yield Fault(place=f"{place}/reaches", rule="boundary", message=message)
    if channel.kind in ANSWERED and not unclaimed(rule) and _is_silent(rule):
        message = "redirections, 304, 429 and 503 say nothing of the effect (RFC 9110), so it would never be read"
        yield Fault(place=f"{place}/says", rule="http", message=message)
    yield from _covering(rule, channel, place)
    yield from _ending(document, rule, place)
    for index, example in enumerate(rule.examples):
        if example.evidence is ExampleEvidence.DOCUMENTED and example.source is None:
            yield Fault(
                place=f"{place}/examples/{index}/source", rule="no_source", message="documented where? name its source"
            )


def _is_silent(rule: Rule) -> bool:
    """Say whether a rule can hold only on statuses that say nothing of the effect."""
    if not any(one.at == STATUS for one in conditions(rule.when)):
        return False
    try:
        return statuses_of(rule) <= SILENT
    except TooManyWays:  # reported by itself
        return False


def _covering(rule: Rule, channel: Channel, place: str) -> Iterator[Fault]:
    if not rule.covers_copies:
        return
    if rule.says is not Claim.ATTEMPT_REFUSED:
        yield Fault(place=f"{place}/covers_copies", rule="only_refusals", message="belongs to attempt_refused")
    if channel.kind not in ANSWERED:
        return
    moment = sorted(statuses_of(rule) & OF_THE_MOMENT)
    if moment:
        told = "any status" if len(statuses_of(rule)) == len(STATUSES) else ", ".join(map(str, moment[:8]))
        message = f"answers with {told} depend on the moment and never cover copies"
        yield Fault(place=f"{place}/covers_copies", rule="of_the_moment", message=message)


def _ending(document: Document, rule: Rule, place: str) -> Iterator[Fault]:
    if (rule.says is Claim.PROTECTION_UNTIL) != (rule.until is not None):
        yield Fault(place=f"{place}/until", rule="until", message="belongs to protection_until, which needs it")
    if rule.says is Claim.PROTECTION_UNTIL and document.protection.margin is None:
        yield Fault(place="/protection/margin", rule="no_margin", message="a stated end can't be used without a margin")


def _ties(document: Document, rule: Rule, channel: Channel, place: str) -> Iterator[Fault]:
    at = f"{place}/correlation"
    ties, bound = rule.correlation, document.identity.bound
    arguments = {**channel.shows.arguments, **ties.arguments}
    identity = ties.identity or channel.shows.identity
    for name in sorted(set(ties.arguments) - set(bound)):
        yield Fault(place=f"{at}/arguments/{name}", rule="unknown_argument", message="is not bound")
    if ties.by in (By.IDENTITY, By.IDENTITY_AND_ARGUMENTS) and identity is None:
        yield Fault(place=f"{at}/by", rule="no_echo", message="nothing says where the answer repeats the identity")
    asked = document.asked_with(channel) if ties.by is By.QUESTION_AND_ARGUMENTS else frozenset()
    unrepeated = set(bound) - set(arguments) - asked
    if ties.by in _BY_ARGUMENTS and unrepeated:
        message = f"nothing says where the answer repeats {', '.join(sorted(unrepeated))}"
        yield Fault(place=f"{at}/by", rule="no_echo", message=message)
    if (ties.by is By.REFERENCE) != (ties.reference is not None):
        yield Fault(place=f"{at}/reference", rule="reference", message="belongs to by: reference, which needs it")
    yield from _same_arguments(document, rule, at)
    yield from _question(document, rule, channel, at)
    yield from _selection(rule, channel, at)
    yield from _connection(document, rule, channel, at)


def _same_arguments(document: Document, rule: Rule, at: str) -> Iterator[Fault]:
    """A success under a number is no success of these arguments where the recipient doesn't compare them."""
    compared = document.identity.changed_arguments.value is ChangedArguments.REFUSED
    by_reference = rule.correlation.by is By.QUESTION and _asks_by(document, rule) == "reference"
    if rule.says is Claim.APPLIED and rule.correlation.by in _BY_NUMBER_ALONE and not (compared or by_reference):
        message = "the recipient isn't known to refuse other arguments under a number, so they must be repeated too"
        yield Fault(place=f"{at}/by", rule="arguments_not_compared", message=message)


def _asks_by(document: Document, rule: Rule) -> str | None:
    asks = document.question_of(document.channels[rule.channel])
    return None if asks is None else document.asks_by(asks)


def _question(document: Document, rule: Rule, channel: Channel, at: str) -> Iterator[Fault]:
    if rule.correlation.by not in _BY_QUESTION:
        return
    asks = document.question_of(channel)
    if asks is None:
        yield Fault(place=f"{at}/by", rule="no_question", message="nothing is asked through this channel")
    elif document.asks_by(asks) == "arguments":
        message = "it asks by what many operations can share, so the question ties nothing"
        yield Fault(place=f"{at}/by", rule="no_question", message=message)


def _selection(rule: Rule, channel: Channel, at: str) -> Iterator[Fault]:
    if rule.correlation.by is not By.SELECTION:
        return
    where = channel.selects.where if channel.selects is not None else None
    if where is None or not all(any(one.operator == "equals_identity" for one in way) for way in ways(where)):
        message = "this channel does not look its list through for the identity"
        yield Fault(place=f"{at}/by", rule="no_selection", message=message)
    if not all(any(one.at.startswith("/body") for one in way) for way in ways(rule.when)):
        message = "nothing in `when` shows that the list is whole, and a list that goes on says nothing"
        yield Fault(place=f"{at}/by", rule="no_selection", message=message)


def _connection(document: Document, rule: Rule, channel: Channel, at: str) -> Iterator[Fault]:
    ties = rule.correlation
    if ties.by in (By.CONNECTION, By.CONNECTION_AND_ARGUMENTS) and channel.kind is not Kind.REPLY:
        yield Fault(place=f"{at}/by", rule="no_connection", message="only a reply comes on the attempt's connection")
    if ties.by is not By.CONNECTION:
        if ties.promise is not None:
            yield Fault(place=f"{at}/promise", rule="promise", message="belongs to by: connection")
        return
    harmless = rule.says in BY_CONNECTION or (rule.says is Claim.ATTEMPT_REFUSED and not rule.covers_copies)
    source = document.sources.get(ties.promise or "")
    if not harmless and (source is None or source.quote is None):
        message = (
            f"{rule.says} read from a reply needs an echo of identity or arguments, "
            "or a source that quotes the recipient: the reply alone binds"
        )
        yield Fault(place=f"{at}/promise", rule="no_echo", message=message)

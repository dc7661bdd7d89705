"""The request that closes names what the stored request carries, and its answers settle nothing that they don't echo.

An answer to it is another operation's: it speaks of the original only where the contract lists a channel for it, and
then of the operation, never of an attempt. One that was refused settles nothing by itself: whatever is read out of it,
it must repeat what was asked for.
"""

from collections.abc import Iterator
from typing import Final

from operations.contracts.asked import REFERENCE
from operations.contracts.channel import Kind
from operations.contracts.closing import OWN_NUMBER
from operations.contracts.coverage import TooManyWays, statuses_of
from operations.contracts.document import ClosingRequest, Document
from operations.contracts.refusals.asking import SECRETS, carried, names
from operations.contracts.refusals.fault import Fault
from operations.contracts.rule import By, Rule
from operations.core.facts import Claim

SPEAKS_OF_THE_OPERATION: Final = frozenset({Claim.APPLIED, Claim.CLOSED, Claim.PENDING, Claim.INDETERMINATE})
_ECHOES: Final = frozenset(
    {By.IDENTITY, By.IDENTITY_AND_ARGUMENTS, By.QUESTION_AND_ARGUMENTS, By.REFERENCE, By.ARGUMENTS, By.NOTHING}
)
_REFUSED: Final = 400


def faults(document: Document) -> Iterator[Fault]:
    """Yield what is wrong with the closing request, its channels and their rules."""
    closing = document.closing_request
    if isinstance(closing, ClosingRequest):
        yield from _request(document, closing)
    yield from _channels(document)
    for index, rule in enumerate(document.readings):
        channel = document.channels.get(rule.channel)
        if channel is not None and channel.kind is Kind.CLOSING:
            yield from _rule(rule, f"/readings/{index}")


def _request(document: Document, closing: ClosingRequest) -> Iterator[Fault]:
    place = "/closing_request"
    for name, where in closing.carried_by.items():
        if where not in carried(document):
            message = f"the request never carried anything at {where}"
            yield Fault(place=f"{place}/carried_by/{name}", rule="never_carried", message=message)
    for name in sorted(set(closing.headers) & SECRETS):
        yield Fault(place=f"{place}/headers/{name}", rule="secret", message="a secret comes by `credential` alone")
    texts = [closing.target, *closing.headers.values(), *(closing.body or {}).values()]
    optional = [REFERENCE, OWN_NUMBER]
    yield from names(texts, [*closing.carried_by, *optional], optional=optional, place=place)
    if closing.heard_on and closing.contract is None:
        message = "nothing is heard of a request that no contract describes"
        yield Fault(place=f"{place}/contract", rule="no_contract", message=message)
    for name, heard in closing.heard_on.items():
        channel = document.channels.get(heard)
        if channel is None or channel.kind is not Kind.CLOSING:
            message = f"{heard} is no channel of kind closing"
            yield Fault(place=f"{place}/heard_on/{name}", rule="unknown_channel", message=message)


def _channels(document: Document) -> Iterator[Fault]:
    closing = document.closing_request
    heard = set(closing.heard_on.values()) if isinstance(closing, ClosingRequest) else set()
    for name, channel in document.channels.items():
        if channel.kind is Kind.CLOSING and name not in heard:
            message = "no closing request is heard on this channel"
            yield Fault(place=f"/channels/{name}/kind", rule="unheard", message=message)


def _rule(rule: Rule, place: str) -> Iterator[Fault]:
    if rule.says not in SPEAKS_OF_THE_OPERATION:
        message = f"{rule.says} speaks of an attempt, a number or a read; this answers a request that closes"
        yield Fault(place=f"{place}/says", rule="of_another_request", message=message)
    elif rule.says is not Claim.INDETERMINATE and rule.correlation.by not in _ECHOES and _may_be_refused(rule):
        message = (
            "a closing request that was refused settles nothing by itself: it must repeat the identity, the arguments "
            "or the reference"
        )
        yield Fault(place=f"{place}/correlation/by", rule="refused_without_echo", message=message)


def _may_be_refused(rule: Rule) -> bool:
    try:
        return max(statuses_of(rule)) >= _REFUSED
    except TooManyWays:  # reported by itself
        return False

"""What is not known is said in words that a reviewer can act on, with the channels that could supply it.

A missing fact is never a verdict: supplying it may settle the matter either way. A fact without a channel has to come
from outside the contract's routes: from the writers of our own record, or from the recipient's documentation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from operations.core.facts import Authority, Channel, Contract, Reads
from operations.core.protection import Protection, ProtectionReason
from operations.core.standing import FurtherEffect, Situation, Standing
from operations.core.worded import Worded


class Fact(Worded):
    """A fact that is missing; `sentence` says what to find out."""

    WHICH_STATEMENT_HOLDS = (
        "which_statement_holds",
        "Which of the two statements is wrong: a proof that one belongs to something else, or a corrected answer.",
    )
    WHETHER_IT_HAPPENED = "whether_it_happened", "Whether it happened: a receipt from the recipient for this operation."
    WHETHER_IT_CAN_STILL_ACT = (
        "whether_it_can_still_act",
        "Whether what was sent can still act: a terminal answer, that it happened or ended for good without effect.",
    )
    WHETHER_STILL_UNDER_WAY = (
        "whether_still_under_way",
        "Whether it is still under way: the last report of it is older than the contract lets such a report stand.",
    )
    A_READ_AFTER_THE_LAST_ATTEMPT = (
        "a_read_after_the_last_attempt",
        "What the recipient's record holds after the last attempt was sent: the newest read is older.",
    )
    WHETHER_IT_ACTED_AGAIN = (
        "whether_it_acted_again",
        "Whether another copy acted as well: what was sent is not known to act at most once.",
    )
    WHAT_ELSE_WAS_SENT = (
        "what_else_was_sent",
        "What else was sent: a seal from every writer that its record is complete, or the attempts that are missing.",
    )
    THE_IDENTITY_SENT = "the_identity_sent", "Which request number was really sent."
    THE_SAME_SCOPE = (
        "the_same_scope",
        "A repeat through the account, credential and region that the original went out with.",
    )
    WHICH_OUTCOMES_ARE_KEPT = (
        "which_outcomes_are_kept",
        "Which outcomes the recipient keeps under a request number: its documentation must say every outcome.",
    )
    WHAT_CONCURRENT_USE_DOES = (
        "what_concurrent_use_does",
        "What the recipient does with a repeat while the original is in flight: its documentation must say.",
    )
    WHETHER_REPEATS_ARE_RECOGNISED = (
        "whether_repeats_are_recognised",
        "Whether the recipient recognises a repeat, and for how long: its documentation must say.",
    )
    WHETHER_THE_NUMBER_IS_KEPT = (
        "whether_the_number_is_kept",
        "Until when the recipient still keeps this request number.",
    )


@dataclass(frozen=True, slots=True)
class Missing:
    """One missing fact and the channels (names in the contract) that could supply it."""

    fact: Fact
    channels: tuple[str, ...]


def _establishes(channel: Channel) -> bool:
    if channel.authority is Authority.DERIVED:
        return channel.positive_is_conclusive
    return _states(channel)


def _states(channel: Channel) -> bool:
    return channel.authority in (Authority.HISTORY, Authority.CURRENT)


def _reads_the_record(channel: Channel) -> bool:
    return channel.authority is Authority.HISTORY and channel.reads is Reads.STRONG


def _nobody(_: Channel) -> bool:
    return False


_ABLE: Final[dict[Fact, Callable[[Channel], bool]]] = {
    Fact.WHICH_STATEMENT_HOLDS: _states,
    Fact.WHETHER_IT_HAPPENED: _establishes,
    Fact.WHETHER_IT_CAN_STILL_ACT: _states,
    Fact.WHETHER_STILL_UNDER_WAY: _states,
    Fact.A_READ_AFTER_THE_LAST_ATTEMPT: _reads_the_record,
    Fact.WHETHER_IT_ACTED_AGAIN: _establishes,
    Fact.WHETHER_THE_NUMBER_IS_KEPT: _states,
}

_OF_PROTECTION: Final[dict[ProtectionReason, Fact]] = {
    ProtectionReason.IDENTITY_UNKNOWN: Fact.THE_IDENTITY_SENT,
    ProtectionReason.SCOPE_DIFFERS: Fact.THE_SAME_SCOPE,
    ProtectionReason.OUTCOMES_NOT_COVERED: Fact.WHICH_OUTCOMES_ARE_KEPT,
    ProtectionReason.CONCURRENCY_UNDOCUMENTED: Fact.WHAT_CONCURRENT_USE_DOES,
    ProtectionReason.UNDOCUMENTED: Fact.WHETHER_REPEATS_ARE_RECOGNISED,
    ProtectionReason.LAPSED: Fact.WHETHER_THE_NUMBER_IS_KEPT,
    ProtectionReason.DEPENDS_ON_EXISTENCE: Fact.WHETHER_THE_NUMBER_IS_KEPT,
}


def _open_facts(standing: Standing) -> list[Fact]:
    facts = [Fact.WHETHER_IT_HAPPENED, Fact.WHETHER_IT_CAN_STILL_ACT]
    weighed = standing.weighed
    if weighed.newest is None and weighed.said.pending:
        facts.append(Fact.WHETHER_STILL_UNDER_WAY)
    elif weighed.newest is not None and standing.row == "otherwise":
        facts.append(Fact.A_READ_AFTER_THE_LAST_ATTEMPT)
    if not weighed.went.complete:
        facts.append(Fact.WHAT_ELSE_WAS_SENT)
    if standing.protection is not Protection.ACTIVE:
        facts += _protection_facts(standing)
    return facts


def _protection_facts(standing: Standing) -> list[Fact]:
    reason = standing.protection_reason
    fact = None if reason is None else _OF_PROTECTION.get(reason)
    if fact is Fact.WHETHER_THE_NUMBER_IS_KEPT and standing.weighed.facts.contract.protection.margin is None:
        return []  # without a margin no statement of an end could be used
    return [] if fact is None else [fact]


def _facts(standing: Standing) -> list[Fact]:
    if standing.situation is Situation.CONFLICT:
        return [Fact.WHICH_STATEMENT_HOLDS]
    if standing.situation is Situation.OPEN:
        return _open_facts(standing)
    if standing.further_effect is FurtherEffect.POSSIBLE and not standing.duplicate_effect:
        found = [Fact.WHETHER_IT_ACTED_AGAIN]
        return found if standing.weighed.went.complete else [*found, Fact.WHAT_ELSE_WAS_SENT]
    return []


def _channels(contract: Contract, fact: Fact) -> tuple[str, ...]:
    able = _ABLE.get(fact, _nobody)
    return tuple([name for name, channel in contract.channels.items() if able(channel)])


def missing(standing: Standing) -> tuple[Missing, ...]:
    """Return the facts that would move this standing, the most telling first, each with who could supply it."""
    contract = standing.weighed.facts.contract
    return tuple([Missing(fact, _channels(contract, fact)) for fact in _facts(standing)])

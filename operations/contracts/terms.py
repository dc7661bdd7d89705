"""A document's promises as the core's values; nothing is added on the way."""

from operations.contracts.channel import Channel
from operations.contracts.document import Comparison, Document
from operations.contracts.promises import Protection
from operations.core import facts
from operations.core.normalisation import Normalisation


def terms(document: Document) -> facts.Contract:
    """Return what the contract promises, as the core infers with it; raises FactError where a term is nonsense."""
    return facts.Contract(
        protection=_protection(document.protection),
        closure=facts.Closure(covers=document.closure.covers.value),
        channels={name: _channel(channel) for name, channel in document.channels.items()},
    )


def _protection(promised: Protection) -> facts.ProtectionTerms:
    return facts.ProtectionTerms(
        mechanism=promised.mechanism.value,
        guaranteed_for=promised.guaranteed_for.value,
        margin=promised.margin,
        after=promised.after.value,
        covers=promised.covers.value,
        concurrent_use=promised.concurrent_use.value,
        repeat_while_pending=promised.repeat_while_pending.value,
        pending_fresh_for=None if promised.pending_fresh_for is None else promised.pending_fresh_for.value,
        min_interval=0 if promised.min_interval is None else promised.min_interval.value,
    )


def _channel(channel: Channel) -> facts.Channel:
    conclusive = channel.positive_is_conclusive
    return facts.Channel(
        authority=channel.authority,
        reads=channel.reads,
        positive_is_conclusive=conclusive is not None and conclusive.value,
        pollable=channel.pollable,
    )


def normalisation(document: Document) -> Normalisation:
    """Return which differences the recipient states don't matter; raises FactError where a rule can't be applied."""
    stated: Comparison = document.identity.compared
    binding = stated.binding_headers
    return Normalisation(
        binding_headers=None if binding is None else frozenset(binding),
        header_order_free=stated.header_order_free,
        json_by_value=frozenset(stated.json_by_value),
        unbound=frozenset(stated.unbound),
        any_order=frozenset(stated.any_order),
        numbers_by_value=frozenset(stated.numbers_by_value),
        null_is_absent=frozenset(stated.null_is_absent),
        letter_case_free=frozenset(stated.letter_case_free),
    )

"""A promise needs a source that makes it, and one that somebody else made: an inference is never permissive."""

from collections.abc import Iterator
from typing import Any, Final

from operations.contracts.document import AfterEffect, Answered, Document
from operations.contracts.matching import Part
from operations.contracts.promises import Basis, Term
from operations.contracts.refusals.fault import Fault
from operations.contracts.terms import normalisation, terms
from operations.core.facts import After, ClosureCovers, ConcurrentUse, Covers, FactError, Guarantee, Mechanism
from operations.core.strict_json import pointer

# Values that open a door, so that an inference must not bring them in.
PERMISSIVE: Final = (
    Mechanism.KEY,
    Guarantee.UNLIMITED,
    Guarantee.WHILE_EXISTS,
    After.REFUSED,
    Covers.EVERY_OUTCOME,
    ConcurrentUse.PROTECTED,
    ClosureCovers.IDENTITY,
    AfterEffect.REFUSED,
    True,
)
# A guarantee lets a repeat go; a pending that may be overlooked no longer holds one back.
PERMISSIVE_NUMBERS: Final = ("/protection/guaranteed_for", "/protection/pending_fresh_for")
# Values that say that nothing was promised.
_SILENT: Final = ("undocumented", False)
_SOURCES: Final = ("source", "promise", "only_reads", "scope_source")


def faults(document: Document) -> Iterator[Fault]:
    """Yield the promises that nobody made, and the sources that aren't there."""
    yield from _unknown_sources(document)
    for place, term in _terms(document):
        yield from _term(document, place, term)
    yield from _protection(document)
    yield from _identity(document)
    yield from _stake(document)
    yield from _closing(document)


def _parts(part: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield every part of the document that is a model, with its place."""
    if isinstance(part, Part):
        yield place, part
        for name, field in type(part).model_fields.items():
            yield from _parts(getattr(part, name), place + pointer([field.alias or name]))
    elif isinstance(part, dict):
        for name, child in part.items():
            yield from _parts(child, place + pointer([name]))
    elif isinstance(part, tuple):
        for index, child in enumerate(part):
            yield from _parts(child, place + pointer([index]))


def _unknown_sources(document: Document) -> Iterator[Fault]:
    for place, part in _parts(document, ""):
        named = [(name, getattr(part, name)) for name in _SOURCES if name in type(part).model_fields]
        if isinstance(part, Answered):
            named += [("sources", name) for name in part.sources]
        for field, name in named:
            if name is not None and name not in document.sources:
                yield Fault(place=f"{place}/{field}", rule="unknown_source", message=f"names no source: {name}")


def _terms(document: Document) -> Iterator[tuple[str, Term[Any]]]:
    return ((place, part) for place, part in _parts(document, "") if isinstance(part, Term))


def _term(document: Document, place: str, term: Term[Any]) -> Iterator[Fault]:
    if term.source is None:
        if not _is_silent(term.value):
            yield Fault(place=place, rule="no_source", message=f"{term.value} needs the source that promises it")
        return
    source = document.sources.get(term.source)
    if source is None:
        return
    permissive = any(term.value is value for value in PERMISSIVE) or place in PERMISSIVE_NUMBERS
    if source.evidence is Basis.INFERRED and permissive and not _is_silent(term.value):
        yield Fault(place=f"{place}/source", rule="inferred", message="an inference must not be permissive")
    if term.value is Guarantee.UNLIMITED and source.quote is None:
        yield Fault(place=f"{place}/source", rule="no_quote", message="unlimited needs the recipient's own words")


def _is_silent(value: object) -> bool:
    return any(value is silent or (isinstance(value, str) and value == silent) for silent in _SILENT)


def _protection(document: Document) -> Iterator[Fault]:
    protection = document.protection
    if isinstance(protection.guaranteed_for.value, float) and protection.margin is None:
        yield Fault(
            place="/protection/margin",
            rule="no_margin",
            message="a number of seconds needs a margin: the time a send may take and the clocks' difference",
        )
        return
    try:
        terms(document)
    except FactError as error:
        yield Fault(place="/protection", rule=error.rule, message=str(error))


def _identity(document: Document) -> Iterator[Fault]:
    identity = document.identity
    key = document.protection.mechanism.value is Mechanism.KEY
    if key and identity.carrier is None:
        yield Fault(place="/identity/carrier", rule="no_carrier", message="a key has to travel somewhere")
    for index, name in enumerate(identity.subject):
        if name not in identity.bound:
            yield Fault(place=f"/identity/subject/{index}", rule="unknown_argument", message=f"{name} is not bound")
    if identity.scope and identity.scope_source is None:
        yield Fault(place="/identity/scope_source", rule="no_source", message="a scope needs its source")
    yield from _compared(document)


def _stake(document: Document) -> Iterator[Fault]:
    """An amount told too small would let one person do what takes two, so it rests on the recipient's own word."""
    stake = document.effect.stake
    if stake is None:
        return
    for part, name in (("amount", stake.amount), ("currency", stake.currency)):
        if name not in document.identity.bound:
            yield Fault(place=f"/effect/stake/{part}", rule="unknown_argument", message=f"{name} is not bound")
    source = document.sources.get(stake.source)
    if source is not None and source.evidence is Basis.INFERRED:
        yield Fault(place="/effect/stake/source", rule="inferred", message="an inference must not be permissive")


def _compared(document: Document) -> Iterator[Fault]:
    compared = document.identity.compared
    if compared.model_fields_set - {"source"} and compared.source is None:
        yield Fault(place="/identity/compared/source", rule="no_source", message="a comparison rule needs its source")
    source = document.sources.get(compared.source or "")
    if source is not None and source.evidence is Basis.INFERRED:
        yield Fault(place="/identity/compared/source", rule="inferred", message="an inference must not be permissive")
    try:
        normalisation(document)
    except FactError as error:
        yield Fault(place=f"/identity/compared/{error.field}", rule=error.rule, message=error.message)


def _closing(document: Document) -> Iterator[Fault]:
    for name, channel in document.channels.items():
        term = channel.positive_is_conclusive
        if term is not None and channel.authority != "derived":
            yield Fault(
                place=f"/channels/{name}/positive_is_conclusive",
                rule="only_derived",
                message="belongs to channels of authority derived",
            )

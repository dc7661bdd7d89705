"""The specimen must be a request of this contract: what the contract says it carries must be there."""

from collections.abc import Iterator

from operations.contracts.asked import bound_of, papers_of, placeholders
from operations.contracts.document import Document
from operations.contracts.places import Gap, as_text, at
from operations.contracts.refusals.fault import Fault
from operations.contracts.specimen import representation
from operations.core.facts import FactError


def faults(document: Document) -> Iterator[Fault]:
    """Yield what the specimen lacks, and what the effect's sentence asks for in vain."""
    for name in sorted(placeholders(document.effect.sentence) - set(document.identity.bound)):
        yield Fault(place="/effect/sentence", rule="unknown_argument", message=f"{name} is not bound")
    try:
        request = representation(document)
    except FactError as error:
        yield Fault(place="/specimen", rule=error.rule, message=str(error))
        return
    for name, argument in bound_of(document, request).arguments.items():
        if isinstance(argument.value, Gap):
            place = f"/identity/bound/{name}/at"
            yield Fault(place=place, rule="not_in_specimen", message="the specimen carries nothing there")
    papers = papers_of(document, request)
    for field in ("carrier", "marker"):
        carried = getattr(document.identity, field)
        if carried is not None and as_text(at(papers, carried.at)) != request.identity:
            message = "the specimen does not carry its identity there"
            yield Fault(place=f"/identity/{field}/at", rule="not_in_specimen", message=message)

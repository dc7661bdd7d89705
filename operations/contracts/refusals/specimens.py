"""The specimen must be a request of this contract: what the contract says it carries must be there."""

from collections.abc import Iterator

from operations.contracts.asked import bound_of, papers_of, placeholders
from operations.contracts.channel import BodyForm
from operations.contracts.document import Document
from operations.contracts.places import Gap, as_text, at
from operations.contracts.refusals.fault import Fault
from operations.contracts.specimen import examples, representation
from operations.core.facts import FactError


def faults(document: Document) -> Iterator[Fault]:
    """Yield what the specimen lacks, and what the effect's sentence asks for in vain."""
    for name in sorted(placeholders(document.effect.sentence) - set(document.identity.bound)):
        yield Fault(place="/effect/sentence", rule="unknown_argument", message=f"{name} is not bound")
    yield from _as_text(document)
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


def _as_text(document: Document) -> Iterator[Fault]:
    """XML has no one spelling as a value, so that what is read is given as it would come."""
    message = "XML is given as it would come, as text"
    if document.request.body is BodyForm.XML and not isinstance(document.specimen.body, str | None):
        yield Fault(place="/specimen/body", rule="xml_as_text", message=message)
    for place, name, example, _ in examples(document):
        channel = document.channels.get(name)
        if channel is not None and channel.body is BodyForm.XML and example.answer.body is not None:
            yield Fault(place=f"{place}/answer/body", rule="xml_as_text", message=message)

"""What is refused when a contract is loaded: claims that its channel can't carry, promises that nobody made."""

from collections.abc import Iterator

from operations.contracts.document import Document
from operations.contracts.refusals import asking, closing, promising, reading, specimens
from operations.contracts.refusals.fault import Fault

__all__ = ["Fault", "refusals"]


def refusals(document: Document) -> Iterator[Fault]:
    """Yield everything for which a well-formed document is refused, in the order of the document."""
    yield from promising.faults(document)
    yield from asking.faults(document)
    yield from reading.faults(document)
    yield from closing.faults(document)
    yield from specimens.faults(document)

"""The collection desk's contract, promise by promise otherwise."""

from typing import Any

from operations.contracts.document import Document
from operations.contracts.loading import document_of, library_text
from operations.contracts.promises import Term
from operations.core.facts import After, ConcurrentUse, Covers, Guarantee, Mechanism


def desk_contract() -> Document:
    """The contract of the library."""
    return document_of(library_text("collection-desk"))


def promising(**otherwise: Any) -> Document:
    """The desk's contract with other promises about a repeat: `guaranteed_for=Guarantee.UNLIMITED`."""
    document = desk_contract()
    terms = {name: Term[Any].model_validate({"is": value, "source": "key"}) for name, value in otherwise.items()}
    return document.model_copy(update={"protection": document.protection.model_copy(update=terms)})


def silent() -> Document:
    """The desk's contract that promises nothing about a repeat."""
    return promising(
        mechanism=Mechanism.UNDOCUMENTED,
        guaranteed_for=Guarantee.UNDOCUMENTED,
        after=After.UNDOCUMENTED,
        covers=Covers.UNDOCUMENTED,
        concurrent_use=ConcurrentUse.UNDOCUMENTED,
    )

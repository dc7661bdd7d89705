"""A request becomes the binding of an operation by its recipient's contract, or is refused with the place that is wrong.

A contract's promises are about one kind of request. Bound to another kind they would be promises that nobody made, so
a request that the contract doesn't describe, or that carries another identity where the contract says that it protects,
is no operation under it. One that carries none there is recorded, with its identity unknown to the recipient.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from operations.contracts.asked import bound_in, carried_in, effect_in, papers_of, subject_in
from operations.contracts.document import Document
from operations.contracts.loading import document_of
from operations.contracts.places import MISSING, Papers, at
from operations.recording import Binding, Origin

if TYPE_CHECKING:
    from operations.core.representation import Representation
    from operations.models import Contract


class NotOfThisContract(Exception):
    """The contract is not about this request: `field` (as in `Representation`), `rule` and `message` say where."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.rule = rule
        self.message = message


def binding_of(
    contract: Contract,
    request: Representation,
    *,
    origin: Origin,
    authorised_by: str = "",
    deadline: datetime | None = None,
) -> Binding:
    """Return what an operation is bound to; raises `NotOfThisContract`."""
    document = document_of(contract.document)
    papers = papers_of(document, request)
    _require_described(document, request, papers)
    known = _is_carried(document, request, papers)
    bound = bound_in(document, papers)
    return Binding(
        contract=contract,
        representation=request,
        identity_known=known,
        effect=effect_in(document, bound),
        subject=subject_in(document, bound),
        origin=origin,
        authorised_by=authorised_by,
        deadline=deadline,
    )


def _require_described(document: Document, request: Representation, papers: Papers) -> None:
    if request.method != document.request.method:
        raise NotOfThisContract("method", "contract_method", f"the contract is about {document.request.method}")
    if papers["target"] is MISSING:
        raise NotOfThisContract("target", "contract_target", f"the contract is about {document.request.target}")


def _is_carried(document: Document, request: Representation, papers: Papers) -> bool:
    """Say whether the request carries its identity where that protects; raises where it carries another one there.

    A request that carries none is on record under its caller's name, and nothing protects a repeat of it
    (semantics.md, Protection: `identity_unknown`).
    """
    longest, carrier = document.identity.longest, document.identity.carrier
    if longest is not None and len(request.identity) > longest:
        raise NotOfThisContract("identity", "contract_longest", f"the recipient takes {longest} characters at most")
    if carrier is None:
        return True
    if at(papers, carrier.at) is MISSING:
        return False
    if carried_in(document, papers) != request.identity:
        raise NotOfThisContract(
            "identity",
            "identity_not_carried",
            f"the request carries another identity than this at {carrier.at}, where it protects",
        )
    return True

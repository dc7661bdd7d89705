"""Contracts: who has which, what a version says in words, and what two of them differ in."""

from typing import TYPE_CHECKING, Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.decisions.contract_draft import may_edit_contract
from escalation.models import ContractDraft, User
from escalation.screens.contracts.differences import differences, lines
from escalation.screens.contracts.listing import listed, quality
from escalation.screens.contracts.reading import contract_shown
from escalation.views.seeing import reading
from operations import versions
from operations.contracts.loading import ContractRefused, document_of, library
from operations.reading import NoSuchContract, contract_in_force, contract_version

if TYPE_CHECKING:
    from operations import models


def recipient_or_404(request: HttpRequest, key: str) -> "models.Recipient":
    """The recipient with this key, or a page that says there is none: the same where this person may not read it."""
    try:
        return versions.recipient(key, among=reading(request).ids)
    except versions.NoSuchRecipient:
        raise Http404(f"There is no recipient {key}.") from None


def version_or_404(request: HttpRequest, key: str, version: int) -> "models.Contract":
    """This version of the recipient's contract, or a page that says there is none; likewise."""
    among = reading(request)
    try:
        row = contract_version(key, version=version)
    except NoSuchContract:
        row = None
    if row is None or row.recipient_id not in among:
        raise Http404(f"There is no version {version} of the contract of {key}.")
    return row


def may_not_edit(request: HttpRequest, recipient: int | None) -> str | None:
    """None, or why whoever asks may not write or publish a contract."""
    if not isinstance(request.user, User):
        return "Sign in first."
    return may_edit_contract(request.user, recipient=recipient)


@never_cache
@require_safe
def contracts(request: HttpRequest) -> HttpResponse:
    """The recipients that this person may read, each with its contract in force."""
    after = request.GET.get("after", "")[:64].replace("\0", "")
    among = reading(request).ids
    rows, following = listed(after=after, among=among)
    shown = {
        "rows": rows,
        "now": timezone.now(),
        "total": versions.count(among=among),
        "after": after,
        "next": following,
        "may_not": may_not_edit(request, None),
    }
    return render(request, "contracts/page.html", shown)


@never_cache
@require_safe
def recipient_contracts(request: HttpRequest, recipient: str) -> HttpResponse:
    """All versions of one recipient's contract, the draft first, who wrote them, and two to compare."""
    row = recipient_or_404(request, recipient)
    rows = versions.versions_of(row.id)
    people = {one.contract_id: one for one in ContractDraft.objects.filter(contract__recipient=row).select_related()}
    shown = {
        "recipient": row,
        "now": timezone.now(),
        "versions": [(one, people.get(one.id)) for one in rows],
        "published": [one for one in rows if one.published_at is not None],
        "in_force": next((one for one in rows if one.published_at is not None), None),
        "draft": next((one for one in rows if one.published_at is None), None),
        "behind": versions.behind_count(row.id),
        "library": list(library()),
        "may_not": may_not_edit(request, row.id),
    }
    return render(request, "recipient_contracts/page.html", shown)


def _people(contract: "models.Contract") -> ContractDraft | None:
    return (
        ContractDraft.objects.filter(contract=contract).select_related("begun_by", "edited_by", "published_by").first()
    )


@never_cache
@require_safe
def contract(request: HttpRequest, recipient: str, version: int) -> HttpResponse:
    """One version in words, with what it rests on; a draft that is no contract yet says what is wrong with it."""
    row, now = version_or_404(request, recipient, version), timezone.now()
    in_force = contract_in_force(row.recipient_id)
    shown: dict[str, Any] = {
        "contract": row,
        "recipient": row.recipient,
        "now": now,
        "people": _people(row),
        "in_force": in_force is not None and in_force.id == row.id,
        "current": in_force,
    }
    try:
        document = document_of(row.document)
    except ContractRefused as refused:
        return render(request, "contract/page.html", {**shown, "faults": refused.faults})
    shown |= {"document": document, "quality": quality(row.document), "shown": contract_shown(document, now=now)}
    return render(request, "contract/page.html", shown)


def _chosen(request: HttpRequest, name: str) -> int:
    told = request.GET.get(name, "")
    if not (told.isascii() and told.isdigit() and len(told) < 9):
        raise Http404("Two versions are compared by their numbers.")
    return int(told)


@never_cache
@require_safe
def contract_differences(request: HttpRequest, recipient: str) -> HttpResponse:
    """What two versions differ in, clause by clause; of one that is no contract yet, the lines alone."""
    before = version_or_404(request, recipient, _chosen(request, "from"))
    after = version_or_404(request, recipient, _chosen(request, "to"))
    shown: dict[str, Any] = {
        "recipient": before.recipient,
        "before": before,
        "after": after,
        "lines": lines(before.document, after.document),
    }
    try:
        shown["found"] = differences(document_of(before.document), document_of(after.document))
    except ContractRefused as refused:
        shown["refused"] = refused.faults
    return render(request, "contract_differences/page.html", shown)

"""A contract begins as a draft: for a new recipient, or as the next version of one that has a contract."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from escalation.contract_forms import NewContractForm, starting_text
from escalation.decisions import NotAllowed
from escalation.decisions.contract_draft import begin_contract_draft
from escalation.views.contracts import may_not_edit, recipient_or_404
from escalation.views.contracts_place import person
from operations import reading, versions
from operations.contracts.loading import library
from operations.recording.publishing import DraftExists


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_contract(request: HttpRequest) -> HttpResponse:
    """A recipient that has no contract yet gets a draft, from the library or with nothing answered."""
    form = NewContractForm(request.POST if request.method == "POST" else None)
    may_not = may_not_edit(request, None)
    status = 200
    if request.method == "POST":
        if may_not is not None:
            status = 403
        elif form.is_valid():
            return _begun(request, form)
        else:
            status = 422
    shown = {"form": form, "library": list(library()), "may_not": may_not}
    return render(request, "new_contract/page.html", shown, status=status)


def _begun(request: HttpRequest, form: NewContractForm) -> HttpResponse:
    told = form.cleaned_data
    try:
        versions.recipient(told["key"])
    except versions.NoSuchRecipient:
        text, begun_from = starting_text(told["start"])
        begin_contract_draft(
            told["key"],
            name=told["name"],
            text=text,
            begun_from=begun_from,
            person=person(request),
            known=None,
            now=timezone.now(),
        )
        return redirect("contract_draft", recipient=told["key"])
    form.add_error("key", "There is a recipient of this name already: its page is where its next version begins.")
    shown = {"form": form, "library": list(library()), "may_not": None}
    return render(request, "new_contract/page.html", shown, status=422)


@never_cache
@require_POST
def begin_draft(request: HttpRequest, recipient: str) -> HttpResponse:
    """The recipient's next version begins with the text of the one in force, of the library, or with nothing answered."""
    row = recipient_or_404(request, recipient)
    start = request.POST.get("start", "")
    current = reading.contract_in_force(row.id)
    if start == "in_force" and current is not None:
        text, begun_from = current.document, f"version {current.version}"
    elif start == "blank" or start in library():
        text, begun_from = starting_text(start)
    else:
        messages.error(request, "Choose what the draft begins with. Nothing was begun.")
        return redirect("recipient_contracts", recipient=recipient)
    try:
        begin_contract_draft(
            recipient,
            name=row.name,
            text=text,
            begun_from=begun_from,
            person=person(request),
            known=row.id,
            now=timezone.now(),
        )
    except NotAllowed as refused:
        messages.error(request, str(refused))
        return redirect("recipient_contracts", recipient=recipient)
    except DraftExists:
        messages.info(request, "There is a draft already; this is it. Nothing was begun.")
    return redirect("contract_draft", recipient=recipient)

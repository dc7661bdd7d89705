"""A contract is written as a draft, by the form of the interview or as text; saving puts nothing into use."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.contract_forms import ContractForm, FormRefused
from escalation.contract_forms.form import faults_of
from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.contract_draft import write_contract_draft
from escalation.views.contracts_place import Place, none_being_written, person, revision
from operations.contracts.loading import Draft, document_of, selectable
from operations.contracts.yaml_text import LONGEST
from operations.recording.publishing import NoSuchDraft

CHANGED: Final = (
    "This draft changed while you were writing. Nothing was saved; what you typed stands below. "
    "Compare it with the draft as it is now before you save it over that."
)
GONE: Final = "This draft was published meanwhile and can't change any more. Nothing was saved."


def saved(request: HttpRequest, place: Place, text: str) -> str | None:
    """Save the text; return None, or the sentence that says why nothing was saved."""
    assert place.contract is not None  # noqa: S101  # asked by the caller
    if len(text) > LONGEST:
        return f"The text is longer than {LONGEST:,} characters. Nothing was saved."
    try:
        write_contract_draft(
            place.contract.id, text=text, revision=revision(request), person=person(request), now=timezone.now()
        )
    except StaleView:
        return CHANGED
    except NoSuchDraft:
        return GONE
    except NotAllowed as refused:
        return str(refused)
    return None


def status_of(refused: str) -> int:
    """Return the status of a page that says why nothing was saved."""
    return 409 if refused in (CHANGED, GONE) else 403 if refused.startswith("You may") else 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def contract_draft(request: HttpRequest, recipient: str) -> HttpResponse:
    """The interview over the draft; saving keeps whatever was answered, and shows what the loader refuses at its place."""
    place = Place(request, recipient)
    if place.contract is None:
        return none_being_written(request, place)
    form = ContractForm(place.contract.document)
    if request.method != "POST":
        return _form_page(request, place, form)
    post = {name: str(value) for name, value in request.POST.items()}
    try:
        text = form.written(post)
    except FormRefused as wrong:
        kept = ContractForm(place.contract.document, post=post, problems=wrong.problems)
        return _form_page(request, place, kept, refused="Nothing was saved yet: look at what is marked.", status=422)
    refused = saved(request, place, text)
    if refused is None:
        return _went_on(request, place)
    now = Place(request, recipient)
    if now.contract is None:
        return none_being_written(request, now)
    kept = ContractForm(now.contract.document, post=post)
    return _form_page(request, now, kept, refused=refused, status=status_of(refused))


def source_names(form: ContractForm) -> list[str]:
    """Return the names of the sources that a draft has."""
    sources = (form.value or {}).get("sources")
    return [str(name) for name in sources] if isinstance(sources, dict) else []


def _form_page(
    request: HttpRequest, place: Place, form: ContractForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    shown = place.shown(
        form=form,
        sections=form.sections() if form.value is not None else (),
        elsewhere=form.elsewhere(),
        sources=source_names(form),
        refused=refused,
        invented=_invented(form),
    )
    return render(request, "contract_draft/page.html", shown, status=status)


def _invented(form: ContractForm) -> tuple[str, ...]:
    """Why a sound contract could still not be used: it rests on invented answers alone."""
    if form.faults:
        return ()
    try:
        selectable(document_of(form.text))
    except Draft as draft:
        return draft.reasons
    return ()


def _went_on(request: HttpRequest, place: Place) -> HttpResponse:
    messages.success(request, "The draft is saved. It is in use nowhere until it is published.")
    to = {"text": "contract_draft_text", "publish": "publish_contract"}.get(
        request.POST.get("then", ""), "contract_draft"
    )
    return redirect(to, recipient=place.recipient.key)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def contract_draft_text(request: HttpRequest, recipient: str) -> HttpResponse:
    """The draft as it is written, to be edited directly, with every fault and its line."""
    place = Place(request, recipient)
    if place.contract is None:
        return none_being_written(request, place)
    if request.method != "POST":
        return _text_page(request, place, place.contract.document)
    text = request.POST.get("text", "").replace("\r\n", "\n").replace("\0", "")
    refused = saved(request, place, text)
    if refused is None:
        messages.success(request, "The draft is saved. It is in use nowhere until it is published.")
        return redirect("contract_draft_text", recipient=recipient)
    now = Place(request, recipient)
    if now.contract is None:
        return none_being_written(request, now)
    return _text_page(request, now, text, refused=refused, status=status_of(refused))


def _text_page(request: HttpRequest, place: Place, text: str, *, refused: str = "", status: int = 200) -> HttpResponse:
    written = text.splitlines()
    faults = [(fault, written[fault.line - 1] if 0 < fault.line <= len(written) else "") for fault in faults_of(text)]
    shown = place.shown(text=text, faults=faults, refused=refused)
    return render(request, "contract_draft_text/page.html", shown, status=status)

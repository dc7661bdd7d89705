"""Runs of agents and the records that people bring of them: a record is looked at first, and kept second."""

import re
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from escalation.forms.runs import NEW, SEVERAL, KeepForm, UploadForm
from escalation.models import User
from escalation.policy import May, why_not
from escalation.screens.runs import DROPPED, FORMATS, chips, lines
from escalation.views.seeing import reading
from operations import runs as bringing
from operations import versions
from operations.imports import ImportRefused
from operations.imports.document import LARGEST
from operations.reading import runs as read
from operations.recording import runs as recording

# The token and the file's own head stand beside the record in a form.
LARGEST_FORM: Final = LARGEST + 64 * 1024
MOST_CHOICES: Final = 20
MOST_RECIPIENTS: Final = 500
_LENGTH: Final = re.compile("[0-9]{1,19}")
_TOO_LARGE: Final = f"Nothing was kept. A record may have {LARGEST // 1024 // 1024} MiB (too_large)."
GONE: Final = "That record is not here any more: it was kept, or forgotten after a day. Bring it again."


def number_in(written: str) -> int | None:
    """Return a number that stands in an address or a form, None for anything else."""
    return int(written) if written.isascii() and written.isdigit() and len(written) < 19 else None


def person_of(request: HttpRequest) -> User:
    """Return who asks."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    return request.user


def _may_not(request: HttpRequest) -> str | None:
    """None where somebody may bring records of some run; which run, is asked again when one is kept."""
    found = [why_not(person_of(request), May.MIND, recipient=one) for one in reading(request).ids or [None]]
    return None if None in found else found[0]


def _page(request: HttpRequest, *, form: UploadForm, refused: str = "", status: int = 200) -> HttpResponse:
    found, following = lines(among=reading(request).ids, before=number_in(request.GET.get("before", "")))
    shown: dict[str, Any] = {
        "runs": found,
        "next": following,
        "form": form,
        "refused": refused,
        "may_not": _may_not(request),
        "largest": LARGEST // 1024 // 1024,
        "now": timezone.now(),
    }
    return render(request, "runs/page.html", shown, status=status)


@csrf_exempt  # only until the size is known: the form's token is looked for in the body, which would be read whole
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def runs(request: HttpRequest) -> HttpResponse:
    """The runs, the newest first; a POST brings a record, which is not kept yet."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not _LENGTH.fullmatch(length) or int(length) > LARGEST_FORM:
        return _page(request, form=UploadForm(), refused=_TOO_LARGE, status=413)
    return _runs(request)


@csrf_protect
def _runs(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request, form=UploadForm())
    refused = _may_not(request)
    if refused is not None:
        return _page(request, form=UploadForm(), refused=refused, status=403)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    file = form.cleaned_data["record"]
    try:
        seen = bringing.bring(file.read(), name=file.name or "", by=person_of(request).username, now=timezone.now())
    except ImportRefused as wrong:
        return _page(request, form=UploadForm(), refused=f"Nothing was kept. {sentence(wrong)}", status=422)
    return redirect("run_upload", upload=seen.upload.id)


def sentence(wrong: ImportRefused) -> str:
    """Return why a record can't be read: where, what would be right, and by which rule."""
    where = f"At {wrong.place}: it" if wrong.place else "The record"
    return f"{where} {wrong.message} ({wrong.rule})."


def _upload(request: HttpRequest, written: str) -> bringing.Preview:
    try:
        return bringing.preview(UUID(written), by=person_of(request).username)
    except (ValueError, recording.NoSuchUpload):
        raise Http404(GONE) from None


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def run_upload(request: HttpRequest, upload: str) -> HttpResponse:
    """What a record holds, before it is kept; a POST keeps it, or forgets it."""
    reading(request)  # whoever holds no role has brought nothing
    seen = _upload(request, upload)
    if request.method != "POST":
        return _preview(request, seen, form=KeepForm())
    if request.POST.get("act") == "forget":
        recording.forget(seen.upload.id, by=person_of(request).username)
        messages.success(request, "The record is forgotten. Nothing of it is kept.")
        return redirect("runs")
    form = KeepForm(request.POST)
    return _kept(request, seen, form) if form.is_valid() else _preview(request, seen, form=form, status=422)


def _preview(
    request: HttpRequest, seen: bringing.Preview, *, form: KeepForm, refused: str = "", status: int = 200
) -> HttpResponse:
    reads = reading(request)
    calls = seen.found.calls
    keys = [recording.key_of(scope=call.scope or "", call_id=call.call_id) for call in calls[:MOST_RECIPIENTS]]
    shown: dict[str, Any] = {
        "upload": seen.upload,
        "format": FORMATS[seen.found.format],
        "calls": [(call, chips(call.reasons)) for call in calls[:MOST_CHOICES]],
        "count": len(calls),
        "unresolved": seen.unresolved,
        "left_out": seen.found.left_out[:MOST_CHOICES],
        "dropped": [(place, DROPPED[rule]) for place, rule in seen.upload.dropped],
        "holding": read.holding(keys, among=reads.ids, limit=MOST_CHOICES),
        "newest": read.runs(among=reads.ids, before=None, limit=MOST_CHOICES),
        "recipients": versions.recipients(after="", limit=MOST_RECIPIENTS, among=reads.ids),
        "every": reads.ids is None,
        "same": read.same_bytes(seen.upload.digest, among=reads.ids),
        "form": form,
        "new": NEW,
        "several": SEVERAL,
        "refused": refused,
        "now": timezone.now(),
    }
    return render(request, "run_upload/page.html", shown, status=status)


def _kept(request: HttpRequest, seen: bringing.Preview, form: KeepForm) -> HttpResponse:
    try:
        into, recipient = _place(request, form)
    except _NoPlace as wrong:
        return _preview(request, seen, form=form, refused=str(wrong), status=422)
    refused = why_not(person_of(request), May.MIND, recipient=into.recipient_id if into else recipient)
    if refused is not None:
        return _preview(request, seen, form=form, refused=refused, status=403)
    try:
        found = bringing.keep(
            seen.upload.id,
            run=into,
            name=form.cleaned_data["name"].replace("\0", ""),
            recipient_id=recipient,
            by=person_of(request).username,
            now=timezone.now(),
        )
    except bringing.TooManyRecords as full:
        return _preview(request, seen, form=form, refused=f"Nothing was kept. {full}", status=409)
    except recording.NoSuchUpload:
        raise Http404(GONE) from None
    kept = "The record is kept." if found.created else "These very bytes are kept here already; nothing changed."
    messages.success(request, kept)
    return redirect("run", run=found.transcript.run_id)


class _NoPlace(Exception):
    """What was chosen is no run and no recipient that this person may read."""


def _place(request: HttpRequest, form: KeepForm) -> "tuple[Any, int | None]":
    """Return the run that was chosen, or None and the recipient of a new one (None: several)."""
    reads, given = reading(request), form.cleaned_data
    if given["into"] != NEW:
        try:
            return read.run(number_in(given["into"]) or 0, among=reads.ids), None
        except read.NoSuchRun:
            raise _NoPlace("There is no such run.") from None
    if given["recipient"] == SEVERAL:
        if reads.ids is not None:
            raise _NoPlace("You may not read every recipient, so the run has to be of one.")
        return None, None
    try:
        return None, versions.recipient(given["recipient"].replace("\0", ""), among=reads.ids).pk
    except versions.NoSuchRecipient:
        raise _NoPlace("There is no such recipient.") from None

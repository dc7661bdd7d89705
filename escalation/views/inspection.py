"""What one person took down: another reads the same and confirms it, or it is put aside. Sends nothing."""

from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from escalation.decisions.inspection import AlreadyDecided, confirm, reject
from escalation.decisions.refused import NotAllowed
from escalation.forms.inspection import RejectForm
from escalation.models import Inspection, User
from escalation.policy import May
from escalation.proof import NotFresh, proof_of
from escalation.screens.decided_words import PROVED, proved
from escalation.screens.inspections import as_read
from escalation.screens.sight import Sight
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from escalation.views.seeing import may_not, seen_or_404

DECIDED: Final = "It was decided already; look at it again."
# What is in the file is a stranger's: no browser may take it for a page, a script or a style of this desk.
DOWNLOAD_POLICY: Final = "default-src 'none'; sandbox"


def _found(number: int, written: str) -> Inspection:
    try:
        key = UUID(written)
    except ValueError:
        raise Http404("There is no such inspection.") from None
    rows = Inspection.objects.select_related("recorded_by", "confirmed_by", "rejected_by", "operation")
    row = rows.defer("attachment").filter(id=key, operation__number=number).first()
    if row is None:
        raise Http404("There is no such inspection.")
    return row


def _page(
    request: HttpRequest, sight: Sight, row: Inspection, *, form: RejectForm, refused: str = "", status: int = 200
) -> HttpResponse:
    shown: dict[str, Any] = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "now": sight.now,
        "inspection": row,
        "waits": row.observation_id is None and row.rejected_at is None,
        "mine": row.recorded_by == request.user,
        "as_read": as_read(row),
        "proved": proved({PROVED: row.proved}),
        "may_not": may_not(request, May.INSPECT, sight),
        "to_prove": to_prove(request, May.INSPECT, second=True),
        "where_to_prove": where_to_prove(request),
        "form": form,
        "refused": refused,
    }
    return render(request, "inspection/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def inspection(request: HttpRequest, number: int, inspection: str) -> HttpResponse:
    """Looking decides nothing; a POST confirms it by a second person, or puts it aside with a reason."""
    sight, row = seen_or_404(request, number, now=timezone.now()), _found(number, inspection)
    if request.method != "POST":
        typed_before(request)
        return _page(request, sight, row, form=RejectForm())
    form = RejectForm(request.POST)
    try:
        said = _decided(request, row, form)
    except NotFresh as error:
        sentence = f"Nothing was written. {error}"
        return prove_first(request) or _page(request, sight, row, form=RejectForm(), refused=sentence, status=403)
    except NotAllowed as error:
        return _page(request, sight, row, form=form, refused=str(error), status=403)
    except AlreadyDecided:
        return _page(request, sight, _found(number, inspection), form=form, refused=DECIDED, status=409)
    if said is None:
        return _page(request, sight, row, form=form, status=422)
    messages.success(request, said)
    return redirect("operation", number=number)


def _decided(request: HttpRequest, row: Inspection, form: RejectForm) -> str | None:
    """The sentence that is read then, or None where the form is wrong."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    if request.POST.get("act") == "confirm" and request.POST.get("read_it") == "on":
        confirm(row.id, person=request.user, now=timezone.now(), proof=proof_of(request))
        return "It is confirmed, and read by the contract. Nothing was sent."
    if request.POST.get("act") != "confirm" and form.is_valid():
        reject(row.id, person=request.user, because=form.cleaned_data["because"], now=timezone.now())
        return "It is put aside, and counts for nothing. It stays on record."
    return None


@never_cache
@require_safe
def inspection_attachment(request: HttpRequest, number: int, inspection: str) -> HttpResponse:
    """The attachment as a file to save, never as a page to open."""
    seen_or_404(request, number, now=timezone.now())
    row = _found(number, inspection)
    if row.attachment is None:
        raise Http404("Nothing is attached.")
    answer = HttpResponse(bytes(row.attachment), content_type="application/octet-stream")
    answer["Content-Disposition"] = content_disposition_header(True, row.attachment_name) or "attachment"  # noqa: FBT003
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Content-Security-Policy"] = DOWNLOAD_POLICY
    answer["Cross-Origin-Resource-Policy"] = "same-origin"
    return answer

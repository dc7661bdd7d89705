"""Taking down what the recipient's screen or staff says, through a channel that the contract lists. Sends nothing."""

import re
from typing import Any, Final
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from escalation.decisions.inspection import Taken, take_down
from escalation.decisions.refused import NotAllowed
from escalation.forms.inspection import LARGEST_ATTACHMENT, InspectionForm
from escalation.models import User
from escalation.policy import May
from escalation.screens.inspections import ways
from escalation.screens.sight import Sight
from escalation.views.seeing import may_not, seen_or_404
from operations import inspecting

# The typed fields beside the file.
LARGEST_FORM: Final = LARGEST_ATTACHMENT + 512 * 1024
_LENGTH: Final = re.compile("[0-9]{1,19}")
WAITS: Final = "It is taken down, and waits for a second person. Until then it counts for nothing."
COUNTS: Final = "It is taken down, and read by the contract. Nothing was sent."


def _sheet(sight: Sight, channel: str) -> inspecting.Sheet | None:
    """What is to be taken down: through the named channel, or the only one."""
    names = [name for name, _ in ways(sight)]
    chosen = channel or (names[0] if len(names) == 1 else "")
    return inspecting.sheet(sight.operation, chosen) if chosen else None


def _page(
    request: HttpRequest, sight: Sight, *, form: InspectionForm | None, refused: str = "", status: int = 200
) -> HttpResponse:
    shown: dict[str, Any] = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "document": sight.document,
        "now": sight.now,
        "ways": ways(sight),
        "form": form,
        "sheet": None if form is None else form.sheet,
        "may_not": may_not(request, May.INSPECT, sight),
        "refused": refused,
        "largest": LARGEST_ATTACHMENT // 1024 // 1024,
    }
    return render(request, "inspect/page.html", shown, status=status)


@csrf_exempt  # only until the size is known: the form's token is looked for in the body, which would be read whole
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def inspect(request: HttpRequest, number: int) -> HttpResponse:
    """Looking writes nothing; a POST takes down what was read, once, under the person's name."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not _LENGTH.fullmatch(length) or int(length) > LARGEST_FORM:
        sight = seen_or_404(request, number, now=timezone.now())
        sentence = f"Nothing was kept. A file may be {LARGEST_ATTACHMENT // 1024 // 1024} MB large."
        return _page(request, sight, form=None, refused=sentence, status=413)
    return _inspected(request, number)


@csrf_protect
def _inspected(request: HttpRequest, number: int) -> HttpResponse:
    now = timezone.now()
    sight = seen_or_404(request, number, now=now)
    try:
        sheet = _sheet(sight, request.GET.get("channel", ""))
    except inspecting.CannotInspect as error:
        return _page(request, sight, form=None, refused=str(error), status=404)
    if sheet is None or request.method != "POST":
        form = None if sheet is None else InspectionForm(sheet=sheet, now=now, initial={"once": uuid4()})
        return _page(request, sight, form=form)
    return _taken(request, sight, InspectionForm(request.POST, request.FILES, sheet=sheet, now=now))


def _taken(request: HttpRequest, sight: Sight, form: InspectionForm) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    refused = may_not(request, May.INSPECT, sight)
    if refused is not None:
        return _page(request, sight, form=form, refused=refused, status=403)
    if not form.is_valid():
        return _page(request, sight, form=form, status=422)
    taken = Taken(
        channel=form.sheet.channel,
        typed=form.typed(),
        said=form.said(),
        read_at=form.cleaned_data["read_at"],
        notes=form.cleaned_data["notes"],
        once=form.cleaned_data["once"],
        attachment=form.cleaned_data["attachment"],
    )
    try:
        row = take_down(sight.operation.id, taken, person=request.user, now=sight.now)
    except (NotAllowed, inspecting.CannotInspect) as error:
        return _page(request, sight, form=form, refused=f"Nothing was written. {error}", status=409)
    messages.success(request, WAITS if row.observation_id is None else COUNTS)
    return redirect("inspection", number=sight.operation.number, inspection=row.id)

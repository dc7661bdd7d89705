"""Ask the recipient: which channels there are, what each last said, and one question at a press. Changes nothing there."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.forms.doors import AskForm
from escalation.policy import May
from escalation.screens.asking import finders, learnt, ways
from escalation.screens.inspections import ways as inspections
from escalation.screens.panels import panels
from escalation.screens.sight import Sight
from escalation.views.seeing import may_not, seen_or_404
from operations import asking


def _page(
    request: HttpRequest, sight: Sight, *, form: AskForm | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    shown = {
        "operation": sight.operation,
        "recipient": sight.operation.recipient,
        "document": sight.document,
        "now": sight.now,
        "panels": panels(sight),
        "ways": ways(sight),
        "finders": finders(sight),
        "inspections": inspections(sight),
        "may_not": may_not(request, May.ASK, sight),
        "form": form,
        "refused": refused,
    }
    return render(request, "observe/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def observe(request: HttpRequest, number: int) -> HttpResponse:
    """Looking asks nothing; a POST asks once through one channel, stores the answer and shows what it says."""
    sight = seen_or_404(request, number, now=timezone.now())
    if request.method != "POST":
        return _page(request, sight)
    form = AskForm(request.POST, channels=[way.channel for way in ways(sight)], finders=[n for n, _ in finders(sight)])
    refused = may_not(request, May.ASK, sight)
    if refused is not None:
        return _page(request, sight, form=form, refused=refused, status=403)
    if not form.is_valid():
        return _page(request, sight, form=form, status=422)
    return _asked(request, sight, form)


def _asked(request: HttpRequest, sight: Sight, form: AskForm) -> HttpResponse:
    try:
        observed = asking.ask_now(
            sight.operation.id,
            form.cleaned_data["channel"],
            clock=timezone.now,
            by=str(request.user),
            reference=form.cleaned_data["reference"] or None,
        )
    except asking.CannotAsk as error:
        return _page(request, sight, form=form, refused=f"Nothing was asked. {error}", status=409)
    except asking.NoAnswer as error:
        return _page(request, sight, form=form, refused=f"Nothing was learnt. {error}", status=502)
    number = sight.operation.number
    messages.success(request, learnt(seen_or_404(request, number, now=timezone.now()), observed.observation_id))
    return redirect("repair_record" if form.cleaned_data["reference"] else "operation", number=number)

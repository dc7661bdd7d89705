"""What people say of tools: whether anything protected can come of calling them. A server's own hints fill in, and decide nothing."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.forms.runs import ToolForm
from escalation.policy import May, why_not
from escalation.screens.tools import KINDS, lines
from escalation.views.runs import person_of
from escalation.views.seeing import reading
from operations.recording import runs as recording

UNKNOWN: Final = "Choose what can come of it."


def _page(request: HttpRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    shown: dict[str, Any] = {
        "tools": lines(among=reading(request).ids),
        "kinds": KINDS,
        "may_not": why_not(person_of(request), May.EDIT_CONTRACT, recipient=None),
        "refused": refused,
        "now": timezone.now(),
    }
    return render(request, "tools/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tools(request: HttpRequest) -> HttpResponse:
    """The tools that calls name, and what holds of them; a POST says it of one, for every run."""
    if request.method != "POST":
        return _page(request)
    refused = why_not(person_of(request), May.EDIT_CONTRACT, recipient=None)
    if refused is not None:
        return _page(request, refused=refused, status=403)
    form = ToolForm(request.POST)
    if not form.is_valid() or form.cleaned_data["kind"] not in KINDS:
        return _page(request, refused=UNKNOWN, status=422)
    name = form.cleaned_data["tool"]
    hint = next((one.hint for one in lines(among=reading(request).ids) if one.name == name), "")
    recording.say_of_tool(
        name, form.cleaned_data["kind"], hint=hint[:200], by=person_of(request).username, now=timezone.now()
    )
    messages.success(request, f"{name}: {KINDS[form.cleaned_data['kind']]}")
    return redirect("tools")

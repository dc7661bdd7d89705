"""The acceptance check for a resume over the records of a run: which outputs its next input owes, or holds twice. Sends nothing."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from escalation.screens.next_input import fault_line
from escalation.views.run import run_of
from escalation.views.runs import number_in, sentence
from operations import runs as bringing
from operations.imports import ImportRefused
from operations.reading import runs as read


@never_cache
@require_safe
def next_input(request: HttpRequest, run: int) -> HttpResponse:
    """Check a state of a run against the requests that followed; the newest of each unless others are named."""
    found = run_of(request, run)
    transcripts = read.transcripts(found)
    choices = bringing.choices(transcripts)
    named = {name: number_in(request.GET.get(name, "")) for name in ("state", "request")}
    shown: dict[str, Any] = {
        "run": found,
        "states": [(number, transcripts[number - 1].name) for number in choices.states],
        "requests": [(number, transcripts[number - 1].name) for number in choices.requests],
        "refused": "",
    }
    try:
        checked = bringing.check(found, state=named["state"], request=named["request"])
    except bringing.NotCheckable as wrong:
        return _page(request, {**shown, "refused": str(wrong)}, status=422 if any(named.values()) else 200)
    except ImportRefused as wrong:
        return _page(request, {**shown, "refused": sentence(wrong)}, status=422)
    return _page(request, {**shown, "checked": checked, "faults": [fault_line(one) for one in checked.faults]})


def _page(request: HttpRequest, shown: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render(request, "next_input/page.html", shown, status=status)

"""Rules for outputs in an application's own words: tried on what is on record first, written second. Sends nothing."""

import logging
from hashlib import sha256
from typing import Any, Final

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError

from escalation.forms.runs import EndRuleForm, OutputRuleForm
from escalation.policy import May, why_not
from escalation.screens import output_rules as screen
from escalation.views.runs import person_of
from escalation.views.seeing import reading
from operations import tasks
from operations.imports.words import OutputClass
from operations.recording import output_rules as recording
from operations.runs import ruling

log: Final = logging.getLogger(__name__)

OVERTAKEN: Final = "Somebody changed or ended this rule since you looked at it. Nothing was written."
FULL: Final = f"{ruling.MOST_RULES} rules hold already. End one first. Nothing was written."
NOT_TRIED: Final = "See first what the rule would change. Nothing was written."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def output_rules(request: HttpRequest) -> HttpResponse:
    """The rules in every version; a POST tries one on what is on record, writes it once it was tried, or ends one."""
    if request.method != "POST":
        return _page(request, form=OutputRuleForm(initial=screen.filled_in(request.GET.get("change", ""))))
    refused = why_not(person_of(request), May.EDIT_CONTRACT, recipient=None)
    if refused is not None:
        return _page(request, form=OutputRuleForm(), refused=refused, status=403)
    if request.POST.get("act") == "end":
        return _end(request)
    form = OutputRuleForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    if request.POST.get("act") != "write":
        return _page(request, form=form, trial=_tried(request, form.cleaned_data), tried=_seen(form.cleaned_data))
    if request.POST.get("tried") != _seen(form.cleaned_data):
        return _page(request, form=form, refused=NOT_TRIED, status=422)
    return _write(request, form)


def _page(
    request: HttpRequest, *, form: OutputRuleForm, refused: str = "", status: int = 200, **more: Any
) -> HttpResponse:
    shown: dict[str, Any] = {
        "rules": screen.rules(),
        "classes": screen.MAY_SAY,
        "tools": screen.tools(among=reading(request).ids),
        "form": form,
        "may_not": why_not(person_of(request), May.EDIT_CONTRACT, recipient=None),
        "refused": refused,
        "now": timezone.now(),
        **more,
    }
    return render(request, "output_rules/page.html", shown, status=status)


def _tried(request: HttpRequest, given: dict[str, Any]) -> screen.TrialShown:
    found = ruling.try_on(
        tool=given["tool"],
        pattern=given["pattern"],
        says=OutputClass(given["says"]),
        number=given["number"],
        among=reading(request).ids,
    )
    return screen.shown(found)


def _seen(given: dict[str, Any]) -> str:
    """Return what only a page that tried this very rule carries."""
    return sha256(repr([given[name] for name in ("tool", "pattern", "says", "number", "version")]).encode()).hexdigest()


def _write(request: HttpRequest, form: OutputRuleForm) -> HttpResponse:
    given = form.cleaned_data
    try:
        row = ruling.write(
            tool=given["tool"],
            pattern=given["pattern"],
            says=OutputClass(given["says"]),
            number=given["number"],
            version=given["version"],
            by=person_of(request).username,
            now=timezone.now(),
        )
    except (recording.NoSuchRule, recording.Overtaken):
        return _page(request, form=form, refused=OVERTAKEN, status=409)
    except ruling.TooManyRules:
        return _page(request, form=form, refused=FULL, status=409)
    transaction.on_commit(_announce)
    messages.success(
        request, f"Rule {row.number} holds, version {row.version}. The lists of runs follow within minutes."
    )
    return redirect("output_rules")


def _announce() -> None:
    """A hint to the workers to judge the lists anew; where it is lost, the beat's next does it."""
    try:
        tasks.judge_outputs.apply_async(retry=False)
    except OperationalError as error:
        log.warning("the lists of runs are judged anew by the rules for outputs once the broker is back: %s", error)


def _end(request: HttpRequest) -> HttpResponse:
    form = EndRuleForm(request.POST)
    if not form.is_valid():
        return _page(request, form=OutputRuleForm(), refused=OVERTAKEN, status=422)
    given = form.cleaned_data
    try:
        recording.end(given["number"], version=given["version"], by=person_of(request).username, now=timezone.now())
    except (recording.NoSuchRule, recording.Overtaken):
        return _page(request, form=OutputRuleForm(), refused=OVERTAKEN, status=409)
    transaction.on_commit(_announce)
    messages.success(request, f"Rule {given['number']} holds no more. Its versions stay on record.")
    return redirect("output_rules")

"""The rules of a draft: their order, and one at a time as a form; saving puts nothing into use."""

import re
from typing import Final, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.contract_forms import ContractForm, FormRefused
from escalation.contract_forms.rules import Move, NoSuchRule, RuleForm, listed, moved
from escalation.views.contracts_draft import saved, source_names, status_of
from escalation.views.contracts_place import Place, none_being_written

SAVED: Final = "The draft is saved. It is in use nowhere until it is published."
NO_RULE: Final = "The draft has no such rule any more. Nothing was saved."
_DO: Final = re.compile(r"(up|down|gone):([0-9]{1,4})")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def contract_draft_rules(request: HttpRequest, recipient: str) -> HttpResponse:
    """The rules in their order; a button moves one or takes it away."""
    place = Place(request, recipient)
    if place.contract is None:
        return none_being_written(request, place)
    form = ContractForm(place.contract.document)
    told = _DO.fullmatch(request.POST.get("do", ""))
    if told is None:
        return _list_page(request, place, form)
    try:
        text = moved(form, int(told[2]), cast("Move", told[1]))
    except NoSuchRule:
        return _list_page(request, place, form, refused=NO_RULE, status=409)
    refused = saved(request, place, text)
    if refused is None:
        return redirect("contract_draft_rules", recipient=recipient)
    now = Place(request, recipient)
    if now.contract is None:
        return none_being_written(request, now)
    return _list_page(request, now, ContractForm(now.contract.document), refused=refused, status=status_of(refused))


def _list_page(
    request: HttpRequest, place: Place, form: ContractForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    rules = list(listed(form))
    shown = place.shown(form=form, rules=rules, count=len(rules), refused=refused)
    return render(request, "contract_draft_rules/page.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def contract_draft_rule(request: HttpRequest, recipient: str, index: int) -> HttpResponse:
    """One rule as a form, or a new one behind the last; what the loader refuses stands at its question."""
    place = Place(request, recipient)
    if place.contract is None:
        return none_being_written(request, place)
    rule = _rule(place, index)
    if request.method != "POST":
        return _rule_page(request, place, rule)
    post = {name: str(value) for name, value in request.POST.items()}
    try:
        text = rule.written(post)
    except FormRefused as wrong:
        kept = RuleForm(place.contract.document, index, post=post, problems=wrong.problems)
        return _rule_page(request, place, kept, refused="Nothing was saved yet: look at what is marked.", status=422)
    refused = saved(request, place, text)
    if refused is None:
        messages.success(request, SAVED)
        return redirect("contract_draft_rules", recipient=recipient)
    return _not_saved(request, recipient, rule, refused=refused)


def _rule(place: Place, index: int) -> RuleForm:
    assert place.contract is not None  # noqa: S101  # asked by the caller
    try:
        return RuleForm(place.contract.document, index)
    except NoSuchRule:
        raise Http404 from None


def _not_saved(request: HttpRequest, recipient: str, rule: RuleForm, *, refused: str) -> HttpResponse:
    """What was typed is shown again over the rule that it was typed for, whatever stands there by now."""
    now = Place(request, recipient)
    if now.contract is None:
        return none_being_written(request, now)
    post = {name: str(value) for name, value in request.POST.items()}
    kept = RuleForm(rule.form.text, rule.index, post=post)
    return _rule_page(request, now, kept, refused=refused, status=status_of(refused))


def _rule_page(
    request: HttpRequest, place: Place, rule: RuleForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    shown = place.shown(
        rule=rule,
        questions=rule.questions(),
        faults=rule.faults(),
        sources=source_names(rule.form),
        refused=refused,
    )
    return render(request, "contract_draft_rule/page.html", shown, status=status)

"""Where it takes two people, and how much one may accept: set and ended by administrators."""

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.decisions import NotAllowed
from escalation.decisions.rules import Ended, OwnLimit, SetAlready, end, set_limit, set_rule
from escalation.forms.rules import ACCEPTING, LimitForm, RuleForm
from escalation.models import FourEyesRule, RiskLimit, User
from escalation.policy import ALWAYS_TWO, DOORS, May, why_not
from escalation.proof import NotFresh, proof_of
from escalation.screens.rules import MOST_ENDED, limits
from escalation.screens.rules import rules as said
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from escalation.views.seeing import reading

_KINDS: Final[dict[str, type[FourEyesRule] | type[RiskLimit]]] = {"rule": FourEyesRule, "limit": RiskLimit}


def _page(request: HttpRequest, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    reads = reading(request)
    shown = {
        "rules": said(ended=False, reads=reads),
        "limits": limits(ended=False, reads=reads, reader=request.user),
        "ended": [*said(ended=True, reads=reads), *limits(ended=True, reads=reads, reader=request.user)],
        "most": MOST_ENDED,
        "always_two": ALWAYS_TWO,
        "doors": [(door.value, words) for door, words in DOORS.items()],
        "roles": ACCEPTING,
        "may_not": why_not(request.user, May.ADMINISTER, recipient=None),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": timezone.now(),
        "rule_form": RuleForm(),
        "limit_form": LimitForm(),
        **forms,
    }
    return render(request, "rules/page.html", shown, status=status)


def _set_rule(request: HttpRequest, person: User) -> HttpResponse:
    form = RuleForm(request.POST)
    if not form.is_valid():
        return _page(request, rule_form=form, status=422)
    typed = form.cleaned_data
    door = next(door for door in DOORS if door == typed["door"])
    set_rule(
        door,
        recipient=typed["recipient"],
        least=form.chosen,
        person=person,
        now=timezone.now(),
        proof=proof_of(request),
    )
    return _done(request, "The rule is in force.")


def _set_limit(request: HttpRequest, person: User) -> HttpResponse:
    form = LimitForm(request.POST)
    if not form.is_valid():
        return _page(request, limit_form=form, status=422)
    here = form.cleaned_data["recipient"]
    set_limit(form.holder, recipient=here, most=form.chosen, person=person, now=timezone.now(), proof=proof_of(request))
    return _done(request, "The limit is in force.")


def _end(request: HttpRequest, person: User) -> HttpResponse:
    kind, _, number = request.POST.get("setting", "").partition("-")
    if kind not in _KINDS or not number.isdecimal() or len(number) > 18:
        return _page(request, refused="Nothing was ended: no such setting.", status=422)
    end(_KINDS[kind], int(number), person=person, now=timezone.now(), proof=proof_of(request))
    return _done(request, "It is ended, and stays on record below.")


def _done(request: HttpRequest, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("rules")


def _typed_before(request: HttpRequest) -> dict[str, Any]:
    """The form with what was typed on it before a proof was asked for."""
    typed = typed_before(request)
    if typed is None:
        return {}
    kinds: dict[str | None, type[RuleForm | LimitForm]] = {"rule": RuleForm, "limit": LimitForm}
    kind = kinds.get(typed.get("act"))
    return {} if kind is None else {f"{typed['act']}_form": kind(initial=typed.dict())}


_ACTS: Final[dict[str, Callable[[HttpRequest, User], HttpResponse]]] = {
    "rule": _set_rule,
    "limit": _set_limit,
    "end": _end,
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rules(request: HttpRequest) -> HttpResponse:
    """Looking sets nothing; a POST of an administrator sets one rule or limit, or ends one."""
    if request.method != "POST":
        return _page(request, **_typed_before(request))
    act = _ACTS.get(request.POST.get("act", ""))
    if act is None:
        return _page(request, refused="Nothing was set: no such act.", status=422)
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    may_not = why_not(request.user, May.ADMINISTER, recipient=None)
    if may_not is not None:  # before anything that was typed is looked at, which would say what there is
        return _page(request, refused=may_not, status=403)
    try:
        return act(request, request.user)
    except NotAllowed as refused:
        return _page(request, refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _page(request, refused=f"Nothing was written. {refused}", status=403)
    except (SetAlready, Ended, OwnLimit) as refused:
        return _page(request, refused=f"Nothing was written. {refused}", status=409)

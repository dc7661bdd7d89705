"""What the pages of teams and rotas have in common: one POST does one thing that an administrator may, or says why not."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django import forms
from django.http import HttpRequest, HttpResponse, QueryDict

from escalation.access import NotChanged
from escalation.decisions import NotAllowed
from escalation.policy import May, why_not
from escalation.proof import NotFresh
from escalation.views.people import reader
from escalation.views.proving import prove_first, typed_before

NO_ACT: Final = "Nothing was changed: no such act."
LONGEST_NUMBER: Final = 18

Page = Callable[..., HttpResponse]
Act = Callable[[HttpRequest], HttpResponse]


class Unfit(Exception):
    """A form with what is wrong in it, under the name by which its page knows it; without one it is no form of ours."""

    def __init__(self, name: str = "", form: Any = None) -> None:
        super().__init__()
        self.forms = {} if form is None else {name: form}


def number(request: HttpRequest, name: str) -> int:
    """Return a row id that a button carries; raises `Unfit`."""
    typed = request.POST.get(name, "")
    if not (typed.isascii() and typed.isdecimal() and len(typed) <= LONGEST_NUMBER):
        raise Unfit
    return int(typed)


def fit(name: str, form: Any) -> Any:
    """Return a form that is filled in as it has to be; raises `Unfit`."""
    if not form.is_valid():
        raise Unfit(name, form)
    return form


def act(request: HttpRequest, page: Page, acts: Mapping[str, Act]) -> HttpResponse:
    """Do what was pressed; `page` shows the page again with what is wrong, or why not (422, 403, 409)."""
    may_not = why_not(reader(request).person, May.ADMINISTER, recipient=None)
    if may_not is not None:  # before anything that was typed is looked at
        return page(refused=may_not, status=403)
    does = acts.get(request.POST.get("act", ""))
    try:
        return page(refused=NO_ACT, status=422) if does is None else does(request)
    except Unfit as unfit:
        return page(refused="" if unfit.forms else NO_ACT, status=422, **unfit.forms)
    except NotAllowed as refused:
        return page(refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or page(refused=f"Nothing was changed. {refused}", status=403)
    except NotChanged as refused:
        return page(refused=f"Nothing was changed. {refused}", status=409)


def typed(request: HttpRequest, kinds: Mapping[str, Callable[[QueryDict], Any]]) -> dict[str, Any]:
    """Return the form with what was typed on it before a proof was asked for, under the name of its act."""
    found = typed_before(request)
    name = "" if found is None else found.get("act", "")
    return {name: kinds[name](found)} if found is not None and name in kinds else {}


def as_typed(form: type[forms.Form]) -> Callable[[QueryDict], forms.Form]:
    """Return what fills a form in as it was typed, without a word about what may be wrong in it."""
    return lambda found: form(initial={name: found.getlist(name) if name == "days" else found[name] for name in found})

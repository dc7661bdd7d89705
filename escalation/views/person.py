"""One person: the roles they hold and held, and how they get in; changed by administrators, each change on record."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access import NotChanged
from escalation.access.forms import EVERY, ONE, RoleForm
from escalation.access.people import deactivate, end_sessions, make_link, reactivate
from escalation.access.roles import end_role, give_role
from escalation.decisions import NotAllowed
from escalation.policy import May, Role, why_not
from escalation.proof import NotFresh
from escalation.screens import people as screen
from escalation.views.people import by, link_shown, reader
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove

_DONE: Final = {
    deactivate: "is inactive. Their sessions and sign-in links ended, and nothing they did is changed.",
    reactivate: "is active again, with the roles they still hold.",
    end_sessions: "is signed out everywhere, and their sign-in links ended.",
}


class _Unfit(Exception):
    """What was typed is no change; `form` says what is wrong with it, if a form was typed."""

    def __init__(self, form: RoleForm | None = None) -> None:
        super().__init__("no change")
        self.form = form


def _found(request: HttpRequest, pk: int) -> tuple[screen.Reader, screen.Shown]:
    who = reader(request)
    found = screen.one(who, pk)
    if found is None:
        raise Http404("There is no such person.")
    return who, found


def _page(
    request: HttpRequest, pk: int, *, form: RoleForm | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    who, found = _found(request, pk)
    own = found.row == who.person
    shown: dict[str, Any] = {
        "person": found.row,
        "shown": found,
        "own": own,
        "ended": screen.ended(who, found.row),
        "changes": screen.changes(found.row) if who.administers or own else None,
        "most": screen.MOST_SHOWN,
        "administers": who.administers,
        "roles": list(Role),
        "every": EVERY,
        "one": ONE,
        "form": form or RoleForm(),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": timezone.now(),
    }
    return render(request, "people/person.html", shown, status=status)


def _give(request: HttpRequest, who: screen.Reader, pk: int) -> HttpResponse:
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise _Unfit(form)
    role, here = Role(form.cleaned_data["role"]), form.cleaned_data["recipient_id"]
    row = give_role(pk, role, recipient=here, by=by(request))
    where = "every recipient" if row.recipient is None else row.recipient.name
    return _changed(request, pk, f"{row.person.username} holds the role “{role.value}” for {where} from now on.")


def _end(request: HttpRequest, who: screen.Reader, pk: int) -> HttpResponse:
    grant = request.POST.get("grant", "")
    if not (grant.isascii() and grant.isdecimal() and len(grant) < 19):
        raise _Unfit
    row = end_role(int(grant), person=pk, by=by(request))
    return _changed(
        request, pk, f"{row.person.username} holds the role “{row.role}” there no more. It stays on record."
    )


def _link(request: HttpRequest, who: screen.Reader, pk: int) -> HttpResponse:
    return link_shown(request, *make_link(pk, by=by(request)))


def _plain(act: Callable[..., Any]) -> Callable[[HttpRequest, screen.Reader, int], HttpResponse]:
    def done(request: HttpRequest, who: screen.Reader, pk: int) -> HttpResponse:
        person = act(pk, by=by(request))
        return _changed(request, pk, f"{person.username} {_DONE[act]}")

    return done


def _no_act(_: HttpRequest, __: screen.Reader, ___: int) -> HttpResponse:
    raise _Unfit


def _changed(request: HttpRequest, pk: int, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("person", person=pk)


_ACTS: Final[Mapping[str, Callable[[HttpRequest, screen.Reader, int], HttpResponse]]] = {
    "give": _give,
    "end": _end,
    "link": _link,
    "deactivate": _plain(deactivate),
    "reactivate": _plain(reactivate),
    "end_sessions": _plain(end_sessions),
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def person(request: HttpRequest, person: int) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator does one thing, which is written down with who and when."""
    who, _ = _found(request, person)
    if request.method != "POST":
        typed = typed_before(request)
        given = typed is not None and typed.get("act") == "give"
        return _page(request, person, form=RoleForm(initial=typed.dict()) if typed is not None and given else None)
    may_not = why_not(who.person, May.ADMINISTER, recipient=None)
    if may_not is not None:
        return _page(request, person, refused=may_not, status=403)
    act = _ACTS.get(request.POST.get("act", ""), _no_act)
    try:
        return act(request, who, person)
    except _Unfit as unfit:
        refused = "" if unfit.form is not None else "Nothing was changed: no such act."
        return _page(request, person, form=unfit.form, refused=refused, status=422)
    except NotAllowed as refused_:
        return _page(request, person, refused=str(refused_), status=403)
    except NotFresh as refused_:
        return prove_first(request) or _page(request, person, refused=f"Nothing was changed. {refused_}", status=403)
    except NotChanged as refused_:
        return _page(request, person, refused=f"Nothing was changed. {refused_}", status=409)

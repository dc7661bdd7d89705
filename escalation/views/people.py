"""People and what they hold: read by whoever may know of it, made by administrators; and what each role may do."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access import By, NotChanged
from escalation.access.forms import PersonForm
from escalation.access.people import make_person
from escalation.decisions import NotAllowed
from escalation.models import User
from escalation.policy import May, Role, why_not
from escalation.proof import NotFresh, proof_of
from escalation.screens import people as screen
from escalation.sign_in_link import LASTS
from escalation.views.proving import prove_first, to_prove, typed_before, where_to_prove
from escalation.views.seeing import reading

NUL: Final = "\0"  # which PostgreSQL's text can't hold


def reader(request: HttpRequest) -> screen.Reader:
    """Who asks, and what they may know of people; raises `NoRole`."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    administers = why_not(request.user, May.ADMINISTER, recipient=None) is None
    return screen.Reader(person=request.user, reads=reading(request), administers=administers)


def by(request: HttpRequest) -> By:
    """Who changes something, when, and how they last proved who they are."""
    return By(person=reader(request).person, now=timezone.now(), proof=proof_of(request))


def _word(request: HttpRequest, name: str) -> str:
    return request.GET.get(name, "").replace(NUL, "").strip()[: screen.LONGEST]


def _page(
    request: HttpRequest, *, form: PersonForm | None = None, refused: str = "", status: int = 200
) -> HttpResponse:
    who = reader(request)
    after, name = _word(request, "after"), _word(request, "name")
    found, following = screen.page(who, after=after, name=name)
    shown: dict[str, Any] = {
        "people": found,
        "next": following,
        "after": after,
        "name": name,
        "roles": list(Role),
        "table": screen.table(),
        "administers": who.administers,
        "form": form or PersonForm(),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": timezone.now(),
    }
    return render(request, "people/page.html", shown, status=status)


def link_shown(request: HttpRequest, holder: User, token: str) -> HttpResponse:
    """The link on the screen, in this one answer: it stands nowhere else, and no page shows it again."""
    path = reverse("sign_in_by_link", args=[token])
    shown = {"holder": holder, "link": request.build_absolute_uri(path), "minutes": LASTS.seconds // 60}
    return render(request, "people/link.html", shown)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator makes a person, and shows their first sign-in link once."""
    if request.method != "POST":
        typed = typed_before(request)
        return _page(request, form=None if typed is None else PersonForm(initial=typed.dict()))
    who = reader(request)
    may_not = why_not(who.person, May.ADMINISTER, recipient=None)
    if may_not is not None:
        return _page(request, refused=may_not, status=403)
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    try:
        made, token = make_person(form.cleaned_data["name"], by=by(request))
    except NotAllowed as refused:
        return _page(request, refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _page(request, form=form, refused=f"Nobody was made. {refused}", status=403)
    except NotChanged as refused:
        return _page(request, form=form, refused=f"Nobody was made. {refused}", status=409)
    return link_shown(request, made, token)

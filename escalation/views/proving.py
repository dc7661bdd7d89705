"""Before a door that sends or risks, a person proves who they are; what they typed waits for them, and decides nothing."""

from typing import Final
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils import timezone

from escalation.models import User
from escalation.policy import NEEDS_PROOF, May
from escalation.proof import can_be_asked, proof_of, stale

KEPT: Final = "typed before a proof"
BACK: Final = "You proved who you are. Nothing was decided yet: look again, and confirm."
# What a form carries beside what people type.
_NOT_TYPED: Final = ("csrfmiddlewaretoken",)


def to_prove(request: HttpRequest, what: May, *, second: bool = False) -> str | None:
    """Return None, or the sentence that says what a person will be asked for before they may do this.

    Who does it as the `second` of two people is asked whatever it is.
    """
    person = request.user
    if not (second or what in NEEDS_PROOF) or not isinstance(person, User):
        return None
    return stale(proof_of(request), person=person, now=timezone.now())


def where_to_prove(request: HttpRequest) -> str | None:
    """Return the address at which whoever asks proves who they are, to come back to this page; None where there is none."""
    person = request.user
    if not isinstance(person, User) or not can_be_asked(person):
        return None
    first = get_adapter(request).get_reauthentication_methods(person)[0]
    return f"{first['url']}?{urlencode({'next': request.path})}"


def prove_first(request: HttpRequest) -> HttpResponse | None:
    """Lead to where a person proves who they are, and keep what they typed until they are back on this page.

    None where they can't prove it here; then nothing is kept.
    """
    address = where_to_prove(request)
    if address is None:
        return None
    typed = request.POST.copy()
    for name in _NOT_TYPED:
        typed.pop(name, None)
    request.session[KEPT] = {"path": request.path, "typed": typed.urlencode()}
    return HttpResponseRedirect(address)


def typed_before(request: HttpRequest) -> QueryDict | None:
    """Return what the person who is back typed on this page before they proved who they are, once; else None."""
    kept = request.session.get(KEPT)
    if request.method != "GET" or not kept or kept["path"] != request.path:
        return None
    del request.session[KEPT]
    messages.info(request, BACK)
    return QueryDict(kept["typed"])

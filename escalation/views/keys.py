"""Keys for programs: what each may do and for whom, and its end. No secret is kept, so none is shown."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access import NotChanged
from escalation.access.keys import end_api_key
from escalation.decisions import NotAllowed
from escalation.policy import May, why_not
from escalation.proof import NotFresh
from escalation.views.people import by, reader
from escalation.views.proving import prove_first, to_prove, where_to_prove
from operations.recording.keys import keys as kept

MOST_SHOWN = 200


def _page(request: HttpRequest, *, refused: str = "", status: int = 200) -> HttpResponse:
    who, now = reader(request), timezone.now()
    shown: dict[str, Any] = {
        "keys": [
            (row, "ended" if row.ended_at else "expired" if row.expires_at <= now else "in force")
            for row in kept(among=who.reads.ids, limit=MOST_SHOWN)
        ],
        "most": MOST_SHOWN,
        "may_not": why_not(who.person, May.ADMINISTER, recipient=None),
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "refused": refused,
        "now": now,
    }
    return render(request, "people/keys.html", shown, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator ends one key."""
    if request.method != "POST":
        return _page(request)
    who = reader(request)
    may_not = why_not(who.person, May.ADMINISTER, recipient=None)
    if may_not is not None:
        return _page(request, refused=may_not, status=403)
    try:
        end_api_key(request.POST.get("key", "").replace("\0", ""), by=by(request))
    except NotAllowed as refused:
        return _page(request, refused=str(refused), status=403)
    except NotFresh as refused:
        return prove_first(request) or _page(request, refused=f"Nothing was ended. {refused}", status=403)
    except NotChanged as refused:
        return _page(request, refused=f"Nothing was ended. {refused}", status=409)
    messages.success(request, "The key is ended: no call with it is answered from now on.")
    return redirect("keys")

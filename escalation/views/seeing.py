"""What whoever asks may read, one operation as they see it, and what they may do about it."""

from datetime import datetime

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from escalation.decisions.places import places_of
from escalation.models import User
from escalation.policy import May, Reads, reads, why_not
from escalation.screens.sight import Sight, look
from operations.reading import NoSuchOperation, Wanted


class NoRole(PermissionDenied):
    """Whoever asks holds no role, so that nothing of this desk is theirs to read; they read why (views/no_role.py)."""


def reading(request: HttpRequest) -> Reads:
    """Which recipients whoever asks may read, the same for all of one request; raises `NoRole` where there is none."""
    kept = vars(request)
    if "reads" not in kept:
        assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
        kept["reads"] = reads(request.user)
    found: Reads = kept["reads"]
    if not found:
        raise NoRole
    return found


def seen_or_404(request: HttpRequest, number: int, *, now: datetime, wanted: Wanted | None = None) -> Sight:
    """The operation with this number, or a page that says there is none: the same where this person may not read it."""
    try:
        return look(number, now=now, reads=reading(request), wanted=wanted)
    except NoSuchOperation:
        raise Http404(f"There is no operation {number}.") from None


def may_not(request: HttpRequest, what: May, sight: Sight) -> str | None:
    """None, or the sentence that says why whoever asks may not do this about this operation.

    What closes another is asked for at both recipients, as its decision will be.
    """
    if not isinstance(request.user, User):
        return "Sign in first."
    for here in places_of(what, sight.operation):
        refused = why_not(request.user, what, recipient=here)
        if refused is not None:
            return refused
    return None

"""One operation as whoever asks sees it, and what they may do about it."""

from datetime import datetime

from django.http import Http404, HttpRequest

from escalation.models import User
from escalation.policy import May, shut_by_rule, why_not
from escalation.screens.sight import Sight, look
from operations.reading import NoSuchOperation


def seen_or_404(number: int, *, now: datetime) -> Sight:
    """The operation with this number, or a page that says there is none."""
    try:
        return look(number, now=now)
    except NoSuchOperation:
        raise Http404(f"There is no operation {number}.") from None


def may_not(request: HttpRequest, what: May, sight: Sight) -> str | None:
    """None, or the sentence that says why whoever asks may not do this about this operation."""
    if not isinstance(request.user, User):
        return "Sign in first."
    here = sight.operation.recipient_id
    return why_not(request.user, what, recipient=here) or shut_by_rule(what, recipient=here)

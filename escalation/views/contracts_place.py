"""The draft of one recipient's contract as the pages about it see it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from escalation.models import ContractDraft, User
from escalation.views.contracts import may_not_edit, recipient_or_404
from operations import versions


def person(request: HttpRequest) -> User:
    """Whoever is signed in."""
    assert isinstance(request.user, User)  # noqa: S101  # strangers got no further than the middleware
    return request.user


def revision(request: HttpRequest) -> int:
    """The revision of the draft that the form was made of; 0 for none."""
    told = request.POST.get("revision", "")
    return int(told) if told.isascii() and told.isdigit() and len(told) < 9 else 0


class Place:
    """The draft that an address names, and what is known of its writing; `draft` is None where there is none."""

    def __init__(self, request: HttpRequest, recipient: str) -> None:
        self.recipient = recipient_or_404(request, recipient)
        self.contract = versions.draft_of(self.recipient.id)
        people = ContractDraft.objects.select_related("begun_by", "edited_by")
        self.draft = None if self.contract is None else people.filter(contract=self.contract).first()
        if self.draft is None:
            self.contract = None
        self.may_not = may_not_edit(request, self.recipient.id)

    def shown(self, **more: Any) -> dict[str, Any]:
        """What every page of a draft is made of."""
        return {
            "recipient": self.recipient,
            "contract": self.contract,
            "draft": self.draft,
            "may_not": self.may_not,
            "now": timezone.now(),
            **more,
        }


def none_being_written(request: HttpRequest, place: Place) -> HttpResponse:
    """Lead to the recipient's versions: there is no draft."""
    messages.info(request, "Nothing is being written for this recipient.")
    return redirect("recipient_contracts", recipient=place.recipient.key)

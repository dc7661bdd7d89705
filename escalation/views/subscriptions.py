"""Programs that are told: read by whoever may know of them, made by administrators."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.forms.subscriptions import SubscriptionForm
from escalation.models.subscription import EventKind
from escalation.outbox.subscribing import make
from escalation.screens import subscriptions as screen
from escalation.views.acting import act, fit, typed
from escalation.views.people import by, reader
from escalation.views.teams import shared


def _list(request: HttpRequest, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    form = forms.get("make") or SubscriptionForm()
    shown = {
        **shared(request),
        "subscriptions": screen.listing(reader(request), now=timezone.now()),
        "refused": refused,
        "form": form,
        "kinds": list(EventKind),
        "chosen": form["events"].value() or [],
    }
    return render(request, "subscriptions/page.html", shown, status=status)


def _make(request: HttpRequest) -> HttpResponse:
    given = fit("make", SubscriptionForm(request.POST)).cleaned_data
    row = make(by(request), **{name: given[name] for name in ("name", "address", "events", "recipients", "key")})
    messages.success(request, f"{row.name} is told from now on. Send a test to see whether it is reached.")
    return redirect("subscription", row.pk)


def _as_typed(found: QueryDict) -> SubscriptionForm:
    return SubscriptionForm(initial={**found.dict(), "events": found.getlist("events")})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def subscriptions(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator has one more program told."""
    shown = partial(_list, request)
    if request.method != "POST":
        return shown(**typed(request, {"make": _as_typed}))
    return act(request, shown, {"make": _make})

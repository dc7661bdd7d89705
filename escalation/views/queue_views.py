"""Views of the queue that somebody keeps under a name, for themselves or for everybody."""

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from escalation.models import SavedView, User
from escalation.queue import Filters
from escalation.screens.menu import NUL, address, filters_of
from escalation.views.seeing import reading

MOST_VIEWS = 50


def saved(person: User) -> list[SavedView]:
    """The views that somebody finds: their own, and those that others share, by name."""
    rows = SavedView.objects.filter(Q(owner=person) | Q(shared=True)).select_related("owner")
    return list(rows.order_by("name", "pk")[: 2 * MOST_VIEWS])


@require_POST
def queue_views(request: HttpRequest) -> HttpResponse:
    """Keep what the address narrows to under a name, or forget a view of one's own; then the queue is shown so."""
    reading(request)
    filters = filters_of(request.GET)
    person = request.user
    assert isinstance(person, User)  # noqa: S101  # strangers got no further than the middleware
    if request.POST.get("act") == "forget":
        said = _forget(person, request.POST.get("view", ""))
    else:
        name = request.POST.get("name", "").replace(NUL, "").strip()[:60]
        said = _keep(person, name, filters, shared="shared" in request.POST)
    messages.info(request, said)
    return redirect(reverse("queue") + address(filters))


def _forget(person: User, view: str) -> str:
    number = int(view) if view.isascii() and view.isdigit() and len(view) < 19 else 0
    gone, _ = SavedView.objects.filter(owner=person, pk=number).delete()
    return "The view is forgotten." if gone else "Nothing was forgotten: there is no such view of yours."


def _keep(person: User, name: str, filters: Filters, *, shared: bool) -> str:
    if not name:
        return "Nothing was kept: give the view a name."
    if filters == Filters():
        return "Nothing was kept: narrow the queue to something first."
    mine = SavedView.objects.filter(owner=person)
    if mine.exclude(name=name).count() >= MOST_VIEWS:
        return f"Nothing was kept: {MOST_VIEWS} views are the most. Forget one first."
    kept = {"query": address(filters), "shared": shared, "saved_at": timezone.now()}
    mine.update_or_create(name=name, defaults=kept, create_defaults={**kept, "owner": person})
    return f"The view “{name}” is kept{', and everybody finds it' if shared else ''}."

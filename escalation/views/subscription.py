"""One program that is told: how it fares and what it was told; changed by administrators."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.forms.subscriptions import KeyForm
from escalation.outbox import subscribing
from escalation.screens import subscriptions as screen
from escalation.views.acting import Act, act, as_typed, fit, number, typed
from escalation.views.people import by, reader
from escalation.views.teams import shared


def _known(request: HttpRequest, pk: int) -> screen.Shown:
    found = screen.one(reader(request), pk, now=timezone.now())
    if found is None:
        raise Http404(f"There is no subscription {pk}.")
    return found


def _before(request: HttpRequest) -> int | None:
    written = request.GET.get("before", "")
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 19 else None


def _page(request: HttpRequest, pk: int, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    found, before = _known(request, pk), _before(request)
    events, following = screen.log(found, reader(request), before=before)
    shown = {
        **shared(request),
        "shown": found,
        "events": events,
        "next": following,
        "before": before,
        "changes": screen.changes(found),
        "refused": refused,
        "key_form": forms.get("key") or KeyForm(),
    }
    return render(request, "subscriptions/subscription.html", shown, status=status)


def _changed(request: HttpRequest, pk: int, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("subscription", pk)


def _pause(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.pause(pk, by=by(request))
    return _changed(request, pk, "Nothing is sent from now on. What comes meanwhile waits, for 48 hours at most.")


def _resume(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.resume(pk, by=by(request))
    return _changed(request, pk, "It goes on: what waits is sent within a few seconds.")


def _end(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.end(pk, by=by(request))
    return _changed(request, pk, "It is ended. What waited is not sent; it stays on record.")


def _key(request: HttpRequest, pk: int) -> HttpResponse:
    name = fit("key", KeyForm(request.POST)).cleaned_data["key"]
    subscribing.add_key(pk, name, by=by(request))
    return _changed(request, pk, f"Each message is signed with {name} as well from now on.")


def _unkey(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.end_key(pk, number(request, "key"), by=by(request))
    return _changed(request, pk, "Messages are signed with that key no more.")


def _test(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.ask_for_test(pk, by=by(request))
    return _changed(request, pk, "A test is sent within a few seconds; what came of it stands in the log then.")


def _again(request: HttpRequest, pk: int) -> HttpResponse:
    subscribing.send_again(pk, number(request, "event"), by=by(request))
    return _changed(request, pk, "It is sent again within a few seconds, under the same id.")


_ACTS: Final[Mapping[str, Callable[[HttpRequest, int], HttpResponse]]] = {
    "pause": _pause,
    "resume": _resume,
    "end": _end,
    "key": _key,
    "unkey": _unkey,
    "test": _test,
    "again": _again,
}


def _of(does: Callable[[HttpRequest, int], HttpResponse], pk: int) -> Act:
    return lambda request: does(request, pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def subscription(request: HttpRequest, subscription: int) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator does one thing, which is written down with who and when."""
    _known(request, subscription)
    shown = partial(_page, request, subscription)
    if request.method != "POST":
        return shown(**typed(request, {"key": as_typed(KeyForm)}))
    return act(request, shown, {word: _of(does, subscription) for word, does in _ACTS.items()})

"""One rota: who is on call now, who is next, and what says so; changed by administrators."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access.rota_forms import DAYS, CoverForm, ShiftForm
from escalation.access.rotas import end_cover, end_rota, end_shift, set_cover, set_shift
from escalation.models import Rota
from escalation.screens import rotas as screen
from escalation.screens.teams import MOST_SHOWN, changes
from escalation.views.acting import Act, act, as_typed, fit, number, typed
from escalation.views.people import by, reader
from escalation.views.teams import shared


def _found(request: HttpRequest, pk: int) -> Rota:
    row = screen.rotas_known(reader(request)).filter(pk=pk).first()
    if row is None:
        raise Http404(f"There is no rota {pk}.")
    return row


def _page(request: HttpRequest, pk: int, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    row, now = _found(request, pk), timezone.now()
    shown = {
        **shared(request),
        "rota": row,
        "shown": screen.shown(row, now=now),
        "calendar": screen.calendar(row, now=now),
        "shifts": screen.shifts(row),
        "covers": screen.covers(row, now=now),
        "changes": changes(reader(request), rota=row),
        "most": MOST_SHOWN,
        "days": list(enumerate(DAYS)),
        "refused": refused,
        "shift_form": forms.get("shift") or ShiftForm(),
        "cover_form": forms.get("cover") or CoverForm(),
    }
    return render(request, "teams/rota.html", shown, status=status)


def _changed(request: HttpRequest, pk: int, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("rota", pk)


def _acts(pk: int) -> dict[str, Act]:
    """What may be done to one rota, by the word that its button sends."""

    def shift(request: HttpRequest) -> HttpResponse:
        set_shift(pk, fit("shift", ShiftForm(request.POST)).shift(), by=by(request))
        return _changed(request, pk, "The shift runs from its first day on.")

    def unshift(request: HttpRequest) -> HttpResponse:
        end_shift(pk, number(request, "shift"), by=by(request))
        return _changed(request, pk, "The shift is ended. It stays on record.")

    def cover(request: HttpRequest) -> HttpResponse:
        set_cover(pk, fit("cover", CoverForm(request.POST)).cover(), by=by(request))
        return _changed(request, pk, "The cover stands in for the shifts at its time.")

    def uncover(request: HttpRequest) -> HttpResponse:
        end_cover(pk, number(request, "cover"), by=by(request))
        return _changed(request, pk, "The cover is ended. It stays on record.")

    def end(request: HttpRequest) -> HttpResponse:
        end_rota(pk, by=by(request))
        return _changed(request, pk, "The rota is ended. It stays on record.")

    return {"shift": shift, "unshift": unshift, "cover": cover, "uncover": uncover, "end": end}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rota(request: HttpRequest, rota: int) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator does one thing, which is written down with who and when."""
    shown = partial(_page, request, rota)
    if request.method != "POST":
        return shown(**typed(request, {"shift": as_typed(ShiftForm), "cover": as_typed(CoverForm)}))
    _found(request, rota)
    return act(request, shown, _acts(rota))

"""Teams and rotas: read by whoever may know of them, made and changed by administrators."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access.rota_forms import RotaForm
from escalation.access.rotas import make_rota
from escalation.access.team_forms import TeamForm
from escalation.access.teams import make_team
from escalation.policy import May
from escalation.screens import rotas as rota_screen
from escalation.screens import teams as screen
from escalation.views.acting import act, as_typed, fit, typed
from escalation.views.people import by, reader
from escalation.views.proving import to_prove, where_to_prove


def shared(request: HttpRequest) -> dict[str, Any]:
    """What every page of teams and rotas shows beside its own."""
    return {
        "administers": reader(request).administers,
        "to_prove": to_prove(request, May.ADMINISTER),
        "where_to_prove": where_to_prove(request),
        "now": timezone.now(),
    }


def _list(request: HttpRequest, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    who, now = reader(request), timezone.now()
    found = screen.teams(who)
    shown = {
        **shared(request),
        "teams": found,
        "lacking": screen.lacking(found),
        "rotas": rota_screen.rotas(who, now=now),
        "refused": refused,
        "team_form": forms.get("team") or TeamForm(),
        "rota_form": forms.get("rota") or RotaForm(),
    }
    return render(request, "teams/page.html", shown, status=status)


def _make_team(request: HttpRequest) -> HttpResponse:
    row = make_team(fit("team", TeamForm(request.POST)).cleaned_data["name"], by=by(request))
    messages.success(request, f"The team {row.name} is made. It has no members, owns nothing and calls nobody yet.")
    return redirect("team", row.pk)


def _make_rota(request: HttpRequest) -> HttpResponse:
    given = fit("rota", RotaForm(request.POST)).cleaned_data
    row = make_rota(given["name"], given["zone"], by=by(request))
    messages.success(request, f"The rota {row.name} is made. Nobody is on call in it yet.")
    return redirect("rota", row.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def teams(request: HttpRequest) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator makes a team or a rota."""
    if request.method != "POST":
        return _list(request, **typed(request, {"team": as_typed(TeamForm), "rota": as_typed(RotaForm)}))
    return act(request, partial(_list, request), {"team": _make_team, "rota": _make_rota})

"""One team: who belongs to it, what it owns and whom its chain calls; changed by administrators."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from escalation.access.addresses import end_team_quiet, set_team_quiet
from escalation.access.chains import end_chain, set_chain
from escalation.access.team_forms import ChainForm, MemberForm, OwnsForm
from escalation.access.teams import add_member, end_team, own, own_no_more, remove_member
from escalation.forms.notices import QuietForm
from escalation.models import QuietHours, Rota, Team
from escalation.models.chain import StepKind
from escalation.screens import teams as screen
from escalation.teams.hearing import unheard
from escalation.views.acting import Act, act, as_typed, fit, number, typed
from escalation.views.notices import ahead
from escalation.views.people import by, reader
from escalation.views.teams import shared


def _page(request: HttpRequest, pk: int, *, refused: str = "", status: int = 200, **forms: Any) -> HttpResponse:
    who, now = reader(request), timezone.now()
    found = screen.team(who, pk)
    if found is None:
        raise Http404(f"There is no team {pk}.")
    shown = {
        **shared(request),
        "shown": found,
        "team": found.row,
        "effects": screen.effects(found, who),
        "unheard": () if found.row.ended_at else unheard([one.row for one in found.steps], now=now, teams=[found.row]),
        "hours": QuietHours.objects.filter(team=found.row, ended_at=None).select_related("made_by").first(),
        "sets_quiet": who.administers and not found.row.ended_at,
        **ahead(),
        "changes": screen.changes(who, team=found.row),
        "most": screen.MOST_SHOWN,
        "refused": refused,
        "kinds": list(StepKind),
        "rota_names": Rota.objects.filter(ended_at=None).order_by("name") if who.administers else (),
        "team_names": Team.objects.filter(ended_at=None).order_by("name") if who.administers else (),
        "member_form": forms.get("member") or MemberForm(),
        "owns_form": forms.get("owns") or OwnsForm(),
        "quiet_form": forms.get("quiet") or QuietForm(),
        "chain_form": forms.get("chain") or ChainForm(steps=[one.row for one in found.steps]),
    }
    return render(request, "teams/team.html", shown, status=status)


def _changed(request: HttpRequest, pk: int, sentence: str) -> HttpResponse:
    messages.success(request, sentence)
    return redirect("team", pk)


def _add(request: HttpRequest, pk: int) -> HttpResponse:
    person = fit("member", MemberForm(request.POST)).cleaned_data["person"]
    row = add_member(pk, person, by=by(request))
    return _changed(request, pk, f"{person.username} belongs to {row.name} from now on.")


def _remove(request: HttpRequest, pk: int) -> HttpResponse:
    remove_member(pk, number(request, "member"), by=by(request))
    return _changed(request, pk, "They belong to it no more. It stays on record.")


def _owns(request: HttpRequest, pk: int) -> HttpResponse:
    owning = fit("owns", OwnsForm(request.POST)).cleaned_data["owning"]
    row = own(pk, owning, by=by(request))
    return _changed(request, pk, f"{row.name} owns {owning} from now on.")


def _disown(request: HttpRequest, pk: int) -> HttpResponse:
    own_no_more(pk, number(request, "owned"), by=by(request))
    return _changed(request, pk, "It owns that no more. It stays on record.")


def _chain(request: HttpRequest, pk: int) -> HttpResponse:
    set_chain(pk, fit("chain", ChainForm(request.POST)).steps(), by=by(request))
    return _changed(request, pk, "The chain is in force. What is under way begins a new round at its next call.")


def _unchain(request: HttpRequest, pk: int) -> HttpResponse:
    end_chain(pk, by=by(request))
    return _changed(request, pk, "The chain is ended. It stays on record.")


def _quiet(request: HttpRequest, pk: int) -> HttpResponse:
    given = fit("quiet", QuietForm(request.POST)).cleaned_data
    set_team_quiet(pk, zone=given["zone"], begins=given["begins"], ends=given["ends"], by=by(request))
    return _changed(request, pk, "Its quiet hours hold from now on.")


def _no_quiet(request: HttpRequest, pk: int) -> HttpResponse:
    end_team_quiet(pk, by=by(request))
    return _changed(request, pk, "It has no quiet hours any more.")


def _end(request: HttpRequest, pk: int) -> HttpResponse:
    end_team(pk, by=by(request))
    return _changed(request, pk, "The team is ended. It stays on record.")


_ACTS: Final[Mapping[str, Callable[[HttpRequest, int], HttpResponse]]] = {
    "member": _add,
    "remove": _remove,
    "owns": _owns,
    "disown": _disown,
    "chain": _chain,
    "unchain": _unchain,
    "quiet": _quiet,
    "no_quiet": _no_quiet,
    "end": _end,
}


def _of(does: Callable[[HttpRequest, int], HttpResponse], pk: int) -> Act:
    return lambda request: does(request, pk)


def _chain_as_typed(found: QueryDict) -> ChainForm:
    return ChainForm(found)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: HttpRequest, team: int) -> HttpResponse:
    """Looking changes nothing; a POST of an administrator does one thing, which is written down with who and when."""
    shown = partial(_page, request, team)
    if request.method != "POST":
        kinds = {
            "member": as_typed(MemberForm),
            "owns": as_typed(OwnsForm),
            "quiet": as_typed(QuietForm),
            "chain": _chain_as_typed,
        }
        return shown(**typed(request, kinds))
    if screen.team(reader(request), team) is None:
        raise Http404(f"There is no team {team}.")
    return act(request, shown, {word: _of(does, team) for word, does in _ACTS.items()})

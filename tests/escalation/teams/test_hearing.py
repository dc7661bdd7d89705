"""Who is called and hears nothing of it is named before they are called."""

from datetime import time

import pytest

from escalation.access.chains import Step, set_chain
from escalation.access.rotas import NewShift, make_rota, set_shift
from escalation.access.teams import Owning, own
from escalation.models import ChainStep, NoticeAddress
from escalation.models.notice_address import Way
from escalation.policy import Role
from escalation.screens.chains import chain_of
from escalation.teams.hearing import unheard
from tests.escalation.building import T0
from tests.escalation.notify.chains import CALLED, address, ann, called_for, team
from tests.escalation.people import by, viewer, with_role

pytestmark = pytest.mark.django_db
NOT_CONFIRMED = "Not confirmed, so that nothing is sent there: an address of"
NO_ADDRESS = "Called, and told nowhere but on this desk's pages, for want of an address:"


def chain(*whom, of=None) -> list[ChainStep]:
    """The steps of a chain that calls these."""
    admin = by(with_role("root", Role.ADMINISTRATOR), at=T0)
    made = of or team("Owning")
    set_chain(made.pk, [Step(whom=one, wait=60) for one in whom], by=admin)
    own(made.pk, Owning(), by=admin)
    return list(ChainStep.objects.order_by("position"))


def test_whom_no_address_is_known_of_is_named_and_so_is_a_webhook_that_is_none():
    assert unheard(chain(ann(), "OPS_ROOM"), now=T0) == (f"{NO_ADDRESS} ann, the webhook OPS_ROOM.",)


def test_whose_address_is_not_confirmed_is_named_though_another_address_of_theirs_is():
    person = ann()
    address(person)
    address(person, "new@desk.example", confirmed=False)
    assert unheard(chain(person), now=T0) == (f"{NOT_CONFIRMED} ann.",)


def test_of_a_team_its_own_address_and_everybody_active_in_it_counts():
    one, two, three, gone = ann(), ann("ben"), ann("cleo"), ann("dan")
    gone.is_active = False
    gone.save()
    cedar = team("Cedar", one, two, three, gone)
    address(one, confirmed=False)
    address(two)
    address(cedar, "room@desk.example", confirmed=False)
    said = (f"{NOT_CONFIRMED} ann, the team Cedar.", f"{NO_ADDRESS} cleo.")
    assert unheard([], now=T0, teams=[cedar]) == unheard(chain(cedar), now=T0) == said


def test_of_a_rota_whoever_is_on_call_now_counts():
    person = ann()
    admin = by(with_role("boss", Role.ADMINISTRATOR), at=T0)
    rota = make_rota("Nights", "UTC", by=admin)
    week = NewShift(
        name="Week", days=range(7), begins=time(9), ends=time(9), first_day=T0.date(), weeks=1, people=[person]
    )
    set_shift(rota.pk, week, by=admin)
    assert unheard(chain(rota), now=CALLED) == (f"{NO_ADDRESS} ann.",)


def test_nobody_is_named_who_is_told_at_every_address():
    person = ann()
    address(person)
    address(None, "OPS_ROOM", way=Way.WEBHOOK)
    address(person, "old@desk.example", confirmed=False)
    NoticeAddress.objects.filter(to="old@desk.example").update(ended_at=T0, ended_by=person)
    assert unheard(chain(person, "OPS_ROOM"), now=T0) == ()


def test_a_case_names_whom_of_its_chain_nothing_reaches_and_a_closed_one_nobody():
    case = called_for()
    person = ann()
    address(person, confirmed=False)
    chain(person, team("Cedar", viewer("vic")))  # who may not look after it is not called for it
    assert chain_of(case, case.operation, now=CALLED).unheard == (f"{NOT_CONFIRMED} ann.",)
    case.closed_at = CALLED
    assert chain_of(case, case.operation, now=CALLED).unheard == ()

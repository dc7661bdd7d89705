"""Whose an operation is: the recipient's team, else the effect's, else the fallback; a team without a chain loses nothing."""

import pytest

from escalation.models import TeamOwns
from escalation.teams.owning import effect_of, owned
from operations import versions
from tests.escalation.building import T0, contract_of, operation
from tests.escalation.teams.made import chain, setter, team

pytestmark = pytest.mark.django_db


def test_without_any_team_nobody_owns_it():
    found = owned(operation().row)
    assert (found.team, found.chain) == (None, None)


def test_a_team_that_owns_another_recipient_or_effect_does_not_own_it():
    team("Other", owns=contract_of(key="other", name="Other").recipient)
    team("Payments", owns="payment")
    assert owned(operation().row).team is None


def test_the_recipients_team_comes_before_the_effects_and_that_before_the_rests():
    row = operation().row
    rest = team("Rest", owns="")
    assert owned(row).team == rest
    effects = team("Tickets", owns=effect_of(row))
    assert owned(row).team == effects
    recipients = team("Desk", owns=row.recipient)
    assert owned(row).team == recipients


def test_what_a_team_owned_once_is_not_its_any_more():
    row = operation().row
    team("Desk", owns=row.recipient)
    TeamOwns.objects.update(ended_at=T0, ended_by=setter())
    assert owned(row).team is None


def test_where_the_owner_has_no_chain_the_next_that_would_own_it_is_called():
    row = operation().row
    desk, rest = team("Desk", owns=row.recipient), team("Rest", owns="")
    assert owned(row).chain is None
    called = chain(rest, ("pager", 5))
    assert (owned(row).team, owned(row).chain) == (desk, called)
    own = chain(desk, ("other", 5))
    assert owned(row).chain == own


def test_recipients_are_found_by_what_their_contract_calls_its_effect():
    recipient, word = contract_of().recipient, effect_of(operation().row)
    assert versions.with_effect(word, limit=9) == [recipient]
    assert versions.with_effect(word[:-1], limit=9) == []
    assert versions.with_effect(word, among=[], limit=9) == []

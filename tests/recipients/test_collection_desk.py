"""The collection desk shows every behaviour of the terms it is on."""

import inspect

import pytest

from tests.recipients import behaviours
from tests.recipients.behaviours import Behaviour, applicable
from tests.recipients.collection_desk.terms import Terms
from tests.recipients.desk_recipient import capabilities_of
from tests.recipients.fixtures import desk_recipient_on

TERMS = {
    "keeps everything": Terms(),
    "forgets after an hour": Terms(keeps_for=3600),
    "refuses after an hour": Terms(keeps_for=3600, after="refused"),
    "keeps successes": Terms(covers="success_only"),
    "fences nothing": Terms(concurrent_use="unprotected"),
    "compares nothing": Terms(changed_arguments="replayed"),
    "keeps no keys": Terms(mechanism="none"),
}
CASES = [
    pytest.param(terms, show, id=f"{name}: {show.__name__}")
    for name, terms in TERMS.items()
    for show in applicable(capabilities_of(terms))
]


@pytest.mark.parametrize(("terms", "show"), CASES)
def test_the_desk_shows(terms: Terms, show: Behaviour):
    with desk_recipient_on(terms) as recipient:
        show(recipient)


def test_every_behaviour_is_shown_on_some_terms():
    shown = {show for terms in TERMS.values() for show in applicable(capabilities_of(terms))}
    assert shown == {listed.show for listed in behaviours.ALL}


def test_every_behaviour_is_listed():
    written = {one for _, one in inspect.getmembers(behaviours, inspect.isfunction) if _takes_a_recipient(one)}
    assert written == {listed.show for listed in behaviours.ALL}


def _takes_a_recipient(function: Behaviour) -> bool:
    return list(inspect.signature(function).parameters) == ["recipient"]

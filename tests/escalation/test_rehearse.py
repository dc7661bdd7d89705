"""`manage.py rehearse`."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from escalation.models import Rehearsal
from escalation.rehearsing.result import CLEAN, FAILED_BREAKING, STATEMENT
from operations.contracts.loading import library_text
from operations.recording.publishing import publish
from tests.escalation.building import T0, contract_of

pytestmark = pytest.mark.django_db


def said(*words: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("rehearse", *words, stdout=out)
    return out.getvalue()


def test_a_contract_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="no such contract: nobody"):
        said("nobody")


@pytest.mark.parametrize("term", ["keeps=5", "keeps_for=a while", "after"])
def test_a_term_that_the_desk_does_not_have_is_named(term):
    contract_of()
    with pytest.raises(CommandError, match="The desk can't be told that"):
        said("collection-desk", "--desk", term)


def test_what_goes_wrong_on_another_desk_is_said_and_not_kept():
    contract_of()
    out = StringIO()
    with pytest.raises(CommandError, match=FAILED_BREAKING):
        call_command("rehearse", "collection-desk", "--desk", "concurrent_use=unprotected", stdout=out)
    assert "No answer: What was sent is still under way" in out.getvalue()
    assert "2 counted, 1 foretold at most" in out.getvalue()
    assert "Not kept" in out.getvalue()
    assert not Rehearsal.objects.exists()


def test_what_no_rule_of_the_contract_reads_is_said():
    facts = "in: [timeout, reset, closed, truncated]"
    renamed = library_text("collection-desk").replace(facts, "in: [gave_up]").replace("fact: timeout", "fact: gave_up")
    publish("renamed", name="Renamed", text=renamed, now=T0)
    assert "No rule of this contract reads it: wire: timeout." in said("renamed", "--desk", "keeps_for=86400")


def test_the_version_is_the_contracts():
    contract_of()
    text = said("collection-desk", "--version", "1")
    assert STATEMENT in text
    assert CLEAN in text
    assert "Kept as rehearsal 1 of collection-desk, version 1." in text
    assert Rehearsal.objects.get().ran_by is None

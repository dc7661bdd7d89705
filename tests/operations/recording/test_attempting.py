"""A further attempt begins only where the core permits a repeat at that moment."""

import pytest

from operations import models
from operations.core.actions import Action
from operations.core.permitted import Kind
from operations.recording import NotPermitted, begin, seal
from tests.operations.rows import BY, intent, later, observed, registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def operation_id():
    return registered().operation_id


def refused(operation_id, *, at, scope="desk/main"):
    with pytest.raises(NotPermitted) as raised:
        begin(operation_id, intent("a2", at=at, scope=scope), now=later(at), by=BY)
    assert models.Attempt.objects.count() == 1
    assert raised.value.action is Action.REPEAT
    return raised.value.refusal


def test_an_open_record_begins_no_further_attempt(operation_id):
    assert refused(operation_id, at=100).kind is Kind.HARM


def test_another_scope_begins_no_further_attempt(operation_id):
    seal(operation_id, now=later(5), by=BY)
    assert "scope_differs" not in refused(operation_id, at=100, scope="desk/other").rule
    assert refused(operation_id, at=100, scope="desk/other").kind is Kind.HARM


def test_a_repeat_too_soon_says_until_when(operation_id):
    seal(operation_id, now=later(1), by=BY)
    found = refused(operation_id, at=3)
    assert (found.kind, found.until) == (Kind.MANNERS, later(5).timestamp())


def test_a_repeat_after_the_window_is_refused_for_harm(operation_id):
    seal(operation_id, now=later(5), by=BY)
    assert refused(operation_id, at=86_400).witness[0].attempt == "a1"


def test_a_settled_operation_begins_no_further_attempt(operation_id):
    observed(operation_id, "applied", effect_refs=("T-1",))
    assert refused(operation_id, at=100).kind is Kind.SETTLED


def test_a_protected_repeat_is_recorded_before_it_is_sent(operation_id):
    seal(operation_id, now=later(5), by=BY)
    begun = begin(operation_id, intent("a2", at=100), now=later(100), by=BY)
    assert (begun.number, begun.attempt, begun.recorded_at) == (2, "a2", later(100))


def test_the_same_attempt_again_is_the_same_attempt(operation_id):
    seal(operation_id, now=later(5), by=BY)
    begun = begin(operation_id, intent("a2", at=100), now=later(100), by=BY)
    assert begin(operation_id, intent("a2", at=101), now=later(101), by=BY) == begun
    assert models.Attempt.objects.count() == 2

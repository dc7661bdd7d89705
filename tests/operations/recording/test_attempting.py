"""A further attempt begins only where the core permits a repeat at that moment."""

from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction

from operations import models
from operations.core.actions import Action
from operations.core.permitted import Kind
from operations.recording import NotPermitted, begin, seal
from operations.recording.granting import GrantRefused, Unusable
from tests.operations.granted import granted
from tests.operations.rows import BY, intent, later, observed, registered, request

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


def not_begun(operation_id, grant, why, *, at=100, attempt="a2", **more):
    before = models.Attempt.objects.count()
    with pytest.raises(GrantRefused) as raised:
        begin(operation_id, intent(attempt, at=at), now=later(at), by=BY, grant=grant, **more)
    assert raised.value.why is why
    assert models.Attempt.objects.count() == before


@pytest.fixture
def sealed(operation_id):
    seal(operation_id, now=later(5), by=BY)
    return operation_id


def test_a_sealed_record_begins_no_further_attempt_without_a_grant(sealed):
    not_begun(sealed, None, Unusable.MISSING)


def test_a_grant_that_was_never_given_begins_nothing(sealed):
    not_begun(sealed, uuid4(), Unusable.UNKNOWN)


def test_a_grant_of_another_operation_begins_nothing(sealed):
    other = registered(request("order-2", parcel="Elm")).operation_id
    seal(other, now=later(5), by=BY)
    not_begun(sealed, granted(other, now=later(90)), Unusable.UNKNOWN)


def test_a_grant_for_other_bytes_begins_nothing(sealed):
    not_begun(sealed, granted(sealed, now=later(90)), Unusable.OTHER_BYTES, digest="0" * 64)


def test_a_grant_for_another_scope_begins_nothing(sealed):
    grant = granted(sealed, now=later(90))
    with pytest.raises(GrantRefused) as raised:
        begin(sealed, intent("a2", at=100, scope="desk/other"), now=later(100), by=BY, grant=grant)
    assert raised.value.why is Unusable.OTHER_SCOPE


def test_a_grant_that_ended_begins_nothing(sealed):
    not_begun(sealed, granted(sealed, now=later(90), lasts=10), Unusable.ENDED)


def test_a_grant_that_was_replaced_begins_nothing(sealed):
    first = granted(sealed, now=later(90))
    second = granted(sealed, now=later(91))
    not_begun(sealed, first, Unusable.SUPERSEDED)
    assert begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=second).number == 2


def test_a_used_grant_begins_no_second_attempt(sealed):
    grant = granted(sealed, now=later(90))
    begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=grant)
    not_begun(sealed, grant, Unusable.USED, at=200, attempt="a3")


def test_a_grant_is_no_leave_where_the_core_refuses_meanwhile(sealed):
    grant = granted(sealed, now=later(90))
    observed(sealed, "applied", effect_refs=("T-1",), at=95)
    with pytest.raises(NotPermitted):
        begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=grant)
    assert not models.GrantUse.objects.exists()


def test_a_protected_repeat_is_recorded_before_it_is_sent(sealed):
    grant = granted(sealed, now=later(90))
    begun = begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=grant)
    assert (begun.number, begun.attempt, begun.recorded_at) == (2, "a2", later(100))
    used = models.GrantUse.objects.get()
    assert (used.grant_id, used.attempt_id, used.used_by) == (grant, begun.id, BY)


def test_the_same_attempt_again_is_the_same_attempt(sealed):
    grant = granted(sealed, now=later(90))
    begun = begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=grant)
    assert begin(sealed, intent("a2", at=101), now=later(101), by=BY, grant=grant) == begun
    assert models.Attempt.objects.count() == 2


@pytest.mark.parametrize("kind", [models.Grant, models.GrantUse])
@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_grant_and_its_use_can_not_be_changed_or_removed(sealed, kind, change):
    begin(sealed, intent("a2", at=100), now=later(100), by=BY, grant=granted(sealed, now=later(90)))
    rows = kind.objects.all()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(position=1) if change == "update" else rows.delete()

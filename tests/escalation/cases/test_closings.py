"""What only closes another has no case of its own: the other is what a person looks after."""

from datetime import timedelta

import pytest

from escalation.models import Case
from escalation.policy import Role
from operations.recording import calling
from tests.escalation.closings import decided, may_close, now
from tests.escalation.people import with_role
from tests.operations.dispatching import KEY, lost
from tests.recipients.fixtures import collection_desk

__all__ = ["collection_desk"]
pytestmark = pytest.mark.django_db


def test_a_closing_of_unknown_outcome_opens_none_and_its_original_has_one(collection_desk, monkeypatch):
    may_close(collection_desk, monkeypatch)
    collection_desk.control.tell(handling="accept")
    collection_desk.public.ask_for_ticket(KEY, parcel="Cedar")
    original = lost()
    closing = decided(original, with_role("mira", Role.OPERATOR), executor="agent").closing_id
    calling.call(now=now() + timedelta(days=3), most=10)
    assert [case.operation_id for case in Case.objects.all()] == [original]
    assert closing != original

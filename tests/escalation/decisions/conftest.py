"""What the tests of both doors that send begin with."""

import pytest

from escalation.policy import Role
from tests.escalation.closings import may_close
from tests.escalation.people import with_role
from tests.operations.dispatching import KEY, lost


@pytest.fixture
def desk(collection_desk, monkeypatch):
    """The recipient, which this desk may send to and which documents a closing request."""
    may_close(collection_desk, monkeypatch)
    return collection_desk


@pytest.fixture
def made(desk):
    """An operation whose request the desk accepted for later and whose answer nobody has."""
    desk.control.tell(handling="accept")
    desk.public.ask_for_ticket(KEY, parcel="Cedar")
    return lost()


@pytest.fixture
def mira():
    """Somebody who may have requests repeated and operations closed."""
    return with_role("mira", Role.OPERATOR)

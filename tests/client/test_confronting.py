"""What ended for now may be open again: a new proposal beside it is seen each time it is made."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from tests.client.parcels import NOWHERE
from tests.operations.granted import granted
from unresolved import Next
from unresolved.confronting import Confronting

pytestmark = pytest.mark.django_db


def test_what_was_not_sent_is_open_once_it_was_sent_and_nobody_knows(parcels, desk):
    confronting = Confronting(recorder=parcels.recorder)
    origin, parcels.origin, parcels.ago = parcels.origin, NOWHERE, 10.0
    found = parcels.issue()
    assert found.next is Next.NOT_SENT
    assert confronting.open_beside(parcels.call("order-2", place="West")) is None
    parcels.origin, parcels.ago = origin, 0.0
    granted(UUID(found.operation), now=datetime.now(UTC), lasts=600.0)
    desk.control.tell(key="order-1001", reply="lost")
    assert parcels.issue().next is Next.HELD
    beside = confronting.open_beside(parcels.call("order-2", place="West"))
    assert beside is not None
    assert beside.identity == "order-1001"

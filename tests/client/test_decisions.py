"""What people decided comes back as words that an agent can act on, and a repeat leaves only with a grant that holds."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from operations import models, recording
from operations.core.actions import Action
from operations.core.facts import Correlation
from operations.core.missing import Fact
from tests.client.parcels import TICKETS, tickets
from tests.operations.granted import granted
from tests.operations.rows import binding, request
from unresolved import BodyField, Contract, Mode, Next, NotAuthorised, Recorder, Sent, carry_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def lost(parcels, desk):
    """The id of an operation whose reply was lost."""
    parcels.ago = 10.0
    desk.control.tell(key="order-1001", reply="lost")
    found = parcels.issue()
    parcels.ago = 0.0
    return UUID(found.operation)


def passages(desk, order="order-1001"):
    """How many requests the recipient saw."""
    return len(desk.control.truth(order)["passages"])


def grant(operation, lasts=600.0):
    return granted(operation, now=datetime.now(UTC), lasts=lasts)


def test_a_granted_repeat_leaves_once(parcels, desk, lost):
    grant(lost)
    assert parcels.collect().next is Next.REPEAT_GRANTED
    assert passages(desk) == 1  # to ask is not to send
    found = parcels.issue()
    assert (found.next, found.sent, found.evidence) == (Next.APPLIED, Sent.YES, "applied")
    assert parcels.issue().next is Next.APPLIED
    assert (passages(desk), tickets(desk)) == (2, 1)


def test_the_desk_checks_the_grant_again_when_the_attempt_begins(parcels, desk, lost):
    grant(lost)
    parcels.door.remembers = parcels.door.grant(str(lost))
    grant(lost)  # a newer one supersedes it
    found = parcels.issue()
    assert (found.next, found.sent) == (Next.REFUSED, Sent.NO)
    assert found.reason.startswith("grant_superseded")
    assert passages(desk) == 1


def test_a_grant_is_for_these_bytes(parcels, desk, lost):
    grant(lost)
    found = parcels.issue(place="West")
    assert (found.next, found.sent) == (Next.REFUSED, Sent.NO)
    assert found.reason.startswith("new_proposal")
    assert passages(desk) == 1


@pytest.mark.parametrize("mode", list(Mode))
def test_a_lost_word_on_the_grant_sends_nothing(parcels, desk, lost, mode):
    grant(lost)
    parcels.recorder = Recorder(journal=parcels.journal, desk=parcels.door, mode=mode)
    parcels.door.remembers = parcels.door.grant(str(lost))
    parcels.door.loses = 1
    found = parcels.issue()
    assert (found.next, found.sent, passages(desk)) == (Next.NOT_SENT, Sent.NO, 1)
    parcels.recorder.ship()
    assert models.Attempt.objects.count() == 2  # the desk had begun it, and learns that it never left
    assert models.Observation.objects.filter(fact="not_sent").count() == 1


def test_left_unresolved_is_neither_success_nor_failure(parcels, desk, lost):
    now = datetime.now(UTC)
    with recording.writing(lost, now=now) as pen:
        content = {
            "fact": Fact.WHETHER_IT_HAPPENED.value,
            "told": "Ada",
            "look_again_at": (now + timedelta(hours=1)).isoformat(),
            "remark": "",
        }
        recording.decide(
            pen,
            Action.LEAVE_UNRESOLVED,
            door="leave_unresolved",
            once=uuid4(),
            revision=pen.operation.revision,
            content=content,
            by="mira",
        )
        pen.finish()
    found = parcels.issue()
    assert (found.next, found.evidence) == (Next.LEFT_UNRESOLVED, "unknown")
    assert found.look_again_at is not None
    assert passages(desk) == 1


def closed(operation):
    """The recipient closed it, which the desk has read."""
    now = datetime.now(UTC)
    told = recording.Report(event="closing", channel="record", received_at=now, authentic=True, asked_at=now)
    said = recording.Claimed(
        rule="closed",
        reaches="effect",
        because="The ledger says closed.",
        says="closed",
        as_of=now,
        correlation=Correlation.OPERATION,
        authentic=True,
    )
    recording.observe(operation, told, claimed=said, now=now, source="the desk")


def superseded(operation, identity="order-1002", **more):
    """A person authorised another operation in its place; returns the new one's id."""
    now = datetime.now(UTC)
    with recording.writing(operation, now=now) as pen:
        decision = recording.decide(
            pen,
            Action.PROPOSE_NEW,
            door="new_operation",
            once=uuid4(),
            revision=pen.operation.revision,
            content={},
            by="lena",
        )
        asked = request(identity, parcel="Cedar", scope="desk/one", arguments=None, **more)
        new = recording.succeed(
            pen, decision, binding=binding(asked), grant_ends_at=now + timedelta(minutes=15), by="lena"
        )
        recording.name_successor(pen, decision, successor=new, by="lena")
        pen.finish()
    return new


def test_closed_is_not_sent_again(parcels, desk, lost):
    closed(lost)
    found = parcels.issue()
    assert (found.next, found.evidence, found.finality) == (Next.CLOSED, "not_applied", "excluded")
    assert passages(desk) == 1


def test_superseded_names_the_operation_that_carries_the_intent(parcels, desk, lost):
    closed(lost)
    new = superseded(lost)
    found = parcels.issue()
    assert found.next is Next.SUPERSEDED
    assert found.successor == {"operation": str(new.id), "number": new.number, "identity": "order-1002"}
    assert (passages(desk), passages(desk, "order-1002")) == (1, 0)


def test_what_was_authorised_is_carried_out_once(parcels, desk, lost):
    closed(lost)
    new = str(superseded(lost).id)
    found = carry_out(parcels.recorder, new, contract=TICKETS, sender=parcels.sender)
    assert (found.next, found.identity, found.sent) == (Next.APPLIED, "order-1002", Sent.YES)
    again = carry_out(parcels.recorder, new, contract=TICKETS, sender=parcels.sender)
    assert again.next is Next.APPLIED
    assert (passages(desk, "order-1002"), tickets(desk, "order-1002")) == (1, 1)


def test_without_its_grant_what_is_authorised_is_not_carried_out(parcels, desk, lost):
    found = carry_out(parcels.recorder, str(lost), contract=TICKETS, sender=parcels.sender)
    assert (found.next, passages(desk)) == (Next.HELD, 1)


@pytest.mark.parametrize(
    "other",
    [
        Contract(recipient="desk", carrier=TICKETS.carrier, scope="desk/two"),
        Contract(recipient="shop", carrier=TICKETS.carrier, scope="desk/one"),
        Contract(recipient="desk", carrier=BodyField("request_id"), scope="desk/one"),
    ],
)
def test_what_would_go_elsewhere_or_unprotected_is_not_carried_out(parcels, desk, lost, other):
    closed(lost)
    new = str(superseded(lost).id)
    with pytest.raises(NotAuthorised):
        carry_out(parcels.recorder, new, contract=other, sender=parcels.sender)
    assert passages(desk, "order-1002") == 0

"""Leaving an outcome unresolved: refusals first, then what is written and how long it stands."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from escalation.decisions import NotAllowed, StaleView
from escalation.decisions.leave_unresolved import NotLater, NotMissing, leave_unresolved
from escalation.decisions.taking import Taker
from escalation.models import LeftUnresolved, User
from escalation.policy import Role
from operations import decided, models, reading, recording
from operations.contracts.loading import library_text
from operations.core.facts import Sends
from operations.core.missing import Fact
from operations.decided import Moved
from tests.escalation.building import HOUR, T0, Made, contract_of, operation
from tests.escalation.people import with_role
from tests.operations.granted import granted

pytestmark = pytest.mark.django_db
NOW = T0 + HOUR
MINUTE = timedelta(minutes=1)
TOMORROW = NOW + 24 * HOUR


@pytest.fixture
def mira():
    """Somebody who reviews."""
    return with_role("mira", Role.REVIEWER)


@pytest.fixture
def lost():
    """An operation whose reply was lost."""
    made = operation()
    made.timed_out(now=T0 + MINUTE)
    return made


def left(
    made: Made,
    person: User,
    *,
    revision: int | None = None,
    once: UUID | None = None,
    now: datetime = NOW,
    **other: Any,
) -> LeftUnresolved:
    seen = made.row.revision if revision is None else revision
    taker = Taker(person=person, revision=seen, once=once or uuid4(), now=now)
    typed = {"fact": Fact.WHETHER_IT_HAPPENED, "told": "Ada at the desk", "look_again_at": TOMORROW, "remark": ""}
    return leave_unresolved(made.id, taker, **{**typed, **other})


def stands(made: Made, *, at: datetime = NOW + MINUTE) -> tuple[bool, tuple[Moved, ...]]:
    read = reading.operation(made.id)
    found = decided.left(read, now=at)
    assert found is not None
    return found.stands, found.since


def nothing_was_written() -> bool:
    return not any(model.objects.exists() for model in (LeftUnresolved, models.Decision))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.RISK_OWNER, Role.CONTRACT_EDITOR, Role.ADMINISTRATOR])
def test_without_the_permission_nothing_is_written(lost, role):
    with pytest.raises(NotAllowed, match="but not stop here and leave this recipient's outcomes unresolved"):
        left(lost, with_role("reader", role))
    assert nothing_was_written()


def test_what_changed_since_it_was_seen_is_not_decided_on(lost, mira):
    seen = lost.row.revision
    lost.failed(now=T0 + 2 * MINUTE)
    with pytest.raises(StaleView):
        left(lost, mira, revision=seen)
    assert nothing_was_written()


def test_what_happened_is_not_left_unresolved(lost, mira):
    lost.issued("T-1", now=T0 + 2 * MINUTE)
    with pytest.raises(recording.NotPermitted, match="The outcome is established"):
        left(lost, mira)
    assert nothing_was_written()


def test_what_was_closed_is_not_left_unresolved(lost, mira):
    lost.recorded("closed", now=T0 + 2 * MINUTE)
    with pytest.raises(recording.NotPermitted, match="The outcome is established"):
        left(lost, mira)
    assert nothing_was_written()


def test_a_fact_that_is_not_missing_can_not_be_named(lost, mira):
    with pytest.raises(NotMissing):
        left(lost, mira, fact=Fact.WHICH_STATEMENT_HOLDS)
    assert nothing_was_written()


@pytest.mark.parametrize("at", [NOW, NOW - HOUR])
def test_a_time_that_is_not_to_come_wakes_nobody(lost, mira, at):
    with pytest.raises(NotLater):
        left(lost, mira, look_again_at=at)
    assert nothing_was_written()


def test_somebody_has_to_be_told_by_the_database_too(lost, mira):
    with pytest.raises(IntegrityError, match="tells_somebody"), transaction.atomic():
        left(lost, mira, told="")
    assert nothing_was_written()


def test_the_decision_keeps_what_it_stood_on(lost, mira):
    seen = lost.row.revision
    row = left(lost, mira, remark="Called at noon.")
    assert (row.fact, row.told, row.look_again_at) == ("whether_it_happened", "Ada at the desk", TOMORROW)
    assert (row.evidence, row.finality, row.conflict) == ("unknown", "unestablished", "")
    assert (row.decided_by, row.decided_at, row.remark) == (mira, NOW, "Called at noon.")
    assert (row.decision.door, row.decision.revision) == ("leave_unresolved", seen)
    assert row.decision.content == {
        "fact": "whether_it_happened",
        "told": "Ada at the desk",
        "look_again_at": TOMORROW.astimezone(UTC).isoformat(),
        "remark": "Called at noon.",
    }


def test_it_changes_no_fact(lost, mira):
    before = lost.row
    left(lost, mira)
    after = lost.row
    for name in ("evidence", "finality", "protection", "situation", "conflict", "missing"):
        assert getattr(after, name) == getattr(before, name)
    assert after.revision > before.revision
    assert not models.Completion.objects.exists()


def test_a_contradiction_can_be_left(lost, mira):
    lost.issued("T-1", now=T0 + 2 * MINUTE)
    lost.recorded("closed", now=T0 + 3 * MINUTE)
    row = left(lost, mira, fact=Fact.WHICH_STATEMENT_HOLDS)
    assert row.conflict == "applied_and_closed"
    assert stands(lost) == (True, ())


def test_a_form_that_is_sent_twice_decides_once(lost, mira):
    seen, once = lost.row.revision, uuid4()
    first = left(lost, mira, revision=seen, once=once)
    assert left(lost, mira, revision=seen, once=once) == first
    assert LeftUnresolved.objects.count() == models.Decision.objects.count() == 1


def test_a_form_that_is_sent_again_after_its_time_still_decides_nothing_new(lost, mira):
    seen, once = lost.row.revision, uuid4()
    first = left(lost, mira, revision=seen, once=once)
    assert left(lost, mira, revision=seen, once=once, now=TOMORROW + HOUR) == first


def test_a_second_person_who_saw_the_same_is_told_that_it_changed(lost, mira):
    seen = lost.row.revision
    left(lost, mira, revision=seen)
    with pytest.raises(StaleView):
        left(lost, with_role("noor", Role.REVIEWER), revision=seen)
    assert LeftUnresolved.objects.count() == 1


def test_leaving_again_replaces_the_time(lost, mira):
    left(lost, mira)
    left(lost, with_role("noor", Role.REVIEWER), look_again_at=NOW + 3 * HOUR)
    assert stands(lost, at=NOW + 2 * HOUR) == (True, ())
    assert stands(lost, at=NOW + 4 * HOUR) == (False, ())
    read = reading.operation(lost.id)
    first, second = decided.leavings(read, now=NOW)
    assert (first.stands, first.since) == (False, (Moved.LEFT_AGAIN,))
    assert second.decision.decided_by == "noor"


def test_it_stands_until_its_time_and_not_at_it(lost, mira):
    left(lost, mira)
    assert stands(lost, at=TOMORROW - MINUTE) == (True, ())
    assert stands(lost, at=TOMORROW) == (False, ())


@pytest.mark.parametrize(
    ("learns", "moved"),
    [
        (lambda made, at: made.issued("T-1", now=at), (Moved.EVIDENCE, Moved.FINALITY)),
        (lambda made, at: made.recorded("closed", now=at), (Moved.EVIDENCE, Moved.FINALITY)),
        (lambda made, at: made.recorded("pending", now=at), (Moved.EVIDENCE, Moved.FINALITY)),
    ],
    ids=["it happened", "it was closed", "it is under way"],
)
def test_evidence_that_counts_supersedes_it(lost, mira, learns, moved):
    left(lost, mira)
    learns(lost, NOW + MINUTE)
    assert stands(lost, at=NOW + 2 * MINUTE) == (False, moved)


def test_a_contradiction_of_what_was_known_supersedes_it(mira):
    made = operation()
    made.recorded("pending", now=T0 + MINUTE)
    left(made, mira)
    made.issued("T-1", now=NOW + MINUTE)
    made.recorded("closed", now=NOW + 2 * MINUTE)
    assert Moved.CONFLICT in stands(made, at=NOW + 3 * MINUTE)[1]


def test_what_settles_nothing_leaves_it_as_it_is(lost, mira):
    left(lost, mira)
    lost.failed(now=NOW + MINUTE)
    lost.learns("words", now=NOW + MINUTE, words="It surely worked.", by="key:agent")
    assert stands(lost, at=NOW + 2 * MINUTE) == (True, ())


def test_a_request_that_is_sent_again_supersedes_it(lost, mira):
    left(lost, mira)
    intent = recording.Intent(attempt="a2", sends=Sends.ONE, scope="desk-east", begun_at=NOW + MINUTE)
    grant = granted(lost.id, now=NOW + MINUTE)
    recording.begin(lost.id, intent=intent, now=NOW + MINUTE, by="key:transport", grant=grant)
    assert stands(lost, at=NOW + 2 * MINUTE) == (False, (Moved.ATTEMPT,))


@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_decision_can_not_be_changed_or_removed(lost, mira, change):
    left(lost, mira)
    rows = LeftUnresolved.objects.all()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(remark="x") if change == "update" else rows.delete()


def test_time_alone_moves_nothing_though_a_report_grows_stale(mira):
    text = re.sub(r"pending_fresh_for: \{is: [0-9.]+", "pending_fresh_for: {is: 7200", library_text("collection-desk"))
    made = operation(contract=contract_of(text))
    made.recorded("pending", now=T0 + MINUTE)
    left(made, mira)
    stale = reading.operation(made.id).standing(now=T0 + 3 * HOUR)
    assert stale.evidence == "unknown"
    assert stands(made, at=T0 + 3 * HOUR) == (True, ())

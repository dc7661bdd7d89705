"""What migrations fill in for rows that were there before them is what the desk writes of such rows itself.

The desk writes rows; the app's last migrations are undone, which drops what they fill in; done again, they fill it in anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import pytest
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor

from escalation.cases import minding, owing
from escalation.cases.minding import Minder
from escalation.grants import grant
from escalation.models import Case, NoticeAddress, Owing, ReasonHeld, Searched, User, Waiting
from escalation.models.case import CaseReason
from escalation.models.notice_address import Way
from operations import recording
from operations.contracts.loading import library_text
from operations.core.conflicts import ConflictKind
from operations.recording import calling
from tests.escalation.building import FRONT_COUNTER, HOUR, T0, Made, contract_of, operation
from tests.escalation.contradictions import contradict
from tests.escalation.notify.chains import address, ann

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.owner]
BEFORE: Final = ("escalation", "0020_notices")
MINUTE: Final = timedelta(minutes=1)
LATE: Final = T0 + 2 * HOUR
# All that the desk writes of a row that waits, but for since when: that was not on record.
_WRITTEN: Final = [
    one.attname for one in Waiting._meta.concrete_fields if one.name != "waits_from"
]  # public in all but name


@contextmanager
def undone() -> Iterator[None]:
    """The app's tables as they were before its last migrations; done again afterwards, whatever happens."""
    executor = MigrationExecutor(connection)
    newest = executor.loader.graph.leaf_nodes()
    executor.migrate([BEFORE])
    try:
        yield
    finally:
        MigrationExecutor(connection).migrate(newest)
        grant(using=DEFAULT_DB_ALIAS)


def lost(identity: str, **more: Any) -> Made:
    """One whose reply was lost."""
    made = operation(identity, **more)
    made.timed_out(now=T0 + MINUTE)
    return made


def rows() -> list[Made]:
    """Operations that wait for every reason that there was, and two that wait for none."""
    other = contract_of(library_text("collection-desk").replace("word: ", "word: other "), key="other", name="Other")
    plain, seen, away = lost("plain", parcel="Ångström"), lost("seen", deadline=T0 + 3 * HOUR), lost("away")
    ours, settled, theirs = lost("ours"), lost("settled", origin=FRONT_COUNTER), lost("theirs", contract=other)
    wrong = operation("wrong")
    contradict(wrong, ConflictKind.APPLIED_AND_CLOSED)
    ours.issued("T-1", now=T0 + 2 * MINUTE)
    settled.issued("T-2", now=T0 + 2 * MINUTE)
    with recording.writing(ours.id, now=T0 + 3 * MINUTE) as pen:
        recording.complete(pen, receipt=ours.row.observations.get(channel="reply").id, by="mira")
        pen.finish()
    calling.call(now=T0 + HOUR, most=100)
    mira = ann("mira")
    for act, made, more in (
        (minding.take, seen, {}),
        (minding.note, seen, {"text": "Called the desk."}),
        (minding.put_off, away, {"until": T0 + 5 * HOUR, "note": "Later."}),
    ):
        case = Case.objects.get(operation=made.id, closed_at=None)
        act(made.id, Minder(person=mira, seen=case.revision, now=T0 + HOUR), **more)
    return [plain, seen, away, ours, settled, theirs, wrong]


def kept() -> dict[str, dict[Any, Any]]:
    """What the desk holds beside the operations, by operation."""
    return {
        "waiting": {one["operation_id"]: one for one in Waiting.objects.values(*_WRITTEN)},
        "words": dict(Searched.objects.values_list("operation", "words")),
    }


def confirmed() -> dict[str, tuple[Any, ...] | None]:
    """Addresses, and when and by whom they were confirmed (None: not)."""
    rows = {one.to: getattr(one, "confirmation", None) for one in NoticeAddress.objects.select_related("confirmation")}
    return {to: None if found is None else (found.at, found.by) for to, found in rows.items()}


def test_what_migrations_fill_in_of_rows_that_were_there_is_what_the_desk_writes_of_them_itself():
    plain, seen, away, ours, settled, theirs, wrong = rows()
    here, gone = address(ann()), address(ann("ben"))
    address(ann("cleo"), "ROOM", way=Way.SLACK)
    NoticeAddress.objects.filter(pk=gone.pk).update(ended_at=LATE, ended_by=gone.person)
    written, owed = kept(), set(Owing.objects.values_list("operation", flat=True))
    with undone():
        assert not {"escalation_waiting", "escalation_owing"} & set(connection.introspection.table_names())
    filled = kept()
    assert filled == written
    # That the two are alike says something: of each kind of row there is one, and of one there is none.
    waiting = filled["waiting"]
    assert set(waiting) == {one.id for one in (plain, seen, away, settled, theirs, wrong)}
    assert [waiting[one.id]["situation"] for one in (plain, settled, wrong)] == ["unknown", "happened", "contradiction"]
    assert [waiting[one.id]["reasons"] for one in (plain, wrong)] == [["unknown_too_long"], ["conflict"]]
    assert [waiting[one.id]["effect"] for one in (plain, theirs)] == ["collection ticket", "other collection ticket"]
    assert (waiting[seen.id]["owner_id"], waiting[away.id]["left_until"]) == (
        User.objects.get(username="mira").pk,
        T0 + 5 * HOUR,
    )
    assert "Ångström" in filled["words"][plain.id]
    assert "Called the desk." in filled["words"][seen.id]
    assert ours.id not in filled["words"]
    # What may be owed to an agent is looked at with the first sweep, which calls for what is.
    assert set(Owing.objects.values_list("operation", flat=True)) == owed == {ours.id, settled.id}
    owing.call(now=LATE, most=10)
    held = ReasonHeld.objects.filter(reason=CaseReason.RESULT_OWED, ended_at=None)
    assert set(held.values_list("case__operation", flat=True)) == owed
    # Mail addresses that are in use stay so, and nobody is said to have confirmed them.
    assert confirmed() == {here.to: (here.made_at, None), gone.to: None, "ROOM": None}

"""`manage.py verify_audit` and `export_checkpoint`: what they say, and how they end."""

import io
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import time_machine
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from escalation.decisions.leave_unresolved import leave_unresolved
from escalation.decisions.record_repair import repair_record
from escalation.decisions.taking import Taker
from escalation.env import database_is_given
from escalation.policy import Role
from escalation.tasks import export_checkpoint
from operations.core.missing import Fact
from operations.models import Checkpoint
from tests.escalation.building import HOUR, T0, operation
from tests.escalation.decisions.risks import accepted, owner
from tests.escalation.decisions.two_people import proposed, repairs, signing
from tests.escalation.people import with_role
from tests.operations.auditing.superuser import as_superuser, execute

MINUTE = timedelta(minutes=1)
NOW = T0 + 3 * HOUR
pytestmark = pytest.mark.django_db


def decided():
    """One operation that was left, and one whose record was repaired."""
    person = with_role("mira", Role.REVIEWER)
    lost = operation("order-2002", parcel="Birch")
    lost.timed_out(now=T0 + MINUTE)
    taker = Taker(person=person, revision=lost.row.revision, once=uuid4(), now=T0 + HOUR)
    leave_unresolved(
        lost.id,
        taker,
        fact=Fact.WHETHER_IT_HAPPENED,
        told="Ada Brandt",
        look_again_at=T0 + 24 * HOUR,
        remark="Called at noon.",
    )
    done = operation("order-1001")
    done.issued("T-1001", now=T0 + MINUTE)
    taker = Taker(person=person, revision=done.row.revision, once=uuid4(), now=T0 + HOUR)
    repair_record(done.id, taker, receipt=done.row.observations.get().id, remark="Compared.")
    return lost, done


def ran(*arguments: str):
    """The command's exit and what it said."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_audit", *arguments, stdout=out, stderr=err)
    return ended.value.code, out.getvalue() + err.getvalue()


def exported(folder: Path, *, now=NOW) -> str:
    with time_machine.travel(now, tick=False):
        call_command("export_checkpoint", "--to", str(folder), stdout=io.StringIO())
    return str(folder / Checkpoint.objects.order_by("-sequence")[0].name)


def test_without_a_folder_nothing_is_exported():
    with pytest.raises(CommandError, match="Name a folder"):
        call_command("export_checkpoint")
    assert not Checkpoint.objects.exists()


def test_a_folder_that_is_not_there_leaves_no_row(tmp_path):
    with pytest.raises(CommandError, match=r"Nothing was exported\. .*No such file or directory"):
        call_command("export_checkpoint", "--to", str(tmp_path / "nowhere"))
    assert not Checkpoint.objects.exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-20],
        lambda text: text.replace(b" 1 ", b" 2 ", 1) if b" 1 " in text else text[1:],
        lambda _: b"",
        lambda _: b"\xff\xfe nonsense",
        lambda text: text + text,
        lambda text: b"".join(text.splitlines(keepends=True)[:-1]),
    ],
)
def test_a_checkpoint_that_is_not_whole_can_not_be_read(tmp_path, spoil):
    decided()
    path = Path(exported(tmp_path))
    path.chmod(0o644)
    path.write_bytes(spoil(path.read_bytes()))
    code, said = ran("--checkpoint", str(path))
    assert (code, "can't be verified" in said) == (2, True)


def test_a_checkpoint_that_is_not_there_can_not_be_read(tmp_path):
    assert ran("--checkpoint", str(tmp_path / "none"))[0] == 2


def test_the_app_role_can_not_change_a_checkpoint(tmp_path):
    exported(tmp_path)
    for statement in ("UPDATE operations_checkpoint SET name = 'x'", "DELETE FROM operations_checkpoint"):
        with pytest.raises(DatabaseError), transaction.atomic():
            execute(statement)


def test_a_clean_record_without_a_checkpoint_says_what_could_not_be_seen():
    decided()
    code, said = ran()
    assert code == 0
    assert re.search(r"2 operations, 13 links, \d+ other rows: nothing is wrong\.", said)
    assert "No checkpoint was given: a removed end, or a chain written anew, could not be seen." in said


def test_a_clean_record_says_what_the_newest_checkpoint_does_not_cover(tmp_path):
    decided()
    first = exported(tmp_path)
    assert "All of it is covered by checkpoint 1 of 2026-11-30 15:00 UTC." in ran("--checkpoint", first)[1]
    with time_machine.travel(NOW + HOUR, tick=False):
        later_one = operation("order-3003", now=NOW + HOUR, parcel="Ash")
    second = exported(tmp_path, now=NOW + 2 * HOUR)
    later_one.timed_out(now=NOW + 3 * HOUR)
    assert re.search(r"3 operations, 18 links, \d+ other rows: nothing is wrong\.", ran()[1])
    assert (
        "Not covered by checkpoint 1 of 2026-11-30 15:00 UTC: 5 links, 1 operation whole, "
        in ran("--checkpoint", first)[1]
    )
    code, said = ran("--checkpoint", first, second)
    assert (code, "2 links, 0 operations whole, " in said) == (0, True)


def test_no_checkpoint_is_ever_written_over(tmp_path):
    first = Path(exported(tmp_path))
    kept = first.read_bytes()
    second = Path(exported(tmp_path))
    assert first != second
    assert first.read_bytes() == kept
    assert not first.stat().st_mode & 0o222


@pytest.mark.django_db(transaction=True)
def test_of_two_exports_at_once_one_is_refused_and_leaves_no_file(tmp_path):
    together = threading.Barrier(2)

    def exports() -> bool:
        together.wait(10)
        try:
            call_command("export_checkpoint", "--to", str(tmp_path), stdout=io.StringIO())
        except CommandError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(2) as pool:
        done = [one.result(30) for one in [pool.submit(exports) for _ in range(2)]]
    rows = list(Checkpoint.objects.order_by("sequence").values_list("sequence", flat=True))
    assert rows == list(range(1, sum(done) + 1))
    assert len(os.listdir(tmp_path)) == sum(done)  # noqa: PTH208


def test_each_checkpoint_names_the_one_before(tmp_path):
    first, second = exported(tmp_path), exported(tmp_path, now=NOW + HOUR)
    one, two = Checkpoint.objects.order_by("sequence")
    assert (one.previous, bytes(two.previous or b"")) == (None, bytes(one.digest))
    assert ran("--checkpoint", first, "--checkpoint", second)[0] == 0


def test_the_task_exports_once_a_day(tmp_path, settings):
    settings.CHECKPOINTS = str(tmp_path)
    for now in (NOW, NOW + HOUR, NOW + 24 * HOUR):
        with time_machine.travel(now, tick=False):
            export_checkpoint()
    assert [row.taken_at for row in Checkpoint.objects.order_by("sequence")] == [NOW, NOW + 24 * HOUR]
    assert len(os.listdir(tmp_path)) == 2  # noqa: PTH208


def test_without_a_folder_the_task_says_so(caplog):
    assert settings.CHECKPOINTS == ""
    export_checkpoint()
    assert "UNRESOLVED_CHECKPOINTS names no folder" in caplog.text
    assert not Checkpoint.objects.exists()


@pytest.fixture
def tampered(transactional_db):
    """The test is the superuser."""
    if database_is_given():
        pytest.skip("the superuser of a given database is not the tests' to be")
    with as_superuser():
        yield


DOORS = [
    ("UPDATE escalation_leftunresolved SET told = 'Somebody else'", "differs from its decision in told"),
    ("UPDATE escalation_leftunresolved SET remark = ''", "differs from its decision in remark"),
    (
        "UPDATE escalation_leftunresolved SET look_again_at = '2040-01-01Z'",
        "differs from its decision in look_again_at",
    ),
    ("UPDATE escalation_leftunresolved SET evidence = 'pending'", "differs from its decision in evidence"),
    ("UPDATE escalation_leftunresolved SET decided_at = now()", "differs from its decision in decided_at"),
    ("DELETE FROM escalation_leftunresolved", "removed. Only its decision is left."),
    ("UPDATE escalation_recordrepair SET remark = 'Not compared.'", "differs from its decision in remark"),
    ("UPDATE escalation_recordrepair SET standing = '{}'", "differs from its decision in standing"),
    ("UPDATE escalation_recordrepair SET revision = 99", "inserted. The chain has no such decision."),
    ("DELETE FROM escalation_recordrepair", "removed. Only its decision is left."),
]


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("statement", "says"), DOORS)
def test_a_doors_row_that_says_something_else_than_its_decision_is_found(tampered, statement, says):
    decided()
    assert ran()[0] == 0
    assert execute(statement) == 1
    code, said = ran()
    assert (code, says in said) == (1, True), said


RISKS = [
    ("UPDATE escalation_businessexception SET exposure_amount = 1", "differs from its decision in exposure_amount"),
    ("UPDATE escalation_businessexception SET bearer = 'Nobody'", "differs from its decision in bearer"),
    (
        "UPDATE escalation_businessexception SET approved_at = approved_at + interval '1 second'",
        "otherwise of who approved it, and when",
    ),
    ("UPDATE escalation_businessexception SET remark = 'Fine.'", "differs from its judgement in remark"),
    (
        "UPDATE escalation_businessexception SET judgement_id = NULL, approved_by_id = NULL, approved_at = NULL",
        "removed. Only its decision is left.",
    ),
    ("DELETE FROM escalation_businessexception", "removed. Only its decision is left."),
]


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("statement", "says"), RISKS)
def test_a_risk_that_says_something_else_than_was_decided_is_found(tampered, statement, says):
    lost = operation("order-2002", parcel="Birch")
    lost.timed_out(now=T0 + MINUTE)
    accepted(lost, with_role("mira", Role.REVIEWER), owner())
    assert ran()[0] == 0
    assert execute(statement) == 1
    code, said = ran()
    assert (code, says in said) == (1, True), said


SIGNED = [
    ("UPDATE escalation_secondsignature SET content = '{}'", "The chain names another proposal"),
    ("UPDATE escalation_secondsignature SET typed = '{}'", "The chain names another proposal"),
    ("UPDATE escalation_secondsignature SET proposed_at = now()", "The chain names another proposal"),
    ("UPDATE escalation_secondsignature SET lapses_at = '2040-01-01Z'", "The chain names another proposal"),
    (
        "UPDATE escalation_secondsignature SET proposed_by_id = (SELECT id FROM escalation_user WHERE username = 'vera')",
        "The chain names another proposal",
    ),
    (
        "UPDATE escalation_secondsignature SET ended_by_id = (SELECT id FROM escalation_user WHERE username = 'vera')",
        "otherwise of who signed it, and when",
    ),
    (
        "UPDATE escalation_secondsignature SET ended_as = 'declined', reason = 'No.', signature_id = NULL",
        "removed. Only its decision is left.",
    ),
    ("DELETE FROM escalation_secondsignature", "removed. Only its decision is left."),
]


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("statement", "says"), SIGNED)
def test_a_proposal_that_says_something_else_than_was_signed_is_found(tampered, statement, says):
    with_role("vera", Role.VIEWER)
    done = operation("order-1001")
    done.issued("T-1001", now=T0 + MINUTE)
    row = proposed(done, with_role("asha", Role.REVIEWER), repairs(done))
    repairs(done)(signing(done, with_role("ben", Role.REVIEWER), row))
    assert ran()[0] == 0
    assert execute(statement) == 1
    code, said = ran()
    assert (code, says in said) == (1, True), said


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
def test_a_doors_row_in_somebody_elses_name_is_found(tampered):
    decided()
    other = with_role("somebody", Role.REVIEWER)
    execute("UPDATE escalation_leftunresolved SET decided_by_id = %s", [other.pk])
    assert "differs from its decision in decided_by" in ran()[1]


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
def test_a_fault_is_said_with_operation_position_and_kind(tampered):
    _, done = decided()
    execute("UPDATE operations_decision SET decided_by = 'x' WHERE operation_id = %s", [done.id])
    code, said = ran()
    assert code == 1
    assert f"operation {done.number}, position 5, decision: changed." in said


@pytest.mark.owner
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM operations_checkpoint WHERE sequence = 2", "Checkpoint 2: the desk has no row of it"),
        ("DELETE FROM operations_checkpoint WHERE sequence = 1", "Checkpoint 1: its row is gone."),
        ("UPDATE operations_checkpoint SET digest = '\\x00' WHERE sequence = 2", "names another file"),
        ("UPDATE operations_checkpoint SET previous = '\\x00' WHERE sequence = 2", "does not follow from that"),
    ],
)
def test_a_changed_row_of_a_checkpoint_is_found(tampered, tmp_path, statement, says):
    exported(tmp_path)
    second = exported(tmp_path, now=NOW + HOUR)
    assert ran("--checkpoint", second)[0] == 0
    execute(statement)
    code, said = ran("--checkpoint", second)
    assert (code, says in said) == (1, True), said

"""The journal is on disk before it returns, is only added to, and tells what it doesn't understand from what it holds."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.client.nowhere import asked, tickets_contract
from tests.client.processes import ROOT
from unresolved import Call, Journal, JournalUnwritable, Sends, telling
from unresolved.kept import Begun, Delivered, Mark, OtherProposal, Taken


def begun(journal: Journal, *, identity: str = "one", place: str = "East", after: int = 0) -> Begun:
    """One attempt."""
    call = Call(tool="issue", contract=tickets_contract(), identity=identity, request=asked(place=place))
    bound, attempt = call.meant().bound, telling.new_id("a")
    event = telling.register(bound, attempt=attempt, sends=Sends.ONE, origin={}, authorised_by="", at=1.0)
    return journal.begin(bound, tool="issue", attempt=attempt, sends=Sends.ONE, event=event, at=1.0, after=after)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "ops.db")
    yield opened
    opened.close()


def test_another_request_under_the_identity_is_not_recorded(journal):
    begun(journal)
    with pytest.raises(OtherProposal):
        begun(journal, place="West", after=1)
    assert len(journal.attempts(1)) == 1


@pytest.mark.parametrize("after", [0, 2])
def test_who_did_not_see_the_last_attempt_has_lost(journal, after):
    begun(journal)
    with pytest.raises(Taken):
        begun(journal, after=after)
    assert len(journal.attempts(1)) == 1


def test_the_file_itself_refuses_a_second_attempt_of_a_number(journal, tmp_path):
    begun(journal)
    with (
        closing(sqlite3.connect(tmp_path / "ops.db")) as connection,
        pytest.raises(sqlite3.IntegrityError, match="UNIQUE"),
    ):
        connection.execute(
            "INSERT INTO attempts (operation, number, id, sends, host, process, at) VALUES (1, 1, 'b', 'one', 'h', 1, 1)"
        )


@pytest.mark.parametrize("table", ["operations", "attempts", "marks", "events", "deliveries"])
@pytest.mark.parametrize("statement", ["DELETE FROM {0}", "UPDATE {0} SET at = 0"])
def test_nothing_is_changed_or_taken_back(journal, tmp_path, table, statement):
    one = begun(journal)
    journal.mark(one, Mark(mark="asked"), at=2.0, delivered=Delivered(event=1, came_to="recorded"))
    with (
        closing(sqlite3.connect(tmp_path / "ops.db")) as connection,
        pytest.raises(sqlite3.IntegrityError, match="only added"),
    ):
        connection.execute(statement.format(table))


def test_every_commit_waits_for_the_disk(journal):
    with journal.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_what_is_recorded_is_in_the_file_when_the_call_returns(journal, tmp_path):
    one = begun(journal)
    with closing(sqlite3.connect(tmp_path / "ops.db")) as other:
        assert other.execute("SELECT id FROM attempts").fetchall() == [(one.id,)]


def test_a_journal_of_a_later_version_is_left_alone(tmp_path):
    with closing(sqlite3.connect(tmp_path / "ops.db")) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalUnwritable, match="another version"):
        begun(Journal(tmp_path / "ops.db"))


def begin_many(journal: Journal, number: int) -> None:
    for order in range(number):
        begun(journal, identity=f"order-{order}")


def test_a_full_disk_records_nothing_of_a_call(journal):
    begun(journal)
    with journal.reading() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalUnwritable, match="full"):
        begin_many(journal, 2000)
    with journal.reading() as connection:
        operations, attempts, events = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("operations", "attempts", "events")
        )
    assert operations == attempts == events


def test_it_opens_again_after_it_was_closed(journal):
    one = begun(journal)
    journal.close()
    assert journal.attempt(one.id) == one


def test_it_is_readable_by_its_owner_alone(journal, tmp_path):
    begun(journal)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_what_ends_between_the_writing_and_the_commit_keeps_nobody_from_writing(journal):
    begun(journal)
    with journal.reading() as connection:
        once = [1]
        with pytest.raises(JournalUnwritable, match="interrupted"), journal.writing():
            connection.set_progress_handler(lambda: once.pop() if once else 0, 1)
        assert not connection.in_transaction
    begun(journal, identity="two")


def test_a_file_that_somebody_has_open_just_then_is_waited_for(tmp_path):
    with closing(sqlite3.connect(tmp_path / "ops.db", isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE other (a)")
        other.execute("DROP TABLE other")
        other.execute("BEGIN")
        other.execute("SELECT * FROM sqlite_master").fetchall()
        later = threading.Timer(0.1, other.rollback)
        later.start()
        begun(Journal(tmp_path / "ops.db"))
        later.join()


FORKS = """
import os, sys
from tests.client.test_journal import begun
from unresolved import Journal
journal, theirs, ours = Journal(sys.argv[1]), os.pipe(), os.pipe()
begun(journal, identity="parent")
child = os.fork()
if not child:
    begun(journal, identity="before")
    os.write(theirs[1], b"x")
    os.read(ours[0], 1)
    begun(journal, identity="after")
    os._exit(0)
os.read(theirs[0], 1)
journal.close()
os.write(ours[1], b"x")
os.waitpid(child, 0)
"""


def test_what_a_forked_child_records_is_in_the_file_when_its_parent_let_go_of_it(tmp_path):
    path = tmp_path / "ops.db"
    env = {"PYTHONPATH": f"{ROOT}:{ROOT / 'client'}"}
    subprocess.run([sys.executable, "-c", FORKS, path], cwd=ROOT, env=env, check=True, timeout=60)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT identity FROM operations ORDER BY key").fetchall()
    assert [one for [one] in found] == ["parent", "before", "after"]

"""The journal is on disk before it returns, is only added to, and tells what it doesn't understand from what it holds."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.client.nowhere import asked, tickets_contract
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

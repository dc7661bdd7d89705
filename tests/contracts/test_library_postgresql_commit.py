"""What a real PostgreSQL says of its own transactions is read as what it did."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection

from operations.core.facts import Claim, Correlation
from operations.core.standing import Evidence
from tests.contracts.library_readings import Case, named

ASKED = """SELECT %(xid)s::text AS xid, pg_xact_status(%(xid)s::xid8) AS status,
                  system_identifier::text, timeline_id FROM pg_control_system(), pg_control_checkpoint()"""


@pytest.fixture
def writer(transactional_db: None) -> Iterator[psycopg.Connection[Any]]:
    """A second connection to the tests' database, in a transaction of its own."""
    connection.ensure_connection()
    parameters = connection.get_connection_params()
    with psycopg.connect(
        **{name: parameters[name] for name in ("dbname", "user", "password", "host", "port") if name in parameters}
    ) as own:
        yield own


def begun(writer: psycopg.Connection[Any]) -> str:
    """Begin a transaction and return the id that it will be known by."""
    found = writer.execute("SELECT pg_current_xact_id()::text").fetchone()
    assert found is not None
    return str(found[0])


def asked(xid: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute(ASKED, {"xid": xid})
        names = [column.name for column in cursor.description]
        return dict(zip(names, cursor.fetchone(), strict=True))


def as_the_specimen(row: dict[str, Any]) -> dict[str, Any]:
    """Return what the cluster said, as if it spoke of the specimen's transaction."""
    sent = named("postgresql-commit").specimen.arguments
    assert isinstance(sent, dict)
    return {**sent, "status": row["status"]}


def test_a_transaction_too_old_to_be_remembered_is_not_taken_for_aborted(writer):
    case = Case("postgresql-commit")
    case.send()
    row = asked("3")  # the cluster's first, forgotten since it was made
    assert row["status"] is None
    reading = case.learn("status", json_body=as_the_specimen(row))
    assert (reading.says, reading.rule) == (Claim.INDETERMINATE, "status_is_forgotten")
    assert case.standing().evidence is Evidence.UNKNOWN


def test_an_open_transaction_is_pending(writer):
    case = Case("postgresql-commit")
    case.send()
    assert case.learn("status", json_body=as_the_specimen(asked(begun(writer)))).says is Claim.PENDING
    assert "propose_new" not in case.may()


def test_a_transaction_that_was_rolled_back_can_be_proposed_anew(writer):
    xid = begun(writer)
    writer.rollback()
    case = Case("postgresql-commit")
    case.send()
    assert case.learn("status", json_body=as_the_specimen(asked(xid))).says is Claim.CLOSED
    assert case.standing().evidence is Evidence.NOT_APPLIED
    assert "propose_new" in case.may()


def test_a_transaction_that_was_committed_while_its_answer_was_lost_is_recorded(writer):
    xid = begun(writer)
    case = Case("postgresql-commit")
    case.send()
    case.learn("wire", fact="reset")
    writer.commit()
    assert case.standing().evidence is Evidence.UNKNOWN
    assert case.learn("status", json_body=as_the_specimen(asked(xid))).says is Claim.APPLIED
    assert case.may() == {"record"}


def test_another_cluster_or_timeline_speaks_of_another_transaction(writer):
    xid = begun(writer)
    writer.commit()
    row = as_the_specimen(asked(xid))
    for changed in ({"timeline_id": 2}, {"system_identifier": "7000000000000000001"}, {"xid": "815"}):
        assert Case("postgresql-commit").learn("status", json_body=row | changed).correlation is Correlation.MISMATCH


def test_the_answer_to_a_commit_is_its_command_tag(writer):
    begun(writer)
    tag = writer.execute("COMMIT").statusmessage
    assert tag is not None
    case = Case("postgresql-commit")
    case.send()
    assert case.learn("reply", body=tag.encode()).says is Claim.APPLIED


def test_the_commit_of_a_failed_transaction_is_answered_by_another_tag(writer):
    begun(writer)
    with pytest.raises(psycopg.Error):
        writer.execute("SELECT 1 / 0")
    tag = writer.execute("COMMIT").statusmessage
    assert tag is not None
    case = Case("postgresql-commit")
    case.send()
    assert case.learn("reply", body=tag.encode()).says is Claim.ATTEMPT_REFUSED
    assert "record" not in case.may()

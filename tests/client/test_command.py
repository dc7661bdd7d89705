"""What a journal holds is told by a command, too, for the process that is no longer there to tell it."""

import json
from pathlib import Path

import pytest

from tests.client.counted import Counted
from tests.client.nowhere import asked, tickets_contract
from unresolved import Call, Desk, Journal, Recorder, Reply
from unresolved.__main__ import main

NOWHERE = "http://127.0.0.1:9"  # nobody listens there
REGISTERED = {"status": 201, "body": {"operation": "op", "attempt": {"id": "a", "recorded": True}}}
DONE = {"status": 201, "body": {"operation": "op"}}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """The file of one that holds a call which was answered while the desk was away."""
    kept = Journal(tmp_path / "ops.db")
    call = Call(tool="issue", contract=tickets_contract(), identity="one", request=asked())
    with Recorder(journal=kept, desk=Desk(url=NOWHERE, key="unr_none")).attempt(call) as under:
        under.attempt.reply = Reply(status=201)
    kept.close()
    return tmp_path / "ops.db"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNRESOLVED_KEY", "unr_none")


def test_without_a_key_nothing_is_told(server: Counted, journal: Path, capsys):
    assert main(["ship", str(journal), "--desk", server.url]) == 2
    assert (server.arrived, "UNRESOLVED_KEY" in capsys.readouterr().err) == ([], True)


def test_a_file_that_is_not_there_is_not_made(server: Counted, key, tmp_path: Path):
    assert main(["ship", str(tmp_path / "other.db"), "--desk", server.url]) == 2
    assert not (tmp_path / "other.db").exists()


def test_a_file_that_is_no_journal_is_said_to_be_none(server: Counted, key, tmp_path: Path, capsys):
    (tmp_path / "list").write_text("the shopping list\n" * 100)
    assert main(["ship", str(tmp_path / "list"), "--desk", server.url]) == 2
    assert "not a database" in capsys.readouterr().err


def test_while_the_desk_is_away_everything_waits(journal: Path, key, capsys):
    assert main(["ship", str(journal), "--desk", NOWHERE]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["waiting"], told["recorded"]) == (3, 0)
    assert "did not answer" in told["unreachable"]


def test_what_waits_is_told_and_then_nothing_waits(server: Counted, journal: Path, monkeypatch, tmp_path, capsys):
    (tmp_path / "key").write_text("unr_file\n")
    monkeypatch.setenv("UNRESOLVED_KEY_FILE", str(tmp_path / "key"))
    server.bodies = [json.dumps({"results": [REGISTERED]}).encode(), json.dumps({"results": [DONE, DONE]}).encode()]
    assert main(["ship", str(journal), "--desk", server.url]) == 0
    assert json.loads(capsys.readouterr().out) == {"recorded": 3, "refused": 0, "waiting": 0, "unreachable": None}
    assert server.kept("Authorization") == ["Bearer unr_file"] * 2
    kinds = [[item["kind"] for item in json.loads(one.body)["items"]] for one in server.arrived]
    assert kinds == [["register"], ["reply", "seal"]]

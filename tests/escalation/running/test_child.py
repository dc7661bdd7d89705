"""Processes that a desk starts are on record, get the environment that is meant for them, and end with their session."""

import json
import signal
import sys
from pathlib import Path

import psutil
import pytest

from escalation.running import child
from escalation.running.child import Command
from escalation.running.supervisor import python_command
from tests.escalation.running.desks import until

SHOW_ENVIRONMENT = "import os, json; print(json.dumps(dict(os.environ)))"
WITH_A_CHILD = (
    "import subprocess, time, sys;"
    "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid, flush=True); time.sleep(60)"
)


@pytest.fixture
def start(tmp_path):
    started = []

    def begin(*words: str, **more) -> child.Child:
        command = Command(name="it", words=[sys.executable, "-c", *words], **more)
        started.append(child.start(command, run_folder=tmp_path, log_folder=tmp_path))
        return started[-1]

    yield begin
    for one in started:
        child.forget(one, run_folder=tmp_path)


def first_line(path: Path) -> str:
    assert until(lambda: "\n" in path.read_text())
    return path.read_text().splitlines()[0]


def test_a_process_that_serves_is_not_given_the_owner_s_address(monkeypatch, start, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://chief:hidden-word@db.example/claims")
    monkeypatch.setenv("DATABASE_APP_URL", "postgresql://server:its-own@db.example/claims")
    command = python_command("web", "-m", "granian")
    start(SHOW_ENVIRONMENT, env=command.env, without=command.without)
    environment = json.loads(first_line(tmp_path / "it.log"))
    assert "hidden-word" not in str(environment)
    assert environment["DATABASE_APP_URL"] == "postgresql://server:its-own@db.example/claims"


def test_a_migration_is_given_the_owner_s_address(monkeypatch, start, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://chief:hidden-word@db.example/claims")
    command = python_command("migrate", "manage.py", "migrate", role="owner")
    start(SHOW_ENVIRONMENT, env=command.env, without=command.without)
    environment = json.loads(first_line(tmp_path / "it.log"))
    assert environment["DATABASE_URL"] == "postgresql://chief:hidden-word@db.example/claims"
    assert environment["UNRESOLVED_ROLE"] == "owner"


def test_it_is_on_record_with_its_number_and_start(start, tmp_path):
    one = start("import time; time.sleep(60)")
    noted = json.loads((tmp_path / "it.pid").read_text())
    assert noted == {"pid": one.process.pid, "started": psutil.Process(one.process.pid).create_time()}


def test_one_that_does_not_end_in_time_is_killed_with_its_session(start, tmp_path):
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WITH_A_CHILD}"
    one = start(deaf, stop_within=0.2)
    inner = psutil.Process(int(first_line(tmp_path / "it.log")))
    assert child.stop(one, run_folder=tmp_path) is False
    assert one.ended() == -signal.SIGKILL
    assert until(lambda: not inner.is_running() or inner.status() == psutil.STATUS_ZOMBIE)
    assert not (tmp_path / "it.pid").exists()


def test_what_lost_its_leader_is_ended_by_the_leader_s_record(start, tmp_path):
    one = start(WITH_A_CHILD)
    inner = psutil.Process(int(first_line(tmp_path / "it.log")))
    one.process.kill()
    one.process.wait()
    assert inner.is_running()
    assert child.end_left_behind("it", run_folder=tmp_path, stop_signal=signal.SIGTERM) is True
    assert not inner.is_running() or inner.status() == psutil.STATUS_ZOMBIE


def test_a_stranger_with_the_recorded_number_is_not_among_what_was_left(start):
    one = start("import time; time.sleep(60)")
    born = psutil.Process(one.process.pid).create_time()
    assert child.left_behind(pid=one.process.pid, started=born - 5) == []
    assert [found.pid for found in child.left_behind(pid=one.process.pid, started=born)] == [one.process.pid]


@pytest.mark.parametrize("record", [None, "", "{", '{"pid": 1}', '{"pid": "x", "started": 0}'])
def test_a_missing_or_broken_record_ends_nothing(tmp_path, record):
    if record is not None:
        (tmp_path / "it.pid").write_text(record)
    assert child.end_left_behind("it", run_folder=tmp_path, stop_signal=signal.SIGTERM) is False


def test_a_log_that_grew_too_long_is_put_aside_once(start, tmp_path, monkeypatch):
    monkeypatch.setattr(child, "LOG_LIMIT", 10)
    (tmp_path / "it.log").write_text("what was said before\n")
    start("print('new')")
    assert first_line(tmp_path / "it.log") == "new"
    assert (tmp_path / "it.old.log").read_text() == "what was said before\n"

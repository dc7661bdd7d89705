"""An agent with a guarded tool, the desk's real door, and a collection desk, per test; the recipient is opened once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client import doors
from tests.client.counted import Counted, counting
from tests.client.doors import Door
from tests.client.parcels import NOWHERE, PATIENCE, Parcels
from tests.recipients.fixtures import CollectionDesk, desk_on
from unresolved import Desk, Journal, Recorder


@pytest.fixture
def desk() -> Iterator[CollectionDesk]:
    """The recipient."""
    with desk_on({"keeps_for": 86_400, "after": "runs_as_new"}) as opened:
        yield opened


@pytest.fixture
def door(db: None) -> Door:
    """The agents' door of this desk."""
    return Door(url="http://desk.invalid", key=doors.key())


@pytest.fixture
def parcels(tmp_path: Path, door: Door, desk: CollectionDesk) -> Iterator[Parcels]:
    """An agent."""
    agent = Parcels(folder=tmp_path, door=door, origin=desk.url, patience=PATIENCE)
    yield agent
    agent.close()


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    """One at a desk that nobody answers at: what leaves is for the journal to say."""
    opened = Recorder(journal=Journal(tmp_path / "ops.db"), desk=Desk(url=NOWHERE, key="unr_none"))
    yield opened
    opened.journal.close()


@pytest.fixture
def server() -> Iterator[Counted]:
    """A recipient that counts what arrives."""
    with counting() as opened:
        yield opened

"""An agent with a guarded tool, the desk's real door, and a collection desk, per test; the recipient is opened once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client import doors
from tests.client.doors import Door
from tests.client.parcels import PATIENCE, Parcels
from tests.recipients.fixtures import CollectionDesk, desk_on


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
def parcels(tmp_path: Path, door: Door, desk: CollectionDesk) -> Parcels:
    """An agent."""
    return Parcels(folder=tmp_path, door=door, origin=desk.url, patience=PATIENCE)

"""A door that a process can call, and keys of scope agent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client import doors
from tests.client.mcp.listening import Listening, Socket, opened_at, socket_of_a_door
from tests.client.mcp.proxied import Proxied, publish, transport_key
from tests.recipients.fixtures import CollectionDesk


@pytest.fixture
def key(db: None) -> str:
    """A key of scope agent."""
    return doors.key("agent")


@pytest.fixture(scope="package")
def at() -> Iterator[Socket]:
    """Where the desk is."""
    with socket_of_a_door() as server:
        yield server


@pytest.fixture
def listening(db: None, at: Socket) -> Iterator[Listening]:
    """The desk's door, on a socket."""
    with opened_at(at) as opened:
        yield opened


@pytest.fixture
def proxied(listening: Listening, desk: CollectionDesk, tmp_path: Path) -> Proxied:
    """An agent whose server stands behind the proxy."""
    publish("tickets")
    return Proxied(folder=tmp_path, door=listening, key=transport_key(), desk=desk)

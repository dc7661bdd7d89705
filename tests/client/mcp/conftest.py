"""A door that a process can call, and keys of scope agent."""

from collections.abc import Iterator

import pytest

from tests.client import doors
from tests.client.mcp.listening import Listening, Socket, opened_at, socket_of_a_door


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

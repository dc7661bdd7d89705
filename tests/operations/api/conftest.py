"""The door's clock stands still, and programs hold keys."""

from collections.abc import Iterator

import pytest
import time_machine

from tests.operations.api.calls import Program, program, registration
from tests.operations.rows import NOW


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    """It shows NOW until a test moves it on."""
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


@pytest.fixture
def wire() -> Program:
    """Code that owns the socket."""
    return program("transport")


@pytest.fixture
def agent() -> Program:
    """Something that a model can reach."""
    return program("agent")


@pytest.fixture
def reader() -> Program:
    """Whoever only reads."""
    return program("read")


@pytest.fixture
def operation(wire: Program) -> str:
    """The id of an operation whose outcome nobody knows."""
    return str(wire.post("/operations", registration()).body["operation"])

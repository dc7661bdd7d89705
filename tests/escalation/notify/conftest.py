"""A mail server that every test of notices may ask for."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.escalation.notify.mail_server import Server, at, smtp


@pytest.fixture
def server(settings: Any) -> Iterator[Server]:
    handler = Server()
    with smtp(handler) as port:
        at(settings, port)
        yield handler

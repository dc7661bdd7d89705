"""A recipient that counts, and a clock that the test moves."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from operations import models
from operations.polling import Polled, poll
from tests.operations.polling.waiting import recipient, waiting
from tests.recipients.counting import Counting, counting


@dataclass(slots=True)
class Moved:
    """A clock that stands still but for what is slept and what the test says."""

    at: datetime

    def __call__(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        """Time passes at once."""
        self.on(seconds)

    def on(self, seconds: float) -> datetime:
        """Move on by so many seconds."""
        self.at += timedelta(seconds=seconds)
        return self.at


@pytest.fixture
def clock() -> Moved:
    """It stands at the time of the test's beginning."""
    return Moved(datetime.now(UTC).replace(microsecond=0))


@pytest.fixture
def asked() -> Iterator[Counting]:
    """The recipient that is asked."""
    with counting() as recipient:
        yield recipient


@pytest.fixture
def ask(clock):
    """One task."""

    def ask(**more) -> Polled:
        return poll(clock=clock, sleep=clock.sleep, **more)

    return ask


@pytest.fixture
def made(asked, clock, monkeypatch):
    """Operations that are due at the recipient."""

    def made(count: int, **paced) -> models.Contract:
        contract = recipient(asked.url, environ=monkeypatch, **paced)
        waiting(contract, range(count), begun_at=clock() - timedelta(minutes=1))
        return contract

    return made

"""Operations that needed people, at two recipients, and figures asked of them."""

from datetime import datetime, timedelta

from escalation.models.day_sum import Figure
from escalation.overview.counting import Counted, counted, plan
from escalation.overview.ranges import Asked, Span
from escalation.policy import EVERY_RECIPIENT, Reads
from operations.recording import calling
from tests.escalation.building import HOUR, T0, Made, contract_of, operation

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
CALLED = timedelta(minutes=5)  # when the sweep calls a person for what was sent without a reply


def lost(identity: str = "order-1001", *, at: datetime = T0, key: str = "collection-desk", **more: object) -> Made:
    """An operation whose reply was lost at `at`; a person is called for it five minutes later."""
    contract = contract_of(key=key, name=key.replace("-", " ").capitalize())
    made = operation(identity, now=at, contract=contract, **more)  # type: ignore[arg-type]  # as `operation` takes it
    made.timed_out(now=at + MINUTE / 6)
    assert calling.call(now=at + CALLED, most=100) == 1
    return made


def asked(
    since: datetime = T0 - DAY,
    until: datetime = T0 + DAY,
    *,
    reads: Reads = EVERY_RECIPIENT,
    now: datetime | None = None,
) -> Asked:
    """A time around the first operations, at every recipient."""
    return Asked(span=Span(since=since, until=until), reads=reads, now=now or until)


def count(figure: Figure, of: Asked) -> Counted:
    """A figure as the page counts it."""
    return counted(figure, of, plan(of.span))


__all__ = ["CALLED", "DAY", "HOUR", "MINUTE", "T0", "Made", "asked", "count", "lost"]

"""Three bugs, put into this process and its forks alone: the oracle has to find each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from operations import dispatch, models
from operations.channels import sending
from operations.recording import dispatching
from tests.in_place import in_place


@contextmanager
def send_before_commit() -> Iterator[None]:
    """Whoever authorises a send makes it at once, before the intent is durable."""
    authorises = dispatching.authorise_send

    def authorise_and_send(pen: Any, **named: Any) -> tuple[models.Attempt, models.Dispatch]:
        made = authorises(pen, **named)
        ready = dispatch.prepared(pen.operation)
        sending.send(ready.written, reach=ready.reach, clock=_clock, too_late=lambda: None)
        dispatching.end(made[0].id, ended_as="lapsed", because="sent at once", at=pen.now, facts={})
        return made

    with in_place(dispatching, "authorise_send", authorise_and_send):
        yield


def _clock() -> datetime:
    from django.utils import timezone  # the stage's clock, wherever it stands by now

    return timezone.now()  # noqa: TID251  # it stands in for a task


@contextmanager
def no_claim_check() -> Iterator[None]:
    """A worker takes a send whether or not another has it already."""

    def anybodys(pen: Any, attempt_id: Any) -> models.Dispatch | None:
        rows = models.Dispatch.objects.select_related("attempt")
        return rows.filter(attempt_id=attempt_id, operation=pen.operation).first()

    def always(found: models.Dispatch, *, by: str, leased_until: datetime) -> bool:
        models.Dispatch.objects.filter(attempt_id=found.attempt_id).update(claimed_by=by, leased_until=leased_until)
        return True

    with in_place(dispatching, "unclaimed", anybodys), in_place(dispatching, "claim", always):
        yield


@contextmanager
def library_retry() -> Iterator[None]:
    """What sends tries again by itself where the connection was dropped, as HTTP libraries do."""
    once = sending.send

    def trying_again(*given: Any, **named: Any) -> Any:
        sent = once(*given, **named)
        return sent if sent.status is not None or sent.first_byte_written_at is None else once(*given, **named)

    with in_place(sending, "send", trying_again):
        yield


Plant = Callable[[], Any]
PLANTED: Final[Mapping[str, Plant]] = {
    "send before commit": send_before_commit,
    "no claim check": no_claim_check,
    "library retry on": library_retry,
}
# The act, the point and the process with which each is looked for first.
LOOKED_FOR: Final[Mapping[str, tuple[str, str, str]]] = {
    "send before commit": ("repeat by this desk", "before commit", "web"),
    "no claim check": ("send where nothing protects", "after commit", "broker"),
    "library retry on": ("send and lose the answer", "answer", "worker"),
}

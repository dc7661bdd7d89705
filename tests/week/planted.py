"""Bugs that are put into this process and its forks alone: the oracle has to find each."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from escalation.cases import calling
from escalation.models import Case
from escalation.notify import mail, sweeping
from operations.recording import writing
from tests.in_place import in_place


@contextmanager
def no_second_look() -> Iterator[None]:
    """Whoever sweeps calls what it found due, without looking again under the lock whether another did so meanwhile."""

    def call(operation_id: UUID, *, now: datetime) -> bool:
        with writing(operation_id, now=now) as pen:
            case = Case.objects.select_related("owner").get(operation=operation_id, closed_at=None)
            calling._Calling(case=case, operation=pen.operation, now=now).go_on()  # as it does
            case.save(update_fields=calling.CALLED)
        return True

    with in_place(calling, "_call", call):
        yield


@contextmanager
def step_not_kept() -> Iterator[None]:
    """What was called is not written down as the step that the case is at."""
    with in_place(calling, "CALLED", tuple([one for one in calling.CALLED if one != "step"])):
        yield


@contextmanager
def dropped_at_an_outage() -> Iterator[None]:
    """What the mail server could not be reached for is given up."""

    def never(*_: Any, **__: Any) -> None:
        return None

    with in_place(sweeping, "_next", never):
        yield


@contextmanager
def sent_twice() -> Iterator[None]:
    """What sends mail sends it once more, as a library might that is told to try twice."""
    once = mail.send

    def twice(*given: Any, **named: Any) -> Any:
        once(*given, **named)
        return once(*given, **named)

    with in_place(mail, "send", twice):
        yield


Plant = Callable[[], AbstractContextManager[None]]
PLANTED: Final[Mapping[str, Plant]] = {
    "no second look under the lock": no_second_look,
    "the step is not kept": step_not_kept,
    "a notice is dropped at an outage": dropped_at_an_outage,
    "mail is sent twice": sent_twice,
}

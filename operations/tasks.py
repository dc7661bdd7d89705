"""What the worker does for operations: three lines each, and the clock."""

import os
import socket
from typing import Final
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from operations import dispatch, listening, polling, rereading
from operations.recording import calling
from operations.runs import ruling

# Calls in one task: what is left is called by the next, which is asked for at once.
CALLS: Final = 500


@shared_task
def reread() -> None:
    """Open operations are read by the contract in force; a message that is lost, or comes twice, changes nothing."""
    if rereading.reread(now=timezone.now()).read:
        reread.delay()


@shared_task
def judge_outputs() -> None:
    """The lists of runs follow people's rules for outputs; a message that is lost, or comes twice, changes nothing."""
    if ruling.follow():
        judge_outputs.delay()


@shared_task
def poll() -> None:
    """What is due is asked about, politely; a message that is lost, or comes twice, changes nothing."""
    polling.poll(clock=timezone.now)


@shared_task
def call_people() -> None:
    """A person is called for what time alone brings about; a message that is lost, or comes twice, changes nothing."""
    if calling.call(now=timezone.now(), most=CALLS) == CALLS:
        call_people.delay()


@shared_task
def judge() -> None:
    """What recipients told us is given to its operations; a message that is lost, or comes twice, changes nothing."""
    listening.sweep(now=timezone.now())


# Acknowledged before it runs and never retried: a message that comes twice finds the send claimed, and exits.
@shared_task(acks_late=False, reject_on_worker_lost=False, max_retries=0)
def send(attempt: str) -> None:
    """One attempt (row id) is sent by whoever claims it first; a worker that dies leaves its outcome unknown."""
    dispatch.send(UUID(attempt), by=f"{socket.gethostname()}:{os.getpid()}", clock=timezone.now)


@shared_task
def sweep_sends() -> None:
    """Sends whose worker died are ended as unknown, and those whose message was lost are announced again."""
    for attempt in dispatch.sweep(now=timezone.now()):
        send.apply_async((str(attempt),), expires=10)

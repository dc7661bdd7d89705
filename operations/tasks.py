"""What the worker does for operations: three lines each, and the clock."""

from celery import shared_task
from django.utils import timezone

from operations import listening, polling, rereading


@shared_task
def reread() -> None:
    """Open operations are read by the contract in force; a message that is lost, or comes twice, changes nothing."""
    if rereading.reread(now=timezone.now()).read:
        reread.delay()


@shared_task
def poll() -> None:
    """What is due is asked about, politely; a message that is lost, or comes twice, changes nothing."""
    polling.poll(clock=timezone.now)


@shared_task
def judge() -> None:
    """What recipients told us is given to its operations; a message that is lost, or comes twice, changes nothing."""
    listening.sweep(now=timezone.now())

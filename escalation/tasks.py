"""What the worker does for the people's ring."""

from importlib import import_module

from celery import shared_task
from django.conf import settings


@shared_task
def forget_ended_sessions() -> None:
    """Ended sessions are gone from the database; running ones are untouched."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()

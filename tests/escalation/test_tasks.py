"""What the worker does."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session

from escalation.celery import app
from escalation.tasks import forget_ended_sessions

pytestmark = pytest.mark.django_db


def test_ended_sessions_are_forgotten_and_running_ones_kept():
    now = datetime.now(tz=UTC)
    for name, end in {"ended": now - timedelta(seconds=1), "running": now + timedelta(hours=1)}.items():
        Session.objects.create(session_key=name, session_data="", expire_date=end)
    forget_ended_sessions()
    assert [session.session_key for session in Session.objects.all()] == ["running"]


def test_every_beat_names_a_task_that_exists():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)

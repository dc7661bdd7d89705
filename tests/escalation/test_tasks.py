"""What the worker does."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session

from escalation.celery import app
from escalation.models import Call
from escalation.tasks import call_chains, forget_ended_sessions
from operations.recording import calling
from tests.escalation.building import T0, operation
from tests.escalation.teams.made import chain, team

pytestmark = pytest.mark.django_db


def test_ended_sessions_are_forgotten_and_running_ones_kept():
    now = datetime.now(tz=UTC)
    for name, end in {"ended": now - timedelta(seconds=1), "running": now + timedelta(hours=1)}.items():
        Session.objects.create(session_key=name, session_data="", expire_date=end)
    forget_ended_sessions()
    assert [session.session_key for session in Session.objects.all()] == ["running"]


def test_the_sweep_of_chains_calls_by_the_clock():
    made = operation("order-1001")
    made.timed_out(now=T0 + timedelta(seconds=10))
    calling.call(now=T0 + timedelta(hours=1), most=10)
    chain(team("Desk", owns=""), ("pager", 60))
    call_chains()
    assert [one.webhook for one in Call.objects.all()] == ["pager"]


def test_every_beat_names_a_task_that_exists():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)

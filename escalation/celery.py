"""The task queue's one application; a process that sends tasks imports this module before it does.

A message is only a hint: PostgreSQL holds every schedule and every claim, so an empty broker is a normal start.
"""

import os

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")

app = Celery("unresolved")
app.conf.update(
    # kombu's own name for what redis-py calls unix://
    broker_url=settings.REDIS_URL.replace("unix://", "redis+socket://", 1),
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": 300, "unacked_restore_interval": 5, "unacked_restore_throttle": 1},
    task_ignore_result=True,
    # What sends is acknowledged before it runs (operations.tasks.send), on a queue of its own.
    task_routes={"operations.tasks.send": {"queue": "dispatch"}},
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=100,
    task_time_limit=120,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    timezone="UTC",
    imports=["escalation.tasks", "escalation.rehearsing.tasks", "operations.tasks"],
    beat_schedule={
        # A tick that finds every worker busy asking is not worth keeping.
        "ask about what is due": {"task": "operations.tasks.poll", "schedule": 2.0, "options": {"expires": 10}},
        "call a person in time": {"task": "operations.tasks.call_people", "schedule": 5.0, "options": {"expires": 10}},
        "call by the chain": {"task": "escalation.tasks.call_chains", "schedule": 5.0, "options": {"expires": 10}},
        "export today's checkpoint": {"task": "escalation.tasks.export_checkpoint", "schedule": crontab(minute="41")},
        "forget ended sessions": {"task": "escalation.tasks.forget_ended_sessions", "schedule": crontab(minute="17")},
        "forget what programs were told": {"task": "escalation.tasks.forget_told", "schedule": crontab(minute="29")},
        "judge what recipients told": {"task": "operations.tasks.judge", "schedule": 5.0, "options": {"expires": 10}},
        "judge outputs by people's rules": {
            "task": "operations.tasks.judge_outputs",
            "schedule": 60.0,
            "options": {"expires": 60},
        },
        "look after what is sent": {
            "task": "operations.tasks.sweep_sends",
            "schedule": 5.0,
            "options": {"expires": 10},
        },
        "sum the days that are over": {"task": "escalation.tasks.sum_days", "schedule": 600.0},
        "tell programs": {"task": "escalation.tasks.tell_programs", "schedule": 5.0, "options": {"expires": 10}},
        "tell whoever is called": {"task": "escalation.tasks.tell_people", "schedule": 5.0, "options": {"expires": 10}},
        "wake what was put off": {"task": "escalation.tasks.wake_cases", "schedule": 5.0, "options": {"expires": 10}},
        "read by the contract in force": {"task": "operations.tasks.reread", "schedule": 20.0},
    },
)

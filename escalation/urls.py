"""Every address of the desk. Strangers are turned away, but for those that sign people in and those that probes ask."""

from django.urls import URLPattern, URLResolver, path

from escalation.views.health import healthz, readyz
from escalation.views.queue import queue
from escalation.views.sign_in import sign_in, sign_in_by_link, sign_out

urlpatterns: list[URLPattern | URLResolver] = [
    path("", queue, name="queue"),
    path("sign-in", sign_in, name="sign_in"),
    path("sign-in/<str:token>", sign_in_by_link, name="sign_in_by_link"),
    path("sign-out", sign_out, name="sign_out"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]

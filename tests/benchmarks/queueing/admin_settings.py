"""The settings of a Django admin beside the desk, for the benchmark of the queue alone: the peer's lists of the same tables."""

from escalation.settings import *  # noqa: F403  # all of them, and one application more
from escalation.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "django.contrib.admin"]
ROOT_URLCONF = "tests.benchmarks.queueing.admin_urls"

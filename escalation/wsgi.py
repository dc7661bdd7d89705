"""The door for a WSGI server: `granian --interface wsgi escalation.wsgi:application`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "escalation.settings")
application = get_wsgi_application()

import escalation.celery  # noqa: E402, F401 - the web sends tasks; it needs the settings that were just read

"""The Django application of the people who decide."""

from django.apps import AppConfig


class EscalationConfig(AppConfig):
    """Rows of this application are named `escalation_…`."""

    name = "escalation"
    default_auto_field = "django.db.models.BigAutoField"

"""The Django application that remembers operations and asks recipients."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Rows of this application are named `operations_…`."""

    name = "operations"
    default_auto_field = "django.db.models.BigAutoField"

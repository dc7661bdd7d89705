"""The Django application of the people who decide."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from escalation.grants import grant


class EscalationConfig(AppConfig):
    """Rows of this application are named `escalation_…`."""

    name = "escalation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """After every migration, the app role's rights are said anew; cases follow what is known."""
        post_migrate.connect(grant, sender=self)
        _attend()
        _listen()


def _attend() -> None:
    """Models can be imported from here on."""
    from escalation.cases.attending import attend
    from escalation.outbox.nudging import watch
    from escalation.queue.placing import place
    from operations.recording import watching

    watching.watch(attend)
    watching.watch(place)  # after it: the queue says who looks after what
    watching.watch(watch)


def _listen() -> None:
    """Models can be imported from here on."""
    from escalation.access import own
    from escalation.signing_in import dated_by_provider, proving_by_password

    own.listen()
    proving_by_password.listen()
    dated_by_provider.listen()

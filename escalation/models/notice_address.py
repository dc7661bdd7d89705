"""Where people and teams are told, whether that address is theirs, and when a person would rather not be."""

from typing import ClassVar, Final

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from escalation.models.kept import Made, ended, kept, stays
from escalation.models.team import Team
from operations.core.worded import Worded


class Way(Worded):
    """How somebody is told."""

    MAIL = "mail", "Mail"
    SLACK = "slack", "Slack"
    MSTEAMS = "msteams", "Microsoft Teams"
    WEBHOOK = "webhook", "Webhook, signed"


WAYS: Final = {one.value: one for one in Way}


class NoticeAddress(Made):
    """One address of a person or of a team; of neither, it is a webhook that chains call by its name.

    `to` is a mail address, or the name by which the settings know a webhook, whose own address is a secret.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="notice_addresses"
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="notice_addresses")
    way = models.CharField(max_length=8, choices=[(way.value, way.value) for way in Way])
    to = models.CharField(max_length=254)

    class Meta(Made.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(person=None) | Q(team=None), name="an_address_is_one_readers"),
            models.CheckConstraint(
                condition=~Q(way="mail") | Q(person__isnull=False) | Q(team__isnull=False),
                name="mail_goes_to_somebody",
            ),
            models.UniqueConstraint(
                fields=["person", "team", "way", "to"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="an_address_is_there_once",
            ),
            # A chain knows a webhook by its name alone.
            models.UniqueConstraint(
                fields=["to"], condition=Q(ended_at=None, person=None, team=None), name="a_webhook_is_told_in_one_way"
            ),
            ended("an_address"),
        ]
        triggers = kept("address")

    def __str__(self) -> str:
        return f"{self.way} {self.to}"

    @property
    def is_confirmed(self) -> bool:
        """Whether anything but a link to confirm it by is sent there; a webhook's own address is set on the host."""
        return self.way != Way.MAIL or getattr(self, "confirmation", None) is not None


class AddressConfirmation(models.Model):
    """That mail to an address is read by whom it is for: signed in, they pressed the link that was sent there.

    Without `by` the address was in use before links were sent.
    """

    app_may: ClassVar = ("SELECT", "INSERT")

    address = models.OneToOneField(NoticeAddress, on_delete=models.PROTECT, related_name="confirmation")
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        default_permissions = ()
        triggers = stays("address_confirmation")

    def __str__(self) -> str:
        return f"{self.address_id} at {self.at}"


class QuietHours(Made):
    """When a person, or a team at its own addresses, would rather not be told, by a time zone's clock (as IANA names it)."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="quiet_hours"
    )
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="quiet_hours")
    zone = models.CharField(max_length=64)
    begins = models.TimeField()
    ends = models.TimeField()

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["person"], condition=Q(ended_at=None), name="somebody_has_quiet_hours_once"
            ),
            models.UniqueConstraint(fields=["team"], condition=Q(ended_at=None), name="a_team_has_quiet_hours_once"),
            models.CheckConstraint(
                condition=Q(person=None, team__isnull=False) | Q(person__isnull=False, team=None),
                name="quiet_hours_are_a_persons_or_a_teams",
            ),
            models.CheckConstraint(condition=~Q(begins=F("ends")), name="quiet_hours_are_not_all_day"),
            ended("quiet_hours"),
        ]
        triggers = kept("quiet_hours")

    def __str__(self) -> str:
        return f"{self.begins:%H:%M} to {self.ends:%H:%M} {self.zone}"

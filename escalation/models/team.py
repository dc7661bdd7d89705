"""Teams: who belongs to them, and what they own."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from escalation.models.kept import Made, ended, kept

LONGEST_NAME = 80


class Team(Made):
    """Some people who look after cases together. Its name is used once; it stands in the record and never changes."""

    name = models.CharField(max_length=LONGEST_NAME, unique=True)

    class Meta(Made.Meta):
        constraints = [ended("a_team")]
        triggers = kept("team")

    def __str__(self) -> str:
        return self.name


class TeamMember(Made):
    """That somebody belongs to a team, from when to when."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="members")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="teams")

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["team", "person"], condition=Q(ended_at=None), name="somebody_belongs_to_a_team_once"
            ),
            ended("a_membership"),
        ]
        triggers = kept("membership")

    def __str__(self) -> str:
        return f"{self.person_id} in {self.team_id}"


class TeamOwns(Made):
    """What a team owns: one recipient, or one effect at whichever recipient; with neither it is the fallback.

    `effect` is what a contract calls one of its effects (document.py, `Effect.word`). What is owned has one owner.
    """

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="owns")
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, null=True, related_name="+")
    effect = models.CharField(max_length=200, blank=True)

    class Meta(Made.Meta):
        constraints = [
            models.CheckConstraint(
                condition=Q(recipient=None) | Q(effect=""), name="a_recipient_is_owned_or_an_effect"
            ),
            models.UniqueConstraint(
                fields=["recipient", "effect"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="what_is_owned_has_one_owner",
            ),
            ended("an_ownership"),
        ]
        triggers = kept("ownership")

    def __str__(self) -> str:
        return f"{self.team_id} owns {self.recipient_id or self.effect or 'the rest'}"

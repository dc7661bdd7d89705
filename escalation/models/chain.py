"""Chains: whom a team's open cases call, one step after another, and how long each step waits for an answer."""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import models
from django.db.models import Q

from escalation.models.kept import Made, ended, kept, stays
from escalation.models.rota import Rota
from escalation.models.team import Team
from operations.core.worded import Worded

# How long a step waits, in minutes; a wait of none would call everybody at once.
SHORTEST_WAIT: Final = 1
LONGEST_WAIT: Final = 7 * 24 * 60
LONGEST_WEBHOOK: Final = 64


class StepKind(Worded):
    """What a step calls."""

    PERSON = "person", "a person"
    TEAM = "team", "everybody in a team"
    ROTA = "rota", "whoever is on call in a rota"
    WEBHOOK = "webhook", "a webhook"


KINDS: Final = [(kind.value, kind.value) for kind in StepKind]


class Chain(Made):
    """One version of a team's chain; a change of any step is another version, in force from then on."""

    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="chains")

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(fields=["team"], condition=Q(ended_at=None), name="a_team_has_one_chain"),
            ended("a_chain"),
        ]
        triggers = kept("chain")

    def __str__(self) -> str:
        return f"chain {self.pk} of {self.team_id}"


class ChainStep(models.Model):
    """One step, its `position` counted from 1; after it was called, the next waits `wait` minutes.

    `webhook` is the name by which notices know one. After the last step the chain begins again at the first.
    """

    chain = models.ForeignKey(Chain, on_delete=models.PROTECT, related_name="steps")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=KINDS)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="+")
    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, null=True, related_name="+")
    webhook = models.CharField(max_length=LONGEST_WEBHOOK, blank=True)
    wait = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["chain", "position"], name="a_step_has_its_place"),
            models.CheckConstraint(condition=Q(position__gte=1), name="steps_are_counted_from_one"),
            models.CheckConstraint(
                condition=Q(wait__gte=SHORTEST_WAIT, wait__lte=LONGEST_WAIT), name="a_step_waits_and_not_for_ever"
            ),
            models.CheckConstraint(
                condition=Q(kind="person", person__isnull=False, team=None, rota=None, webhook="")
                | Q(kind="team", person=None, team__isnull=False, rota=None, webhook="")
                | Q(kind="rota", person=None, team=None, rota__isnull=False, webhook="")
                | Q(kind="webhook", person=None, team=None, rota=None) & ~Q(webhook=""),
                name="a_step_names_what_it_calls",
            ),
        ]
        triggers = stays("step")

    def __str__(self) -> str:
        return f"step {self.position} of chain {self.chain_id}"

    @property
    def waits(self) -> timedelta:
        """How long the next step waits after this one."""
        return timedelta(minutes=self.wait)

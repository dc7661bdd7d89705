"""What was changed about teams, chains and rotas, in words, when and by whom."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import Q

from escalation.models.kept import stays
from escalation.models.rota import Rota
from escalation.models.team import Team


class TeamAct(StrEnum):
    """One thing that is done to a team or a rota; the words are those of the record."""

    TEAM_MADE = "team_made"
    TEAM_ENDED = "team_ended"
    MEMBER_ADDED = "member_added"
    MEMBER_REMOVED = "member_removed"
    OWNS = "owns"
    OWNS_NO_MORE = "owns_no_more"
    CHAIN_SET = "chain_set"
    CHAIN_ENDED = "chain_ended"
    QUIET_SET = "quiet_set"
    QUIET_ENDED = "quiet_ended"
    ROTA_MADE = "rota_made"
    ROTA_ENDED = "rota_ended"
    SHIFT_SET = "shift_set"
    SHIFT_ENDED = "shift_ended"
    COVER_SET = "cover_set"
    COVER_ENDED = "cover_ended"


class TeamChange(models.Model):
    """One change of a team or of a rota; `said` tells it. It is added and never changed or removed."""

    act = models.CharField(max_length=32)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="changes")
    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, null=True, related_name="changes")
    recipient = models.ForeignKey("operations.Recipient", on_delete=models.PROTECT, null=True, related_name="+")
    said = models.TextField(blank=True)
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(team=None, rota__isnull=False) | Q(team__isnull=False, rota=None),
                name="a_team_or_a_rota_changes",
            ),
        ]
        indexes = [models.Index(fields=["team", "-id"], name="changes_of_a_team")]
        triggers = stays("team_change")

    def __str__(self) -> str:
        return f"{self.act} of {self.team_id or self.rota_id}"

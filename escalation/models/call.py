"""Calls: which step of which chain was called for a case, in which round, and whom that meant at that moment."""

from typing import Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q

from escalation.models.case import Case
from escalation.models.chain import KINDS, LONGEST_WEBHOOK, Chain
from escalation.models.kept import stays
from escalation.models.rota import Rota
from escalation.models.team import Team

# The step before a chain's first: whoever looks after the case is called before anybody else.
OWNER: Final = 0


class Call(models.Model):
    """One step that was called for a case, once: what it says is then to be sent, which is for notices to do.

    `step` is the chain's position, or `OWNER`. Of a person `person` is given, of a rota who was on call then (and `rota`),
    of a team `team`, of a webhook its name. It is added and never changed or removed, so that nothing is called twice.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, db_index=False, related_name="calls")
    chain = models.ForeignKey(Chain, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    round = models.PositiveIntegerField()
    step = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=8, choices=KINDS)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="calls")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, null=True, db_index=False, related_name="+")
    webhook = models.CharField(max_length=LONGEST_WEBHOOK, blank=True)
    at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["case", "round", "step"], name="a_step_is_called_once_a_round"),
            models.CheckConstraint(
                condition=Q(kind="person", person__isnull=False, team=None, rota=None, webhook="")
                | Q(kind="team", person=None, team__isnull=False, rota=None, webhook="")
                | Q(kind="rota", person__isnull=False, team=None, rota__isnull=False, webhook="")
                | Q(kind="webhook", person=None, team=None, rota=None) & ~Q(webhook=""),
                name="a_call_names_whom_it_calls",
            ),
        ]
        # Whoever calls can't forget to have it told (escalation/notify/gathering.py).
        triggers = [
            *stays("call"),
            pgtrigger.Trigger(
                name="call_is_to_be_told",
                when=pgtrigger.After,
                operation=pgtrigger.Insert,
                func="INSERT INTO escalation_totell (call_id) VALUES (NEW.id); RETURN NULL;",
            ),
        ]

    def __str__(self) -> str:
        return f"step {self.step} in round {self.round} of case {self.case_id}"

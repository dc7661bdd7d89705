"""Rotas: who is on call, by named shifts whose turns go round, and by covers that stand in for them."""

from typing import Final

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from escalation.models.kept import Made, ended, kept, stays
from escalation.models.team import LONGEST_NAME

LONGEST_ZONE: Final = 64
MOST_WEEKS: Final = 52


class Rota(Made):
    """Who is on call when, in the local time of a place: `zone` is its name in the IANA's list ("Europe/Berlin")."""

    name = models.CharField(max_length=LONGEST_NAME, unique=True)
    zone = models.CharField(max_length=LONGEST_ZONE)

    class Meta(Made.Meta):
        constraints = [ended("a_rota")]
        triggers = kept("rota")

    def __str__(self) -> str:
        return self.name


class RotaShift(Made):
    """A named shift, on some days of the week, from `begins` to `ends` (local; not later than `begins`: the next day).

    `days` are 0 (Monday) to 6. On `first_day` the turn of the first person begins; each has `weeks` weeks, and then it is
    the next one's turn, all round again.
    """

    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, related_name="shifts")
    name = models.CharField(max_length=LONGEST_NAME)
    days = ArrayField(models.PositiveSmallIntegerField())
    begins = models.TimeField()
    ends = models.TimeField()
    first_day = models.DateField()
    weeks = models.PositiveSmallIntegerField()

    class Meta(Made.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["rota", "name"], condition=Q(ended_at=None), name="a_shift_of_a_name_runs_once"
            ),
            models.CheckConstraint(condition=Q(weeks__gte=1, weeks__lte=MOST_WEEKS), name="a_turn_is_one_week_or_more"),
            models.CheckConstraint(
                condition=Q(days__len__gte=1, days__contained_by=list(range(7))), name="a_shift_is_on_days_of_the_week"
            ),
            ended("a_shift"),
        ]
        triggers = kept("shift")

    def __str__(self) -> str:
        return self.name


class RotaTurn(models.Model):
    """One person's place in the order of a shift, counted from 0; it is set with the shift."""

    shift = models.ForeignKey(RotaShift, on_delete=models.PROTECT, related_name="turns")
    place = models.PositiveSmallIntegerField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["shift", "place"], name="a_place_in_a_shift_is_one_persons")]
        triggers = stays("turn")

    def __str__(self) -> str:
        return f"{self.person_id} at {self.place}"


class RotaCover(Made):
    """An exception: from `since` until `until` this person is on call, or nobody, whatever the shifts say."""

    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, related_name="covers")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    since = models.DateTimeField()
    until = models.DateTimeField()
    why = models.CharField(max_length=200, blank=True)

    class Meta(Made.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(until__gt=F("since")), name="a_cover_ends_after_it_begins"),
            ended("a_cover"),
        ]
        triggers = kept("cover")

    def __str__(self) -> str:
        return f"{self.person_id} from {self.since:%Y-%m-%d %H:%M}"

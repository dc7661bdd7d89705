"""Rules for outputs: a change is another version, and every version stays."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Count, Max, Q

from operations import models


class NoSuchRule(Exception):
    """No rule of this number holds."""


class Overtaken(Exception):
    """Somebody changed the rule since it was looked at."""


def write(
    *, tool: str, pattern: str, says: str, by: str, now: datetime, number: int | None = None, version: int | None = None
) -> models.OutputRule:
    """Write a new rule, or the next version of one of which `version` was looked at; raises `NoSuchRule`, `Overtaken`."""
    with transaction.atomic():
        _hold()
        if number is None:
            number, next_version = (models.OutputRule.objects.aggregate(n=Max("number"))["n"] or 0) + 1, 1
        else:
            next_version = _ended(number, version=version, by=by, now=now) + 1
        return models.OutputRule.objects.create(
            number=number, version=next_version, tool=tool, pattern=pattern, says=says, set_at=now, set_by=by
        )


def end(number: int, *, version: int, by: str, now: datetime) -> None:
    """End a rule of which `version` was looked at; raises `NoSuchRule`, `Overtaken`."""
    with transaction.atomic():
        _hold()
        _ended(number, version=version, by=by, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """So many changes of rules are to be followed by the runs behind the row `after`."""

    towards: int
    after: int


def behind() -> Behind | None:
    """Return what the lists of runs don't follow yet, from the beginning where a rule changed meanwhile; None if all."""
    row, _ = models.RulesFollowed.objects.get_or_create(pk=1)
    ended = Count("pk", filter=Q(ended_at__isnull=False))
    counted = models.OutputRule.objects.aggregate(versions=Count("pk"), ended=ended)
    changes = counted["versions"] + counted["ended"]
    if row.followed == changes:
        return None
    return Behind(towards=changes, after=row.after if row.towards == changes else 0)


def followed(what: Behind, *, upto: int | None) -> None:
    """Record that runs up to the row `upto` follow now, None: all do; what another worker got to stays."""
    rows = models.RulesFollowed.objects.filter(pk=1)
    if upto is None:
        rows.filter(followed__lt=what.towards).update(followed=what.towards, towards=what.towards, after=0)
    else:
        further = Q(towards__lt=what.towards) | Q(towards=what.towards, after__lt=upto)
        rows.filter(further).update(towards=what.towards, after=upto)


def _ended(number: int, *, version: int | None, by: str, now: datetime) -> int:
    held = models.OutputRule.objects.filter(number=number, ended_at=None).first()
    if held is None:
        raise NoSuchRule(str(number))
    if held.version != version:
        raise Overtaken(str(number))
    models.OutputRule.objects.filter(pk=held.pk, ended_at=None).update(ended_at=now, ended_by=by)
    return held.version


def _hold() -> None:
    """Let one writer of rules through at a time, until the caller's transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('rules for outputs', 0))")

"""Rules for outputs: a change is another version, and every version stays."""

from datetime import datetime

from django.db import connection, transaction
from django.db.models import Max

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

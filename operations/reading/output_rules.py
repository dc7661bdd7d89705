"""Rules for outputs, and the outputs on record that they are tried on."""

from collections.abc import Collection, Iterator

from operations import models
from operations.models.output_rule import OutputRule
from operations.models.run import Showing


def holding() -> list[OutputRule]:
    """Return the rules that hold, by number."""
    return list(models.OutputRule.objects.filter(ended_at=None).order_by("number"))


def versions() -> list[OutputRule]:
    """Return every version of every rule, by number, the newest first."""
    return list(models.OutputRule.objects.order_by("number", "-version"))


def showings(*, tool: str, among: Collection[int] | None, limit: int) -> Iterator[Showing]:
    """Return what records show of up to `limit` calls that have an output, the newest first; `tool` "": of every tool."""
    rows = models.Showing.objects.filter(facts__has_key="outputs")
    rows = rows if among is None else rows.filter(call__run__recipient_id__in=among)
    rows = rows.filter(call__tool=tool) if tool else rows
    return rows.select_related("call__run").order_by("-pk")[:limit].iterator()


def runs_of(tool: str, *, after: int, limit: int) -> list[models.Run]:
    """Return up to `limit` runs behind the row `after` in which a call names this tool; "": those with calls."""
    rows = models.Run.objects.filter(pk__gt=after, calls__isnull=False)
    rows = rows.filter(calls__tool=tool) if tool else rows
    return list(rows.order_by("pk").distinct()[:limit])

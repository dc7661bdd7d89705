"""Runs, their records and their calls, for whoever may read them; what is concluded of a call is `operations.runs`' to say.

A run is read by whoever may read its recipient; one of several recipients by whoever may read every one. `among` are
recipients (row ids), None: every one.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet

from operations import models
from operations.core.standing import Finality
from operations.models.run import Call, CallBinding, CallLink, Run, Showing, Transcript
from operations.models.tool import Tool, ToolKind

# What can be said of a tool, with the sentence that people read.
KINDS: Final[Mapping[str, str]] = {kind.value: kind.sentence for kind in ToolKind}


class NoSuchRun(Exception):
    """No run, or no call of it, has this number, or it is not for whoever asks."""


def _readable(among: Collection[int] | None) -> Q:
    return Q() if among is None else Q(recipient_id__in=among)


def run(run_id: int, *, among: Collection[int] | None) -> Run:
    """Return one run; raises `NoSuchRun`."""
    found = models.Run.objects.filter(_readable(among), pk=run_id).select_related("recipient").first()
    if found is None:
        raise NoSuchRun(str(run_id))
    return found


def runs(*, among: Collection[int] | None, before: int | None, limit: int) -> list[Run]:
    """Return up to `limit` runs, the newest first, older than `before`."""
    rows = models.Run.objects.filter(_readable(among)).select_related("recipient")
    rows = rows if before is None else rows.filter(pk__lt=before)
    return list(rows.order_by("-pk")[:limit])


def counts(run_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return, by run, how many calls it has and how many of them are listed as unresolved."""
    everything = models.Call.objects.filter(run_id__in=run_ids).values_list("run").annotate(n=Count("pk"))
    open_ones = listed(models.Call.objects.filter(run_id__in=run_ids)).values_list("run").annotate(n=Count("pk"))
    unresolved = dict(open_ones.order_by())
    return {run_id: (number, unresolved.get(run_id, 0)) for run_id, number in everything.order_by()}


def listed(rows: "QuerySet[Call]") -> "QuerySet[Call]":
    """Return those of some calls that are unresolved, and that no person's word has taken off the list.

    A person binds a call, or one that is the same by a person's word, to an operation that is settled, or says of its tool that it only reads, or that nothing
    protected comes of it and its output arrived.
    """
    bound = models.CallBinding.objects.filter(
        ended_at=None, operation__finality__in=[Finality.SETTLED.value, Finality.EXCLUDED.value]
    )
    links = models.CallLink.objects.filter(ended_at=None)
    settled = Q(Exists(bound.filter(call=OuterRef("pk"))))
    settled |= Q(Exists(links.filter(wire=OuterRef("pk"), model__in=bound.values("call"))))
    settled |= Q(Exists(links.filter(model=OuterRef("pk"), wire__in=bound.values("call"))))
    said = models.Tool.objects.filter(name=OuterRef("tool"), ended_at=None)
    reads = Exists(said.filter(kind=ToolKind.READS.value))
    harmless = Exists(said.filter(kind=ToolKind.NO_PROTECTED_EFFECT.value))
    done = Q(harmless_is_done=True) & Q(harmless)
    return rows.filter(~settled, ~Q(reads), ~done, open=True)


def calls(found: Run, *, unresolved: bool, after: int | None, limit: int) -> list[Call]:
    """Return up to `limit` calls of a run in their order, from behind the place `after`; `unresolved`: those alone."""
    rows = models.Call.objects.filter(run=found)
    rows = listed(rows) if unresolved else rows
    rows = rows if after is None else rows.filter(place__gt=after)
    bound = models.CallBinding.objects.filter(ended_at=None).select_related("operation")
    return list(rows.prefetch_related(Prefetch("bindings", bound, "bound")).order_by("place", "pk")[:limit])


def call(found: Run, call_id: int) -> Call:
    """Return one call of a run (its row's id) with its bindings, the newest first; raises `NoSuchRun`."""
    bindings = models.CallBinding.objects.select_related("operation__recipient").order_by("-pk")
    row = models.Call.objects.filter(run=found, pk=call_id).prefetch_related(Prefetch("bindings", bindings)).first()
    if row is None:
        raise NoSuchRun(str(call_id))
    return row


def calls_of_tool(found: Run, *, tool: str, but: Call, limit: int) -> list[Call]:
    """Return up to `limit` other calls of a run that name a tool, and those of which no tool is known, in their order."""
    rows = models.Call.objects.filter(run=found, tool__in=["", tool]).exclude(pk=but.pk)
    return list(rows.order_by("place", "pk")[:limit])


def sides(found: Run, rows: Collection[Call], *, wire: str) -> dict[int, bool]:
    """Say of each of these calls whether records of the format `wire` alone show it."""
    shown = models.Showing.objects.filter(call__in=rows, transcript__run=found).values_list(
        "call_id", "transcript__format"
    )
    formats: dict[int, set[str]] = {}
    for call_id, form in shown:
        formats.setdefault(call_id, set()).add(form)
    return {row.pk: formats.get(row.pk) == {wire} for row in rows}


def links_of(row: Call) -> list[CallLink]:
    """Return what people said of a call being the same as another, the newest first."""
    rows = models.CallLink.objects.filter(Q(wire=row) | Q(model=row)).select_related("wire", "model")
    return list(rows.order_by("-pk"))


def is_listed(row: Call) -> bool:
    """Say whether a call stands on the list of unresolved ones."""
    return listed(models.Call.objects.filter(pk=row.pk)).exists()


def transcripts(found: Run) -> list[Transcript]:
    """Return the records of a run in the order in which they came, without what they hold."""
    rows = (
        models.Transcript.objects.filter(run=found).select_related("read_with").defer("content", "read_with__content")
    )
    return list(rows.order_by("received_at", "pk"))


def content(transcript: Transcript) -> bytes:
    """Return what a record holds, as it was kept: compressed."""
    return bytes(models.Transcript.objects.values_list("content", flat=True).get(pk=transcript.pk))


def same_bytes(digest: str, *, among: Collection[int] | None) -> Transcript | None:
    """Return the first record of these bytes in a run that may be read, if there is one."""
    runs_read = models.Run.objects.filter(_readable(among))
    rows = models.Transcript.objects.filter(digest=digest, run__in=runs_read).select_related("run").defer("content")
    return rows.order_by("pk").first()


def showings(found: Run, *, calls: Collection[Call] | None = None) -> list[Showing]:
    """Return what the records of a run show of its calls, or of these, in the order in which the records came."""
    rows = models.Showing.objects.filter(transcript__run=found).select_related("call", "transcript")
    rows = rows if calls is None else rows.filter(call__in=calls)
    return list(rows.defer("transcript__content").order_by("transcript__received_at", "transcript", "pk"))


def tools_said() -> list[Tool]:
    """Return what holds of tools by people's words, by name."""
    return list(models.Tool.objects.filter(ended_at=None).order_by("name"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A tool that calls name: how many, and what its server says of it ("" for nothing)."""

    tool: str
    calls: int
    hint: str


def tools_seen(*, among: Collection[int] | None, limit: int) -> list[Seen]:
    """Return the tools that calls of these runs name, those with the most calls first."""
    rows = models.Call.objects.filter(run__in=models.Run.objects.filter(_readable(among))).exclude(tool="")
    counted = rows.values_list("tool").annotate(n=Count("pk")).order_by("-n", "tool")[:limit]
    hinted = models.Showing.objects.filter(call__in=rows, facts__has_key="hint").order_by("pk")
    hints = dict(hinted.values_list("call__tool", "facts__hint"))
    return [Seen(tool=tool, calls=number, hint=hints.get(tool, "")) for tool, number in counted]


def bindings_of(operation_id: UUID) -> list[CallBinding]:
    """Return the calls that people say belong to an operation, with their runs."""
    rows = models.CallBinding.objects.filter(operation_id=operation_id, ended_at=None)
    return list(rows.select_related("call__run").order_by("pk"))


def holding(keys: Collection[str], *, among: Collection[int] | None, limit: int) -> list[tuple[Run, int]]:
    """Return the runs that hold some of these calls (`recording.runs.key_of`), with how many, those with the most first."""
    rows = models.Run.objects.filter(_readable(among), calls__key__in=list(keys)).select_related("recipient")
    counted = rows.annotate(held=Count("calls")).order_by("-held", "-pk")[:limit]
    return [(row, row.held) for row in counted]


def bound_calls(found: Run) -> list[CallBinding]:
    """Return which calls of a run belong to which operations, by people's words."""
    rows = models.CallBinding.objects.filter(call__run=found, ended_at=None)
    return list(rows.select_related("call__run").order_by("pk"))

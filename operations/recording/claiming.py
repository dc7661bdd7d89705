"""A claim is idempotent and disjoint: no two workers hold one operation at a time, and a lease that lapsed is nobody's.

PostgreSQL holds the schedule (design.md, rule 5). A claim locks the pace of each recipient, so that rate and places are
shared by all workers, and leases due rows that nobody else is at (SKIP LOCKED).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from operations import models
from operations.recording import pacing
from operations.recording.pacing import Allowed

MOST: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    """One operation to ask about now, through this channel; `etag` is the entity tag of its answer before, if any."""

    operation_id: UUID
    recipient_id: int
    channel: str
    etag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one task asks until `until`, by recipient: what it may do there, and which operations, the longest due first."""

    lease: UUID
    until: datetime
    turns: tuple[tuple[Allowed, tuple[Leased, ...]], ...]

    @property
    def size(self) -> int:
        """How many operations it holds."""
        return sum(len(leased) for _, leased in self.turns)


def claim(lease: UUID, *, now: datetime, within: float, leased_for: float, most: int = MOST) -> Claim:
    """Lease up to `most` operations that are due, for asks that begin `within` seconds; `lease` is new for each claim.

    All are left alone by others for `leased_for` seconds, or until they are recorded or let go.
    """
    until = now + timedelta(seconds=leased_for)
    with transaction.atomic():
        _free_lapsed(now)
        _make_paces(now)
        paces = _open(now)
        share = -(-most // max(len(paces), 1))
        grants = {pace.recipient_id: pacing.allowed(pace, most=share, within=within, now=now) for pace in paces}
        found = _lease([grant for grant in grants.values() if grant is not None], lease, until=until, now=now)
        turns = []
        for pace in paces:
            grant, leased = grants[pace.recipient_id], found.get(pace.recipient_id)
            if grant is not None and leased:
                pacing.take(pace, grant, asks=len(leased), lease=lease.hex, until=until, now=now)
                turns.append((grant, tuple(leased)))
    return Claim(lease=lease, until=until, turns=tuple(turns))


def _due(now: datetime) -> Q:
    return Q(lease=None, at__lte=now)


def _free_lapsed(now: datetime) -> None:
    """Whoever held these has died or hangs; what it still learns is recorded all the same."""
    lapsed = models.Due.objects.filter(lease__isnull=False, leased_until__lte=now)
    ids = list(lapsed.select_for_update(skip_locked=True).values_list("operation_id", flat=True)[: 10 * MOST])
    if ids:
        models.Due.objects.filter(operation_id__in=ids).update(lease=None, leased_until=None)


def _make_paces(now: datetime) -> None:
    """Every recipient about which something is due has its pace."""
    due = models.Due.objects.filter(_due(now), recipient_id=OuterRef("id"))
    new = models.Recipient.objects.filter(Exists(due), pace=None).values_list("id", flat=True)
    models.Pace.objects.bulk_create([models.Pace(recipient_id=one) for one in new], ignore_conflicts=True)


def _open(now: datetime) -> list[models.Pace]:
    """Return the paces, locked in one order for everybody, of recipients that may be asked and have something due."""
    due = models.Due.objects.filter(_due(now), recipient_id=OuterRef("recipient_id"))
    may_be = (
        Q(paused_since=None) | Q(paused_by="", probe_at__lte=now),
        Q(not_before=None) | Q(not_before__lte=now),
        ~Q(recipient__address=""),
    )
    return list(models.Pace.objects.select_for_update().filter(*may_be, Exists(due)).order_by("recipient_id"))


def _lease(grants: Sequence[Allowed], lease: UUID, *, until: datetime, now: datetime) -> dict[int, list[Leased]]:
    """Lease due rows of these recipients in one statement."""
    if not grants:
        return {}
    statement = (
        "WITH due AS (SELECT picked.operation_id, picked.at FROM unnest(%s::bigint[], %s::int[]) AS wanted (who, most)"
        " CROSS JOIN LATERAL (SELECT operation_id, at FROM operations_due WHERE recipient_id = wanted.who"
        " AND lease IS NULL AND at <= %s ORDER BY at LIMIT wanted.most FOR UPDATE SKIP LOCKED) AS picked)"
        " UPDATE operations_due AS one SET lease = %s, leased_until = %s FROM due"
        " WHERE one.operation_id = due.operation_id"
        " RETURNING one.operation_id, one.recipient_id, one.channel, one.asked -> one.channel ->> 'etag', due.at"
    )
    wanted = [grant.recipient_id for grant in grants], [grant.most for grant in grants]
    with connection.cursor() as cursor:
        cursor.execute(statement, [*wanted, now, lease, until])
        rows = sorted(cursor.fetchall(), key=lambda row: row[4])
    found: dict[int, list[Leased]] = {}
    for operation_id, recipient_id, channel, etag, _ in rows:
        leased = Leased(operation_id=operation_id, recipient_id=recipient_id, channel=channel, etag=etag or "")
        found.setdefault(recipient_id, []).append(leased)
    return found


def let_go(claimed: Claim, operations: Sequence[UUID], *, recipients: Collection[int] | None = None) -> None:
    """These were not asked about, and are due as before; the places at these recipients are free, or at all of them."""
    held = models.Due.objects.filter(operation_id__in=operations, lease=claimed.lease)
    held.update(lease=None, leased_until=None)
    whose = [grant.recipient_id for grant, _ in claimed.turns] if recipients is None else recipients
    pacing.give_back(claimed.lease.hex, whose, until=claimed.until)

"""Every call is told at every address of whoever it calls, once; and its end is told to whoever was told of it.

What is to be told stands in a row that the very statement wrote which called, or closed (models/notice.py, ToTell). It
goes in the transaction that says who is to be told, so that nothing is lost and nothing is told twice, whatever dies.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Final

from django.db import connection, transaction
from django.db.models import Q

from escalation.models import Call, NoticeAddress, Telling, ToTell
from escalation.models.chain import StepKind
from escalation.models.notice import Kind, Over

# A number of our own for PostgreSQL's advisory lock, another than that of access/changing.py.
_LOCK: Final = 0x746F74656C6C
_TOLD = Q(ended_as__in=[Over.TAKEN, Over.MAY_HAVE_ARRIVED]) | Q(again__isnull=False)


def gather(*, now: datetime, most: int) -> int:
    """Say who is to be told of up to `most` calls and ends; return how many there were.

    One gathers at a time, so that what came together is told together; who comes second leaves it to the first.
    """
    with transaction.atomic():
        if not _alone():
            return 0
        found = list(ToTell.objects.order_by("id").select_related("call__case")[:most])
        gone = [one for one in found if one.call is not None]
        Telling.objects.bulk_create(_of_calls([one.call for one in found if one.call is not None], now))
        gone += [one for one in found if one.closed_id is not None and _end(one.closed_id, now)]
        ToTell.objects.filter(pk__in=[one.pk for one in gone]).delete()
    return len(gone)


def _alone() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _of_calls(calls: Iterable[Call], now: datetime) -> list[Telling]:
    known = cache(_addresses)
    return [
        one
        for call in calls
        for one in _of_call(call, known(call.kind, call.person_id, call.team_id, call.webhook), now)
    ]


def _of_call(call: Call, addresses: Mapping[int, bool], now: datetime) -> list[Telling]:
    told = {"kind": Kind.CALL, "case": call.case, "call": call, "made_at": now}
    if not addresses:
        return [Telling(**told, ended_as=Over.NO_ADDRESS, ended_at=now)]
    return [
        Telling(**told, address_id=address, due_at=now)
        if confirmed
        else Telling(**told, address_id=address, ended_as=Over.NOT_CONFIRMED, ended_at=now)
        for address, confirmed in addresses.items()
    ]


def _addresses(kind: str, person: int | None, team: int | None, webhook: str) -> Mapping[int, bool]:
    """Return the addresses (row ids) in use of whom a call calls, and whether anything is sent there.

    Of a team its own, and those of everybody in it.
    """
    if kind == StepKind.WEBHOOK:
        whose = Q(to=webhook, person=None, team=None)
    elif kind == StepKind.TEAM:
        inside = Q(person__teams__team=team, person__teams__ended_at=None, person__is_active=True)
        whose = Q(team=team) | inside
    else:
        whose = Q(person=person, person__is_active=True)
    found = NoticeAddress.objects.filter(whose, ended_at=None).select_related("confirmation").order_by("pk")
    return {one.pk: one.is_confirmed for one in found}


def _end(case: int, now: datetime) -> bool:
    """Have nobody called for a closed case any more, and its end told; return False while a call is still on its way."""
    calls = Telling.objects.filter(case=case, kind=Kind.CALL)
    if calls.filter(ended_as="", due_at=None).exists():
        return False
    waiting = calls.filter(due_at__isnull=False)
    waiting.filter(again=None).update(ended_as=Over.NOT_NEEDED, ended_at=now, due_at=None, waits_for="")
    waiting.update(ended_as=Over.MAY_HAVE_ARRIVED, ended_at=now, due_at=None, waits_for="")
    told = calls.filter(_TOLD, address__ended_at=None).order_by("address").values_list("address", flat=True).distinct()
    made = [Telling(kind=Kind.SETTLED, case_id=case, address_id=one, made_at=now, due_at=now) for one in told]
    Telling.objects.bulk_create(made, ignore_conflicts=True)
    return True

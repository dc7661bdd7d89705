"""What must hold after any race: the chain follows, and each link stands on what the links before it say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.db import connection

from escalation.decisions.compared import compared
from operations import models, reading
from operations.auditing.faults import Fault
from operations.auditing.verifying import verify
from operations.core.actions import Action
from operations.core.closing import Closing, to_close
from operations.core.permitted import permitted
from operations.core.scenario import answer
from operations.core.standing import infer
from operations.reading.events import events_of
from tests.escalation.building import Made

if TYPE_CHECKING:
    from datetime import datetime

    from operations.core.facts import Facts

REFRAINS = {"decline_exception"}  # decisions not to do something, which nothing has to permit


def deadlocks() -> int:
    """How many deadlocks PostgreSQL has ended in this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def nothing_is_wrong_with_the_record() -> None:
    """Every chain follows, and the doors' own rows say what their decisions say."""
    faults: list[Fault] = []
    verify([], tell=faults.append)
    assert [str(fault) for fault in faults] == []
    assert list(compared()) == []


def decisions_of(made: Made) -> list[models.Decision]:
    return list(models.Decision.objects.filter(operation=made.id).order_by("position"))


def _facts(made: Made, *, before: int) -> Facts:
    """What was known of an operation when the link at this position was written, from the links before it alone."""
    row = made.row
    readings = list(row.readings.filter(position__lt=before).select_related("observation", "contract"))
    row.judged_by = max([one.contract for one in readings], key=lambda one: one.version, default=row.contract)
    row.sealed = models.Seal.objects.filter(operation=row, position__lt=before).exists()
    found = reading.read_of(row, row.attempts.filter(position__lt=before), readings).facts
    successors, _ = events_of(row.successors.filter(position__lt=before), of=row.id)
    return replace(found, events=(*found.events, *successors))


def _was_permitted(
    made: Made, action: Action | Closing, *, position: int, at: datetime, scope: str | None = None
) -> bool:
    facts = _facts(made, before=position)
    if scope is not None:
        facts = replace(facts, operation=replace(facts.operation, repeat_scope=scope))
    standing = infer(facts, now=reading.seconds(at))
    if isinstance(action, Closing):
        alone = not made.row.closings.filter(position__lt=position).exists()
        return alone and to_close(standing, requests=()) is None
    return permitted(standing)[action] is None


def every_link_stands_on_those_before_it(made: Made) -> None:
    """A decision keeps the standing that was known, and was permitted on it; so was every further attempt."""
    for decision in decisions_of(made):
        then = answer(infer(_facts(made, before=decision.position), now=reading.seconds(decision.decided_at)))
        assert then == decision.standing, f"{decision} stands on something else"
        action = Closing(decision.action) if decision.action in set(Closing) else Action(decision.action)
        if decision.door not in REFRAINS:
            permitted_then = _was_permitted(made, action, position=decision.position, at=decision.decided_at)
            assert permitted_then, f"{decision} was not permitted"
    for attempt in models.Attempt.objects.filter(operation=made.id, number__gt=1):
        may = _was_permitted(
            made, Action.REPEAT, position=attempt.position, at=attempt.recorded_at, scope=attempt.scope
        )
        assert may, f"{attempt} was not permitted"


def nothing_is_half_written(made: Made) -> None:
    """What belongs together is there together: a second operation with its link, a grant's use with its attempt."""
    new = models.Operation.objects.filter(authorisation__operation=made.id).count()
    assert new == models.Successor.objects.filter(operation=made.id).count()
    ends = models.Operation.objects.filter(closing_decided__operation=made.id).count()
    assert ends == models.Closing.objects.filter(operation=made.id).count()
    assert models.Dispatch.objects.filter(operation=made.id, live=True).count() <= 1
    uses = models.GrantUse.objects.filter(operation=made.id).values_list("attempt_id", flat=True)
    by_desk = models.Dispatch.objects.filter(operation=made.id).values_list("attempt_id", flat=True)
    again = models.Attempt.objects.filter(operation=made.id, number__gt=1).values_list("id", flat=True)
    assert sorted([*uses, *by_desk]) == sorted(again)
